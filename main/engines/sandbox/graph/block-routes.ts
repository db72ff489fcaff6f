import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { SandboxNetwork } from '../network.ts'
import { graphIdentity, parseUserId } from '../user-ids.ts'
import { GraphFault, ok, parameterFault, type GraphAnswer } from './answers.ts'
import type { GraphRequest } from './request.ts'
import type { GraphNumber } from './store.ts'
import { asRecord } from './validation.ts'
import { waIdOf } from './wa-id.ts'

interface BlockRouteDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly network: Pick<SandboxNetwork, 'blocks' | 'lastWroteAtMs'>
}

type Json = Readonly<Record<string, unknown>>

interface Failure {
  readonly code: number
  readonly message: string
  readonly details: string
}

const MOST_AT_ONCE = 1_000
const WINDOW_MS = 24 * 60 * 60_000
const DEFAULT_PAGE = 25
const SELF: Failure = { code: 131_021, message: 'Self block', details: 'Failed to block self phone number' }
const NOT_RECENT: Failure = {
  code: 131_047,
  message: 'Re-engagement required',
  details: 'The user has not messaged this number in the last 24 hours, or is not on WhatsApp.',
}

/** `/{phone-number-id}/block_users`, from Meta's documentation, "Block users". */
export function createBlockRoutes({ db, clock, network }: BlockRouteDeps) {
  async function failureOf(number: GraphNumber, digits: string | undefined): Promise<Failure | null> {
    if (digits === number.number) return SELF
    if (digits === undefined) return NOT_RECENT
    const wroteAtMs = await network.lastWroteAtMs(number.accountId, number.number, digits)
    return wroteAtMs === null || clock.now() - wroteAtMs > WINDOW_MS ? NOT_RECENT : null
  }

  async function change(number: GraphNumber, users: readonly Json[], isBlocked: boolean): Promise<GraphAnswer> {
    const added: object[] = []
    const failed: object[] = []
    for (const user of users) {
      const named = user['user'] ?? user['user_id']
      const input = typeof named === 'string' ? named : ''
      const digits = parseUserId(input.replace(/^\+/, ''), number.userScope)
      const failure = isBlocked ? await failureOf(number, digits) : null
      const identity = { input, ...(digits !== undefined && identityOf(number, digits)) }
      if (failure !== null) failed.push({ ...identity, errors: [errorOf(failure)] })
      else if (digits !== undefined) {
        await db.commit((tx) => network.blocks.set(tx, number.accountId, number.number, digits, isBlocked))
        added.push(identity)
      }
    }
    const list = {
      [isBlocked ? 'added_users' : 'removed_users']: added,
      ...(failed.length > 0 && { failed_users: failed }),
    }
    const body = { messaging_product: 'whatsapp', block_users: list }
    return failed.length === 0 ? ok(body) : { status: 400, body: { ...body, error: FAILED } }
  }

  async function list(number: GraphNumber, query: URLSearchParams): Promise<GraphAnswer> {
    const limit = Number(query.get('limit') ?? DEFAULT_PAGE)
    const from = query.get('after')
    const { people, after } = await network.blocks.list(number.accountId, number.number, {
      limit,
      after: from === null ? null : Buffer.from(from, 'base64url').toString(),
    })
    const cursor = Buffer.from(people.at(-1) ?? '').toString('base64url')
    return ok({
      data: people.map((digits) => ({ messaging_product: 'whatsapp', ...identityOf(number, digits) })),
      ...(people.length > 0 && {
        paging: {
          cursors: { after: cursor, before: '' },
          ...(after !== null && { next: 'https://graph.facebook.com/' }),
        },
      }),
    })
  }

  return async (
    number: GraphNumber,
    request: GraphRequest,
    jsonOf: (request: GraphRequest) => Json,
  ): Promise<GraphAnswer> => {
    if (request.method === 'GET') return list(number, request.query)
    const { messaging_product: product, block_users: users } = jsonOf(request)
    if (product !== 'whatsapp') throw parameterFault('messaging_product is required.')
    if (!Array.isArray(users) || users.length === 0) throw parameterFault('block_users must be a list of users.')
    if (users.length > MOST_AT_ONCE) throw new GraphFault(400, 130_429, '(#130429) Rate limit hit', 'Too many users.')
    return change(
      number,
      users.map((user) => asRecord(user) ?? {}),
      request.method === 'POST',
    )
  }
}

function identityOf({ userScope }: GraphNumber, digits: string): object {
  const { number, userId } = graphIdentity(digits, userScope)
  return { ...(number !== null && { wa_id: waIdOf(number) }), user_id: userId }
}

const errorOf = ({ code, message, details }: Failure) => ({ message, code, error_data: { details } })

const FAILED = {
  message: '(#139100) Failed to block/unblock users',
  type: 'OAuthException',
  code: 139_100,
  error_data: { details: 'Failed to block some users, see the block_users response list for details' },
  fbtrace_id: 'sandbox',
}
