import { LIMITS } from '../../contract/limits.ts'
import type { FileBody } from '../../contract/operation.ts'
import { importCsv } from '../../kernel/csv-import.ts'
import type { Db } from '../../kernel/db.ts'
import type { Files } from '../../kernel/files.ts'
import { createImportTurns } from '../../kernel/import-turns.ts'
import type { FaqImport } from './contract.ts'
import type { Faq, Place } from './faq.ts'

interface ImportDeps {
  readonly db: Pick<Db, 'commit'>
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly faq: Pick<Faq, 'save'>
}

type Problem = FaqImport['problems'][number]
type Pair = { readonly line: number; readonly question: string; readonly answer: string }

const COLUMNS = [
  { field: 'question', names: ['question', 'pergunta', 'pregunta'], isRequired: true },
  { field: 'answer', names: ['answer', 'resposta', 'respuesta'], isRequired: true },
] as const
const BATCH = 100

/** Imports an FAQ from a CSV file. @throws ApiError validation_error */
export function createFaqImport({ db, files, faq }: ImportDeps) {
  const inTurn = createImportTurns()
  return async (place: Place, { stream, ended }: Pick<FileBody, 'stream' | 'ended'>): Promise<FaqImport> => {
    const count = { created: 0, updated: 0, unchanged: 0 }
    const { rows, invalid, problems } = await importCsv<'question' | 'answer', Pair, Problem>(files, {
      ...{ source: stream, columns: COLUMNS, batch: BATCH },
      read({ line, values: { question = '', answer = '' } }, refuse) {
        const reason = faultOf(question, answer)
        if (reason === undefined) return { line, question, answer }
        refuse({ line, reason })
        return undefined
      },
      async save(batch, refuse) {
        const entries = batch.map(({ question, answer }) => ({ question, answer }))
        const results = await inTurn(place.accountId, ended, () => db.commit((tx) => faq.save(tx, place, entries)))
        for (const [index, result] of results.entries()) {
          if (result === 'too_many') refuse({ line: batch[index]?.line ?? 0, reason: result })
          else count[result]++
        }
      },
    })
    return { rows, ...count, invalid, problems }
  }
}

function faultOf(question: string, answer: string): Problem['reason'] | undefined {
  if (question === '') return 'missing_question'
  if (answer === '') return 'missing_answer'
  if (question.length > LIMITS.aiQuestionLength) return 'question_too_long'
  return answer.length > LIMITS.aiAnswerLength ? 'answer_too_long' : undefined
}
