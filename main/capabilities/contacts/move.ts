import type { Clock } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { noteHiddenName } from './identities.ts'
import { reverse } from './name-terms.ts'
import { contactOf, setNumber, setPhone } from './store.ts'
import { unite } from './unite.ts'

interface MoveDeps {
  readonly clock: Pick<Clock, 'now'>
  /** Called after a commit that moved a contact. */
  readonly onMoved: (accountId: AccountId) => void
}

/** Adds the other name to the contact, or merges it with the contact that already has that name. */
export function createMove({ clock, onMoved }: MoveDeps): MovePerson {
  return async (tx, { accountId, from, to, isNewNumber }) => {
    const number = personKey(to)
    if (personKey(from) === number) return
    const moved = await tx.one(contactOf, { accountId, number: personKey(from) })
    const known = await tx.one(contactOf, { accountId, number })
    const contact =
      moved === undefined || known === undefined ? (moved ?? known) : await unite(tx, accountId, known, moved)
    if (contact === undefined) return
    const { seq } = contact
    if (moved !== undefined) {
      await tx.run(setNumber, { seq, number, reversed: reverse(number) })
      await tx.run(setPhone, { seq, phone: known?.phone ?? to, now: clock.now() })
    }
    if (!isNewNumber) await noteHiddenName(tx, accountId, seq, from)
    tx.afterCommit(() => onMoved(accountId))
  }
}
