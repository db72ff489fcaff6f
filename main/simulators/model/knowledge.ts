import { createSearchIndex, type SearchEntry } from '../../kernel/search/index.ts'
import { listOf, objectOf, textOf, type ModelRequest } from './conversation.ts'

export interface Found {
  readonly text: string
  readonly confidence: number
  readonly isSure: boolean
}

/** The best answer to a question in what the prompt and its tools' results say. */
export function findAnswer(request: ModelRequest, question: string): Found | null {
  const entries = knowledgeOf(request)
  const { hits, confidence, decision } = createSearchIndex(entries).search(question)
  const entry = entries.find(({ id }) => id === hits[0]?.id)
  if (entry === undefined) return null
  return { text: 'text' in entry ? entry.text : entry.answer, confidence, isSure: decision === 'answer' }
}

type Pair = { readonly question: string; readonly answer: string } | { readonly text: string }

function knowledgeOf({ system, turns }: ModelRequest): SearchEntry[] {
  const results = turns.filter(({ role }) => role === 'tool').flatMap(({ text }) => ofResult(text))
  const pairs = [...labelled(system), ...fenced(system), ...results]
  return pairs.map((pair, at) => ({ id: String(at), ...pair }))
}

const QUESTION = String.raw`(?:question|pergunta|pregunta|q|p)`
const ANSWER = String.raw`(?:answer|resposta|respuesta|a|r)`
const LABELLED = new RegExp(
  String.raw`^[ \t>*-]*${QUESTION}\d*[:.)]\s*(.+?)\s*^[ \t>*-]*${ANSWER}\d*[:.)]\s*(.+?)(?=\n\s*\n|^[ \t>*-]*${QUESTION}\d*[:.)]|^\s*<|$(?![\s\S]))`,
  'gims',
)

const IS_LABELLED = new RegExp(String.raw`^[ \t>*-]*(?:${QUESTION}|${ANSWER})\d*[:.)]`, 'i')

/** `Q: …` and `A: …`, in three languages. */
function labelled(text: string): Pair[] {
  return [...text.matchAll(LABELLED)].map(([, question = '', answer = '']) => ({ question, answer: answer.trim() }))
}

const FENCE =
  /<([a-z_-]*(?:faq|knowledge|context|data|document|passage|source|reference)[a-z_-]*)\b[^>]*>([\s\S]*?)<\/\1>/gi

/** Paragraphs between tags that name them as knowledge; instructions of a prompt are no answers. */
function fenced(text: string): Pair[] {
  return [...text.matchAll(FENCE)].flatMap(([, , inner = '']) => {
    const parsed = parse(inner)
    if (parsed !== undefined) return pairsOf(parsed)
    // Those are found wherever they are.
    return paragraphs(inner).filter((pair) => !IS_LABELLED.test('question' in pair ? pair.question : pair.text))
  })
}

function ofResult(text: string): Pair[] {
  const parsed = parse(text)
  if (parsed !== undefined) return pairsOf(parsed)
  const known = labelled(text)
  return known.length > 0 ? known : paragraphs(text)
}

/** Every question with an answer, and every text, however deep. */
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
    .map((paragraph) => paragraph.replace(/<[^>]+>/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => {
      const [, question, answer] = /^(.+\?)\s*\n([\s\S]+)$/.exec(paragraph) ?? []
      return question !== undefined && answer !== undefined ? { question, answer } : { text: paragraph }
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
