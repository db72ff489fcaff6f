import type { NewRecipient } from '../../contract/campaign-recipient.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { CampaignsDeps } from './deps.ts'
import { readRecipients, type RecipientList } from './recipients.ts'

export interface ListReader {
  /** The recipients in a request body, given one by one and by tag. */
  read(accountId: AccountId, body: Wish): Promise<RecipientList>
}

interface Wish {
  readonly recipients?: readonly NewRecipient[] | undefined
  readonly recipients_tag?: string | undefined
  readonly country?: string | undefined
}

export function createListReader({ contacts, optOuts }: Pick<CampaignsDeps, 'contacts' | 'optOuts'>): ListReader {
  return {
    async read(accountId, { recipients = [], recipients_tag: tag, country }) {
      const people: NewRecipient[] = [...recipients]
      const known = new Set<string>()
      if (tag !== undefined)
        for await (const person of contacts.withTag(accountId, tag)) {
          people.push(person)
          known.add(person.phone)
        }
      const assumed = country ?? (await optOuts.country(accountId))
      return readRecipients(people, { country: assumed, known })
    },
  }
}
