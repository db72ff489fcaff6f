import { USER_ID } from '../../contract/addresses.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { ContactBook } from '../contact-book.ts'
import { meaningOf } from './errors.ts'
import { callerOf } from './graph-caller.ts'
import type { GraphClient, GraphReply } from './graph-client.ts'
import { afterContactBookRefusal } from './notices.ts'
import { hasCredentials, type Numbers, type OfficialNumber } from './numbers.ts'
import { numberOfUser, userIdRow } from './store.ts'

interface ContactBookDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly client: Pick<GraphClient, 'ask'>
  readonly numbers: Numbers
}

const usersOf = sql<{ instanceId: InstanceId; number: string }, { userId: string }>(
  'SELECT user_id AS userId FROM official_contacts WHERE instance_id = :instanceId AND number = :number',
)

/** Meta does not accept parent ids, which identify a person across several portfolios ("Business-scoped user IDs"). */
const IS_USER_ID = new RegExp(`^${USER_ID}$`)
const isAccepted = (userId: string) => IS_USER_ID.test(userId) && !userId.includes('.ENT.')

/** Meta's contact book: phone numbers of people, which Meta sends together with their ids. */
export function createContactBook({ db, clock, client, numbers }: ContactBookDeps): ContactBook {
  return {
    /** Ids are the same for all numbers of a portfolio, and the contact book is shared too. */
    async entriesOf(tx, accountId, addresses) {
      const mine = numbers.all().filter((number) => number.accountId === accountId && hasCredentials(number))
      const portfolios = [
        ...Map.groupBy(mine, ({ instanceId }) => numbers.portfolioOf(instanceId)?.key ?? instanceId).values(),
      ]
      const known = await Promise.all(portfolios.map((together) => knownIn(tx, together, addresses)))
      const somewhere = new Set(known.flatMap((userIds) => [...userIds]))
      // The portfolio of these ids is unknown. Deleting at too many portfolios is better than missing one.
      const unplaced = addresses.filter((address) => isAccepted(address) && !somewhere.has(address))
      return portfolios.flatMap((together, index) =>
        together.flatMap(({ instanceId }) =>
          [...(known[index] ?? []), ...unplaced].map((userId) => ({ instanceId, userId })),
        ),
      )
    },

    async forget({ id }, userId) {
      await numbers.load()
      const number = numbers.of(id)
      if (!hasCredentials(number)) return 'gone'
      const caller = callerOf(number)
      if (caller === undefined) throw new Error('the access token cannot be read')
      const reply = await client.ask({
        ...{ method: 'DELETE', path: `${number.phoneNumberId}/contact_book` },
        query: { messaging_product: 'whatsapp', bsuid: userId },
        ...{ token: caller.accessToken, accountId: caller.accountId, version: caller.version },
      })
      if (reply.kind === 'ok') return 'deleted'
      if (reply.kind !== 'error') throw new Error(`Meta did not answer (${reply.code})`)
      if (!isFinal(reply)) throw new Error(`Meta did not delete it (${reply.error.code})`)
      const { code, details } = reply.error
      await db.commit((tx) =>
        numbers.note(tx, id, (facts) => afterContactBookRefusal(facts, { code, details }, clock.now())),
      )
      return 'refused'
    },
  }
}

/** The ids under which these numbers of one portfolio know the person. Ids differ between portfolios. */
async function knownIn(
  tx: Pick<Tx, 'all'>,
  together: readonly Pick<OfficialNumber, 'instanceId'>[],
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { instanceId } of together)
    for (const address of addresses) {
      for (const { userId } of await tx.all(usersOf, { instanceId, number: address })) found.add(userId)
      const own = [
        ...(await tx.all(numberOfUser, { instanceId, userId: address })),
        ...(await tx.all(userIdRow, { instanceId, userId: address })),
      ]
      if (own.length > 0) found.add(address)
    }
  return new Set([...found].filter(isAccepted))
}

/** Meta rejects the request itself, so repeating it cannot help. The number, the token and the time do not matter. */
function isFinal({ error, status }: Extract<GraphReply, { kind: 'error' }>): boolean {
  const kind = meaningOf(error)?.kind
  return kind === 'invalid' || kind === 'refused' || (kind === undefined && status >= 400 && status < 500)
}
