import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FileBody } from '../../contract/operation.ts'
import { readCsv, type CsvRow } from '../../kernel/csv.ts'
import type { Db } from '../../kernel/db.ts'
import type { Files } from '../../kernel/files.ts'
import { createImportTurns } from '../../kernel/import-turns.ts'
import { fold } from '../../kernel/search/index.ts'
import type { FaqImport } from './contract.ts'
import type { Faq, Place } from './faq.ts'

interface ImportDeps {
  readonly db: Pick<Db, 'commit'>
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly faq: Pick<Faq, 'save'>
}

type Problem = FaqImport['problems'][number]
type Pair = { readonly line: number; readonly question: string; readonly answer: string }

const COLUMNS = {
  question: ['question', 'pergunta', 'pregunta'],
  answer: ['answer', 'resposta', 'respuesta'],
}
const BATCH = 100

/**
 * Imports an FAQ from a CSV file. The file is read only when all of it is there, and once without storing anything, so
 * that nothing is stored of one that is broken.
 * @throws ApiError validation_error
 */
export function createFaqImport({ db, files, faq }: ImportDeps) {
  const inTurn = createImportTurns()
  return async (place: Place, { stream, ended }: Pick<FileBody, 'stream' | 'ended'>): Promise<FaqImport> => {
    const file = await files.storeTemporarily(stream, LIMITS.importBytes)
    try {
      const first = await readCsv(file.parts())
      const at = placesIn(first.header)
      const check = first.portions[Symbol.asyncIterator]()
      while ((await check.next()).done !== true);
      const count = { rows: 0, created: 0, updated: 0, unchanged: 0, invalid: 0 }
      const problems: Problem[] = []
      const refuse = (problem: Problem) => {
        count.invalid++
        if (problems.length < LIMITS.importProblems) problems.push(problem)
      }
      const save = async (batch: readonly Pair[]) => {
        const entries = batch.map(({ question, answer }) => ({ question, answer }))
        const results = await inTurn(place.accountId, ended, () => db.commit((tx) => faq.save(tx, place, entries)))
        for (const [index, result] of results.entries()) {
          if (result === 'too_many') refuse({ line: batch[index]?.line ?? 0, reason: result })
          else count[result]++
        }
      }
      let batch: Pair[] = []
      for await (const rows of (await readCsv(file.parts())).portions) {
        for (const row of rows) {
          count.rows++
          const read = readRow(row, at)
          if ('reason' in read) refuse(read)
          else batch.push(read)
          if (batch.length < BATCH) continue
          await save(batch)
          batch = []
        }
      }
      if (batch.length > 0) await save(batch)
      return { ...count, problems }
    } finally {
      await file.remove()
    }
  }
}

function readRow({ line, cells }: CsvRow, at: { question: number; answer: number }): Pair | Problem {
  const [question, answer] = [(cells[at.question] ?? '').trim(), (cells[at.answer] ?? '').trim()]
  if (question === '') return { line, reason: 'missing_question' }
  if (answer === '') return { line, reason: 'missing_answer' }
  if (question.length > LIMITS.aiQuestionLength) return { line, reason: 'question_too_long' }
  if (answer.length > LIMITS.aiAnswerLength) return { line, reason: 'answer_too_long' }
  return { line, question, answer }
}

function placesIn(header: readonly string[]): { question: number; answer: number } {
  const find = (field: keyof typeof COLUMNS) => {
    const at = header.findIndex((name) => COLUMNS[field].includes(fold(name)))
    if (at >= 0) return at
    const there = header.slice(0, 20).map((name) => `“${name.slice(0, 40)}”`)
    throw new ApiError(
      'validation_error',
      `The file has no column ${field}. Its columns are ${there.join(', ')}. Nothing was imported.`,
    ).because('csv_column_missing', { column: field, columns: there.join(', ') })
  }
  return { question: find('question'), answer: find('answer') }
}
