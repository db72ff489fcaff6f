import { createSearchIndex, type SearchEntry } from '../../kernel/search/index.ts'
import { listOf, objectOf, textOf, type ModelRequest } from './conversation.ts'

export interface Found {
  readonly text: string
  readonly confidence: number
  readonly isSure: boolean
}

/** The best answer to a question in the prompt and the tools' results. */
export function findAnswer(request: ModelRequest, question: string): Found | null {
  const entries = knowledgeOf(request)
  const { hits, confidence, decision } = createSearchIndex(entries).search(question)
  const entry = entries.find(({ id }) => id === hits[0]?.id)
  if (entry === undefined) return null
  return { text: 'text' in entry ? entry.text : entry.answer, confidence, isSure: decision === 'answer' }
}

type Pair =
  | { readonly question: string; readonly answer: string }
  | { readonly text: string; readonly headings?: readonly string[] }

function knowledgeOf({ system, turns }: ModelRequest): SearchEntry[] {
  const results = turns.filter(({ role }) => role === 'tool').flatMap(({ text }) => ofResult(text))
  const pairs = [...labelled(system), ...fenced(system), ...results]
  return pairs.map((pair, at) => ({ id: String(at), ...pair }))
}

const QUESTION = String.raw`(?:question|pergunta|pregunta|q|p)`
const ANSWER = String.raw`(?:answer|resposta|respuesta|a|r)`
const labelOf = (words: string) => new RegExp(String.raw`^[ \t>*-]*${words}\d*[:.)](.*)$`, 'is')
const ASKED = labelOf(QUESTION)
const ANSWERED = labelOf(ANSWER)

const IS_LABELLED = new RegExp(String.raw`^[ \t>*-]*(?:${QUESTION}|${ANSWER})\d*[:.)]`, 'i')

/** `Q: …` and `A: …`, in three languages. An answer ends at a blank line, a tag or the next question. */
function labelled(text: string): Pair[] {
  const pairs: { question: string; answer: string }[] = []
  let question: string[] | undefined
  let answer: string[] | undefined
  const end = () => {
    const pair = { question: joined(question), answer: joined(answer) }
    if (pair.question !== '' && pair.answer !== '') pairs.push(pair)
    question = answer = undefined
  }
  for (const line of text.split('\n')) {
    const [, asked] = ASKED.exec(line) ?? []
    const [, answered] = ANSWERED.exec(line) ?? []
    if (asked !== undefined) {
      end()
      question = [asked]
    } else if (answer !== undefined) {
      const isEnd = line.trim() === '' ? joined(answer) !== '' : line.trimStart().startsWith('<')
      if (isEnd) end()
      else answer.push(line)
    } else if (question !== undefined) {
      if (answered === undefined) question.push(line)
      else answer = [answered]
    }
  }
  end()
  return pairs
}

const joined = (lines: readonly string[] | undefined): string => (lines ?? []).join('\n').trim()

const OPENING = /<([a-z_-]{1,60})\b[^<>]*>/gi
const IS_KNOWLEDGE = /faq|knowledge|context|data|document|passage|source|reference/i

/** Texts between tags that mark them as knowledge. */
function fencesIn(text: string): string[] {
  const found: string[] = []
  const unclosed = new Set<string>()
  let end = 0
  for (const { 0: tag, 1: name = '', index } of text.matchAll(OPENING)) {
    if (index < end || !IS_KNOWLEDGE.test(name) || unclosed.has(name)) continue
    const closing = text.indexOf(`</${name}>`, index)
    if (closing < 0) unclosed.add(name)
    else {
      found.push(text.slice(index + tag.length, closing))
      end = closing
    }
  }
  return found
}

/** Paragraphs of the knowledge, without the instructions of the prompt. */
function fenced(text: string): Pair[] {
  return fencesIn(text).flatMap((inner) => {
    const parsed = parse(inner)
    if (parsed !== undefined) return pairsOf(parsed)
    // Labelled pairs are found separately.
    return paragraphs(inner).filter((pair) => !IS_LABELLED.test('question' in pair ? pair.question : pair.text))
  })
}

function ofResult(text: string): Pair[] {
  const parsed = parse(text)
  if (parsed !== undefined) return pairsOf(parsed)
  const known = labelled(text)
  return known.length > 0 ? known : paragraphs(text)
}

/** Every question with an answer, and every text, at any depth. */
function pairsOf(value: unknown): Pair[] {
  if (Array.isArray(value)) return value.flatMap(pairsOf)
  const object = objectOf(value)
  const { question, answer } = object
  if (textOf(question) !== '' && textOf(answer) !== '') return [{ question: textOf(question), answer: textOf(answer) }]
  const text = textOf(object.text) || textOf(object.content) || textOf(object.answer) || textOf(object.passage)
  const inner = Object.values(object).filter((one) => typeof one === 'object')
  return [...(text === '' ? [] : [{ text }]), ...listOf(inner).flatMap(pairsOf)]
}

function paragraphs(text: string): Pair[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/<[^<>]+>/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => {
      // The source is not part of an answer.
      const [named, title] = /^Document: (.*)\n/.exec(paragraph) ?? []
      if (named !== undefined) return { text: paragraph.slice(named.length), headings: [title ?? ''] }
      const lineEnd = paragraph.indexOf('\n')
      const [question, answer] = [paragraph.slice(0, lineEnd).trim(), paragraph.slice(lineEnd).trim()]
      return lineEnd > 0 && question.endsWith('?') ? { question, answer } : { text: paragraph }
    })
}

function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
