import { ApiError } from '../../contract/errors.ts'
import { USER_ID } from '../../contract/addresses.ts'
import { dialledNumber } from '../../kernel/phone-number.ts'
import { blockError } from '../block-errors.ts'
import type { DirectActs } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { failedUserIn, WORDS_OF_OTHER_PORTFOLIO } from './errors.ts'
import type { GraphClient } from './graph-client.ts'
import { digitsOf, recordAt, recordsAt, textAt, type Json } from './json.ts'
import type { ConnectedNumber } from './numbers.ts'
import type { People } from './people.ts'
import type { GraphCredentials, NotOk } from './transport.ts'

interface BlocksDeps {
  readonly client: Pick<GraphClient, 'ask'>
  readonly connected: (instance: EngineInstance) => { number: ConnectedNumber; speaker: GraphCredentials }
  readonly people: Pick<People, 'nameOf' | 'writableName'>
  readonly refusal: (reply: NotOk) => Error
}

const IS_USER_ID = new RegExp(`^${USER_ID}$`)

/** The block list of a number at Meta ("Block users"). */
export function createBlocks({
  client,
  connected,
  people,
  refusal,
}: BlocksDeps): Pick<DirectActs, 'block' | 'blocked'> {
  return {
    async block(instance, named, isBlocked) {
      const { number, speaker } = connected(instance)
      const person = await people.writableName(instance.id, named)
      if (person === null) throw new ApiError('invalid_state', WORDS_OF_OTHER_PORTFOLIO).because('other_portfolio')
      const user = IS_USER_ID.test(person) ? { user_id: person } : { user: dialledNumber(person) }
      const list = { messaging_product: 'whatsapp', block_users: [user] }
      const reply = await client.ask({
        ...{ method: isBlocked ? 'POST' : 'DELETE', path: `${number.phoneNumberId}/block_users` },
        ...{ token: speaker.accessToken, accountId: speaker.accountId, version: speaker.version },
        body: { type: 'application/json', bytes: Buffer.from(JSON.stringify(list)) },
      })
      // Meta may answer without an error although it skipped a person.
      const fault = reply.kind === 'ok' ? failedUserIn(reply.body) : reply.kind === 'error' ? reply.error : undefined
      if (fault !== undefined) throw blockError(fault.code, fault.details)
      if (reply.kind !== 'ok') throw refusal(reply)
    },

    async blocked(instance, { limit, after }) {
      const { number, speaker } = connected(instance)
      const reply = await client.ask({
        ...{ method: 'GET', path: `${number.phoneNumberId}/block_users` },
        query: { limit: String(limit), ...(after !== null && { after }) },
        ...{ token: speaker.accessToken, accountId: speaker.accountId, version: speaker.version },
      })
      if (reply.kind !== 'ok') throw refusal(reply)
      const found = recordsAt(reply.body, 'data').map(personIn)
      const named = found.filter(({ number: digits, userId }) => digits !== null || userId !== null)
      const names = await Promise.all(named.map((person) => people.nameOf(instance.id, person)))
      return { people: [...new Set(names)], after: nextIn(reply.body) }
    },
  }
}

function personIn(entry: Json) {
  const digits = digitsOf(textAt(entry, 'wa_id') ?? '')
  return { number: digits === '' ? null : digits, userId: textAt(entry, 'user_id') }
}

/** Meta sends a cursor even on the last page; only `next` shows that another page exists. */
function nextIn(body: Json): string | null {
  const paging = recordAt(body, 'paging')
  return textAt(paging, 'next') === null ? null : textAt(recordAt(paging, 'cursors'), 'after')
}
