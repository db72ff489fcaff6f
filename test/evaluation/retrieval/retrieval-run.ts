import { knowledgeText } from '../../../main/capabilities/ai/prompt.ts'
import { passagesAfter } from '../../../main/capabilities/ai-knowledge/document-store.ts'
import { placeOf } from '../../../main/capabilities/ai-knowledge/documents.ts'
import { createAiKnowledge, type AiKnowledgeDeps } from '../../../main/capabilities/ai-knowledge/index.ts'
import type { AnswerSource } from '../../../main/contract/ai-conversation.ts'
import { cutIntoPassages } from '../../../main/kernel/documents/passages.ts'
import { blocksOfMarkdown, blocksOfText } from '../../../main/kernel/documents/plain.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { loadEvaluationSet, type EvaluationPair } from './evaluation-set.ts'

/** What came back for one question. */
export interface Outcome {
  readonly pair: EvaluationPair
  readonly half: Half
  /** In order, whether each passage holds an answer. */
  readonly holdsAnswer: readonly boolean[]
  /** The built-in agent would send the first passage. */
  readonly isSure: boolean
}

/** The search is tuned with one half only. */
type Half = 'tuning' | 'report'

/** Every question, asked of the documents of its business in the way an agent asks. */
export async function askAll(): Promise<Outcome[]> {
  const { pairs, documents } = loadEvaluationSet()
  const halves = halvesOf(pairs)
  const outcomes: Outcome[] = []
  for (const [business, files] of documents) {
    const search = await searchIn(files)
    for (const pair of pairs.filter((one) => one.business === business)) {
      const { sources, isSure } = await search(pair.question)
      const holdsAnswer = sources.map((source) => holds(source, pair))
      outcomes.push({ pair, half: halves.get(business) ?? 'report', holdsAnswer, isSure })
    }
  }
  return outcomes
}

/** Businesses in turn, by language and name, so that both halves have every language. */
function halvesOf(pairs: readonly EvaluationPair[]): ReadonlyMap<string, Half> {
  const names = [...new Set(pairs.map(({ business }) => business))]
  const keyOf = (business: string) => `${languageOf(pairs.filter((pair) => pair.business === business))} ${business}`
  const sorted = names.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return new Map(sorted.map((business, at) => [business, at % 2 === 0 ? 'tuning' : 'report']))
}

/** The one that most questions are in. */
function languageOf(pairs: readonly EvaluationPair[]): string {
  const counts = new Map<string, number>()
  for (const { language } of pairs) counts.set(language, (counts.get(language) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? ''
}

/** The retrieval of the product over these documents; only the database and the worker thread are left out. */
async function searchIn(files: ReadonlyMap<string, string>) {
  const rows: object[] = []
  let documentSeq = 0
  for (const [name, content] of files) {
    documentSeq++
    const blocks = await (name.endsWith('.md') ? blocksOfMarkdown : blocksOfText)(Buffer.from(content))
    for (const [position, passage] of cutIntoPassages(blocks).entries())
      rows.push({ documentSeq, position, place: placeOf(passage), text: passage.text, documentId: name, name })
  }
  const deps = {
    db: { read: async (statement: unknown) => (statement === passagesAfter ? rows : []) },
    ...{ instances: { subscribe: () => {} }, jobs: { define: () => ({}) } },
  } as unknown as AiKnowledgeDeps
  const knowledge = createAiKnowledge(deps)
  const asker = { instanceId: 'evaluation', accountId: 'evaluation' as AccountId, provider: 'builtin' } as const
  return (question: string) => knowledge.search(asker, question)
}

const lettersAndDigits = (text: string): string => text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '')

/** Whether a model that is shown this passage, as much of it as a prompt takes, sees an answer. */
function holds(source: AnswerSource, { answers }: EvaluationPair): boolean {
  const shown = lettersAndDigits(knowledgeText([source]))
  return answers.some(({ document, text }) => document === source.id && shown.includes(lettersAndDigits(text)))
}

interface Figures {
  readonly questions: number
  /** Shares of the answerable questions that have an answer among the first passages. */
  readonly recallAt1: number
  readonly recallAt3: number
  readonly recallAt5: number
  /** Share of the returned passages that hold an answer. */
  readonly precision: number
  /** Mean of 1 / position of the first passage that holds an answer. */
  readonly reciprocalRank: number
  /** Passages per question. */
  readonly returned: number
  /** Shares of the answerable questions that the built-in agent answers. */
  readonly sentRight: number
  readonly sentWrong: number
  /** Shares of the unanswerable questions. */
  readonly nothingFound: number
  readonly nothingSent: number
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const answerable = outcomes.filter(({ pair }) => pair.answers.length > 0)
  const unanswerable = outcomes.filter(({ pair }) => pair.answers.length === 0)
  const passages = answerable.flatMap(({ holdsAnswer }) => holdsAnswer)
  const recallAt = (most: number) => share(answerable, ({ holdsAnswer }) => holdsAnswer.slice(0, most).includes(true))
  const ranks = answerable.map(({ holdsAnswer }) => holdsAnswer.indexOf(true) + 1)
  return {
    questions: outcomes.length,
    ...{ recallAt1: recallAt(1), recallAt3: recallAt(3), recallAt5: recallAt(5) },
    precision: share(passages, (isRight) => isRight),
    reciprocalRank: ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length,
    returned: outcomes.reduce((sum, { holdsAnswer }) => sum + holdsAnswer.length, 0) / outcomes.length,
    sentRight: share(answerable, ({ isSure, holdsAnswer }) => isSure && holdsAnswer[0] === true),
    sentWrong: share(answerable, ({ isSure, holdsAnswer }) => isSure && holdsAnswer[0] === false),
    nothingFound: share(unanswerable, ({ holdsAnswer }) => holdsAnswer.length === 0),
    nothingSent: share(unanswerable, ({ isSure }) => !isSure),
  }
}

/** NaN of nothing. */
const share = <T>(all: readonly T[], isCounted: (one: T) => boolean): number =>
  all.filter(isCounted).length / all.length

/** Rows of a table for people, in Markdown. */
export function tableOf(rows: readonly (readonly [string, readonly Outcome[]])[]): string {
  const percent = (value: number) => (Number.isNaN(value) ? '–' : (100 * value).toFixed(1))
  const lines = rows.map(([name, outcomes]) => {
    const { questions, reciprocalRank, returned, ...shares } = figuresOf(outcomes)
    const { recallAt1, recallAt3, recallAt5, precision, sentRight, sentWrong, nothingFound, nothingSent } = shares
    const cells = [
      ...[name, String(questions), ...[recallAt1, recallAt3, recallAt5, precision].map(percent)],
      ...[Number.isNaN(reciprocalRank) ? '–' : reciprocalRank.toFixed(3), returned.toFixed(1)],
      ...[sentRight, sentWrong, nothingFound, nothingSent].map(percent),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [HEADER, HEADER.replace(/[^|]+/g, ' --- '), ...lines].join('\n')
}

const HEADER =
  '| Questions | Number | Recall@1 | Recall@3 | Recall@5 | Precision | MRR | Passages | Sent right | Sent wrong | Nothing found | Nothing sent |'
