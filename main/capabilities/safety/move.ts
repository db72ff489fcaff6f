import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { moveClaims } from './store.ts'

/** Sends that were granted under the other name. Who is known is read from messages, which move by themselves. */
export const movePerson: MovePerson = async (tx, { instanceId, from, to }) => {
  await tx.run(moveClaims, { instanceId, from: personKey(from), to: personKey(to) })
}
