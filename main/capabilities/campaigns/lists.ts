import type { NewRecipient } from '../../contract/campaign.ts'
import type { Network } from '../../contract/shapes.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { CampaignsDeps } from './deps.ts'
import { readRecipients, type RecipientList } from './recipients.ts'

export interface ListReader {
  /** The recipients that a body names, one by one and by tag. */
  read(accountId: AccountId, network: Network, body: Wish): Promise<RecipientList>
}

interface Wish {
  readonly recipients?: readonly NewRecipient[] | undefined
  readonly recipients_tag?: string | undefined
  readonly country?: string | undefined
}

export function createListReader({ contacts, optOuts }: Pick<CampaignsDeps, 'contacts' | 'optOuts'>): ListReader {
  return {
    async read(accountId, network, { recipients = [], recipients_tag: tag, country }) {
      const people: NewRecipient[] = [...recipients]
      if (tag !== undefined) for await (const person of contacts.withTag(accountId, tag)) people.push(person)
      const assumed = country ?? (await optOuts.country(accountId))
      return readRecipients(people, { network, country: assumed })
    },
  }
}
