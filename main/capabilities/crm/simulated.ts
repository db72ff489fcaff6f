import { ApiError } from '../../contract/errors.ts'
import type {
  GhlContact,
  GhlContactBody,
  GhlConversation,
  GhlFault,
  GhlMessage,
  GhlMessageBody,
} from '../../contract/sandbox-ghl.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { listPage } from '../../kernel/list-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { GhlSimulator } from '../../simulators/ghl/index.ts'

interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

/** Actions on the simulated GoHighLevel of one account. */
export function createSimulated({
  simulator,
  cursors,
}: {
  readonly simulator: GhlSimulator
  readonly cursors: Cursors
}) {
  const getConversation = async (accountId: AccountId, id: string) => {
    const found = await simulator.conversation(accountId, id)
    if (found === undefined) throw new ApiError('not_found', 'There is no conversation with this id.')
    return found
  }
  const contactOf = async (accountId: AccountId, id: string) => {
    const found = await simulator.contact(accountId, id)
    if (found === undefined) throw new ApiError('not_found', 'There is no contact with this id.')
    return found
  }

  /** @param read rows in their order, each with its position in the list. */
  const pageOf = <T>(
    list: string,
    query: PageQuery,
    read: (
      after: readonly number[] | null,
      rows: number,
    ) => Promise<readonly { readonly record: T; readonly at: readonly number[] }[]>,
  ): Promise<Page<T>> =>
    listPage(cursors, list, query, {
      read: ({ after, rows }) => read(after?.map(Number) ?? null, rows),
      at: ({ at }) => at,
      show: (found) => found.map(({ record }) => record),
    })

  return {
    getConversation,
    contactOf,
    conversations: (
      accountId: AccountId,
      { phone, ...query }: PageQuery & { phone?: string },
    ): Promise<Page<GhlConversation>> =>
      pageOf(`ghl-conversations:${accountId}:${phone ?? ''}`, query, async (after, rows) => {
        const [message = 0, seq = 0] = after ?? []
        // A sandbox has few enough messages to search them all.
        const from = after === null ? null : { message, seq }
        const found = await simulator.conversations(accountId, from, phone === undefined ? rows : SEARCHED)
        const matching = found.filter(({ record }) => phone === undefined || record.phone?.endsWith(phone) === true)
        return matching.slice(0, rows).map(({ record, ...at }) => ({ record, at: [at.message, at.seq] }))
      }),
    async messages(accountId: AccountId, id: string, query: PageQuery): Promise<Page<GhlMessage>> {
      const contact = await getConversation(accountId, id)
      return pageOf(`ghl-messages:${contact.conversationId}`, query, async (after, rows) => {
        const [dateMs = 0, seq = 0] = after ?? []
        const found = await simulator.messages(contact, after === null ? null : { dateMs, seq }, rows)
        return found.map(({ record, ...at }) => ({ record, at: [at.dateMs, at.seq] }))
      })
    },
    async write(
      accountId: AccountId,
      id: string,
      { text = '', attachments = [] }: GhlMessageBody,
    ): Promise<GhlMessage> {
      return simulator.write(await getConversation(accountId, id), text, attachments)
    },
    async addContact(
      accountId: AccountId,
      { phone, email, name, location_id: locationId }: GhlContactBody,
    ): Promise<{ readonly contact: GhlContact; readonly isNew: boolean }> {
      const added = await simulator.addContact(accountId, {
        ...(phone !== undefined && { phone }),
        ...(email !== undefined && { email }),
        ...(name !== undefined && { name }),
        ...(locationId !== undefined && { locationId }),
      })
      if (added === undefined) throw new ApiError('not_found', 'No location of this account has the id in location_id.')
      return added
    },
    async setDnd(accountId: AccountId, id: string, dnd: boolean | undefined): Promise<GhlContact> {
      const contact = await contactOf(accountId, id)
      return simulator.setDnd(contact.id, dnd ?? contact.dnd === 1)
    },
    fail: (accountId: AccountId, kind: GhlFault, times: number): void => simulator.fail(accountId, kind, times),
  }
}

const SEARCHED = 5_000
