import { ApiError } from '../../contract/errors.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { EngineInstance } from '../engine.ts'
import { usernameError } from '../username-errors.ts'
import type { BusinessUsername, Usernames } from '../usernames.ts'
import type { GraphCall, GraphClient } from './graph-client.ts'
import { recordsAt, textAt, type Json } from './json.ts'
import type { ConnectedNumber } from './numbers.ts'
import type { GraphCredentials, NotOk } from './transport.ts'

interface UsernamesDeps {
  readonly client: Pick<GraphClient, 'ask'>
  readonly connected: (instance: EngineInstance) => { number: ConnectedNumber; speaker: GraphCredentials }
  readonly refusal: (reply: NotOk) => Error
  /** Whether numbers of other accounts are in the portfolio of the number. */
  readonly sharesPortfolio: (id: InstanceId) => boolean
  /** Called before Meta is asked to release it, so that Meta's callback needs no notice. */
  readonly noteReleased: (id: InstanceId, username: string) => Promise<void>
}

const MOST_SUGGESTIONS = 20

/** The username of a business number at Meta ("Business usernames"). */
export function createUsernames({
  client,
  connected,
  refusal,
  sharesPortfolio,
  noteReleased,
}: UsernamesDeps): Usernames {
  async function ask(instance: EngineInstance, method: GraphCall['method'], edge: string, body?: object) {
    const { number, speaker } = connected(instance)
    const reply = await client.ask({
      ...{ method, path: `${number.phoneNumberId}/${edge}` },
      ...{ token: speaker.accessToken, accountId: speaker.accountId, version: speaker.version },
      ...(body && { body: { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) } }),
    })
    if (reply.kind === 'ok') return reply.body
    throw (reply.kind === 'error' && usernameError(reply.error.code)) || refusal(reply)
  }

  const read: Usernames['read'] = async (instance) => toUsername(await ask(instance, 'GET', 'username'))

  return {
    read,
    async suggestions(instance) {
      const body = await ask(instance, 'GET', 'username_suggestions')
      const found = recordsAt(body, 'data').flatMap((entry): unknown => entry['username_suggestions'])
      return found.filter((name): name is string => typeof name === 'string').slice(0, MOST_SUGGESTIONS)
    },
    async claim(instance, username, isMoved) {
      if (isMoved && sharesPortfolio(instance.id)) throw portfolioIsShared()
      const before = await read(instance)
      if (before !== null && before.username !== username) await noteReleased(instance.id, before.username)
      const transfer = isMoved ? { transfer_action: 'force_transfer' } : {}
      await ask(instance, 'POST', 'username', { username, ...transfer })
      const claimed = await read(instance)
      return claimed?.username.toLowerCase() === username ? claimed : { username, status: 'reserved' }
    },
    async release(instance) {
      const before = await read(instance)
      if (before === null) return
      await noteReleased(instance.id, before.username)
      await ask(instance, 'DELETE', 'username')
    },
  }
}

/** Meta does not say which number loses the username, so it could belong to another account. */
const portfolioIsShared = () =>
  new ApiError(
    'invalid_state',
    'Numbers of other accounts are in the same portfolio, so nothing was moved. Move the username in WhatsApp Manager.',
  ).because('username_portfolio_shared')

/** Meta omits `username` if there is none. */
function toUsername(body: Json): BusinessUsername | null {
  const username = textAt(body, 'username')
  const status = textAt(body, 'status')
  if (username === null || status === 'deleted') return null
  return { username, status: status === 'approved' ? 'approved' : 'reserved' }
}
