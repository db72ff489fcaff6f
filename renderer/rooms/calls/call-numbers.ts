import type { Reply } from '../../app/operation-types.ts'
import type { PeopleTable } from '../campaigns/people-file.ts'
import { digitsOf } from '../messages/number.ts'

export type SkippedNumber = Reply<'scheduleVoiceCallBatch'>['skipped'][number]

/** Contents of a list. */
export interface NumberList {
  /** As written, without duplicates. */
  readonly numbers: readonly string[]
  /** Numbers that are not sent, for the reasons for which the service would skip them. */
  readonly skipped: readonly SkippedNumber[]
}

/** The numbers in a column, in file order. */
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
