import type { Tx } from '../../kernel/db.ts'
import type { MovePerson, PersonMove } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { reachedUnder, setRecipientPhone, waitingUnder } from './recipient-store.ts'
import { giveKey } from './rekey.ts'

interface MoveDeps {
  readonly notify: (tx: Tx, campaign: { readonly id: string; readonly accountId: PersonMove['accountId'] }) => void
}

/** A campaign writes to a person once, under any of their names, and at their current number. */
export function createMove({ notify }: MoveDeps): MovePerson {
  return async (tx, { accountId, from, to }) => {
    const [before, canonical] = [personKey(from), personKey(to)]
    if (before === canonical) return
    // If the message was sent under one name, the recipient waiting under the other name does not get it again.
    for (const recipient of await tx.all(reachedUnder, { accountId, canonical: before })) {
      await giveKey(tx, recipient, canonical)
      notify(tx, { id: recipient.campaignId, accountId })
    }
    for (const { campaignId, position, ...recipient } of await tx.all(waitingUnder, { accountId, canonical: before })) {
      await tx.run(setRecipientPhone, { campaignId, position, phone: to })
      await giveKey(tx, { campaignId, position, ...recipient }, canonical)
      notify(tx, { id: campaignId, accountId })
    }
  }
}
