import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import { messageById } from './store.ts'

interface Keyed {
  readonly instanceId: string
  readonly key: string
  /** What holds the key. */
  readonly subjectId: string
}

/**
 * Whether a key is known, and its message is not. When a backup replaces a damaged database, the keys of sends come from
 * the file of facts, which holds no messages.
 */
export async function isRecordLost(
  db: Pick<Db, 'readOne'>,
  idempotency: Pick<Idempotency, 'holderOf'>,
  { instanceId, key, subjectId }: Keyed,
): Promise<boolean> {
  // Calls have keys of the same scope.
  if (!subjectId.startsWith('msg_')) return false
  if ((await db.readOne(messageById, { id: subjectId, instanceId })) !== undefined) return false
  // A send that failed meanwhile was removed, and its key is free.
  return (await idempotency.holderOf(db, instanceId, key)) === subjectId
}

export const recordLost = (): ApiError =>
  new ApiError(
    'invalid_state',
    'A message with this Idempotency-Key may have been sent, but its record was lost when a backup replaced a damaged database. ' +
      'Do not send it again with another key unless you know that it did not arrive.',
  ).because('outcome_unknown')
