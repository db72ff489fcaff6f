import type { Reply } from '../../app/operation-types.ts'
import type { PeopleTable } from '../campaigns/people-file.ts'
import { digitsOf } from '../messages/number.ts'

export type SkippedNumber = Reply<'scheduleVoiceCallBatch'>['skipped'][number]

/** What a list holds. */
export interface NumberList {
  /** As they were written, each once. */
  readonly numbers: readonly string[]
  /** What is not sent, for the same reasons for which the service skips numbers. */
  readonly skipped: readonly SkippedNumber[]
}

/** The numbers of a column, in the order of the file. */
export function readNumbers({ rows }: PeopleTable, column: number): NumberList {
  const known = new Set<string>()
  const numbers: string[] = []
  const skipped: SkippedNumber[] = []
  for (const { cells } of rows) {
    const written = cells[column] ?? ''
    if (written === '') continue
    const digits = digitsOf(written)
    if (digits === undefined) skipped.push({ to_number: written, reason: 'invalid_number' })
    else if (known.has(digits)) skipped.push({ to_number: written, reason: 'duplicate' })
    else {
      known.add(digits)
      numbers.push(written)
    }
  }
  return { numbers, skipped }
}
