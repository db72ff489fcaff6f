import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { joinPeople } from './reached.ts'
import { portfolioOfNumber } from './reached-store.ts'
import { moveClaims } from './store.ts'

/**
 * Moves granted sends, and when the person was reached. Whether a person is a known contact is derived from messages,
 * which move separately.
 */
export const movePerson: MovePerson = async (tx, { instanceId, from, to }) => {
  const keys = { from: personKey(from), to: personKey(to) }
  if (keys.from === keys.to) return
  await tx.run(moveClaims, { instanceId, ...keys })
  const { portfolio = null } = (await tx.one(portfolioOfNumber, { instanceId })) ?? {}
  if (portfolio !== null) await joinPeople(tx, portfolio, keys.from, keys.to)
}
