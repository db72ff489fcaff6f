import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { moveClaims } from './store.ts'

/** Moves the granted sends. Whether somebody is a known contact is read from messages, which move separately. */
export const movePerson: MovePerson = async (tx, { instanceId, from, to }) => {
  await tx.run(moveClaims, { instanceId, from: personKey(from), to: personKey(to) })
}
