import { createHash } from 'node:crypto'
import type { BillingFault } from '../../contract/billing-words.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Random } from '../../kernel/ids.ts'
import type { SimulatedAnswer, SimulatedRequest } from '../listener.ts'
import type { StripeCallbacks } from './callbacks.ts'
import { expand } from './expand.ts'
import { CardFault, StripeFault, type StripeErrorBody } from './faults.ts'
import { parseForm, Reader } from './form.ts'
import { findRoute } from './routes.ts'
import { answerOfKey, keepAnswer } from './sql.ts'
import type { StripeStore, Unit } from './store.ts'
import type { FaultSwitches } from './switches.ts'
import { API_VERSION, createWork, randomText, type Work } from './unit.ts'

export interface ApiDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly store: StripeStore
  readonly switches: FaultSwitches
  readonly callbacks: StripeCallbacks
  readonly shown: (text: string) => string
}

const DAY_MS = 86_400_000
/** Longer than the adapter waits. */
const SLOW_MS = 60_000

interface Outcome {
  readonly status: number
  readonly text: string
  readonly isReplayed?: boolean
}

export interface StripeApi {
  answer(request: SimulatedRequest): Promise<SimulatedAnswer>
  /** Runs a change without a request: from the pages or the clock. Stores all of it or nothing. */
  act<T>(account: string, work: (work: Work) => T): Promise<T>
  /** Like `act`, without storing anything. */
  look<T>(account: string, work: (work: Work) => T): T
}

/** The account of a key. Every test key has its own account; other keys are refused. */
export const accountOfKey = (key: string) => `acct_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`

export function createStripeApi({ db, clock, random, store, switches, callbacks, shown }: ApiDeps): StripeApi {
  const busy = new Set<string>()
  let turn: Promise<unknown> = Promise.resolve()

  /** One request at a time: each sees all changes of the previous ones. */
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = turn.then(act, act)
    turn = mine.catch(() => {})
    return mine
  }

  async function commit(unit: Unit, work: Work, more?: Parameters<Unit['commit']>[0]): Promise<void> {
    const endpoints = unit.list('webhook_endpoint')
    await unit.commit(async (tx) => {
      for (const event of work.told) await callbacks.add(tx, unit.account, endpoints, event)
      await more?.(tx)
    })
  }

  async function run(request: SimulatedRequest, account: string, requestId: string): Promise<Outcome> {
    const key = request.method === 'POST' ? headerOf(request, 'idempotency-key') : undefined
    const encoded =
      request.method === 'GET' || request.method === 'DELETE'
        ? request.query.toString() + '&' + request.body.toString()
        : request.body.toString()
    const fingerprint = createHash('sha256')
      .update(`${request.path.join('/')}\n${encoded}`)
      .digest('hex')
    if (key === undefined) return (await execute(request, account, { encoded, requestId })).outcome
    const kept = await db.readOne(answerOfKey, { account, key, after: clock.now() - DAY_MS })
    if (kept !== undefined) {
      if (kept.fingerprint === fingerprint) return { status: kept.status, text: kept.body, isReplayed: true }
      throw new StripeFault(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      })
    }
    return (await execute(request, account, { encoded, requestId, key, fingerprint })).outcome
  }

  async function execute(
    request: SimulatedRequest,
    account: string,
    given: { encoded: string; requestId: string; key?: string; fingerprint?: string },
  ): Promise<{ outcome: Outcome }> {
    const { encoded, requestId, key, fingerprint } = given
    const unit = store.begin(account)
    const params = new Reader(parseForm(encoded))
    const { route, ids } = findRoute(request.method, request.path.slice(1))
    const work = createWork({ clock, random }, unit, { requestId, idempotencyKey: key ?? null })
    const keep = (outcome: Outcome, isKept: boolean) =>
      isKept && key !== undefined && fingerprint !== undefined
        ? commit(unit, work, (tx) =>
            tx
              .run(keepAnswer, {
                account,
                key,
                fingerprint,
                status: outcome.status,
                body: outcome.text,
                now: clock.now(),
              })
              .then(() => {}),
          )
        : commit(unit, work)
    try {
      const answer = route.act({ work, params, ids, url: `/${request.path.join('/')}` })
      const body = expand(unit, answer, params.texts('expand'))
      const outcome = { status: 200, text: JSON.stringify(body) }
      if (route.isDry !== true) await keep(outcome, true)
      return { outcome }
    } catch (error) {
      if (!(error instanceof CardFault)) throw error
      const outcome = { status: error.status, text: JSON.stringify(errorOf(error.body, requestId)) }
      // A declined card is stored as the result of its idempotency key.
      if (error.keeps) await keep(outcome, true)
      else await keepAlone(account, outcome, given)
      return { outcome }
    }
  }

  async function keepAlone(
    account: string,
    { status, text: body }: Outcome,
    { key, fingerprint }: { key?: string; fingerprint?: string },
  ): Promise<void> {
    if (key === undefined || fingerprint === undefined) return
    await db.commit((tx) => tx.run(keepAnswer, { account, key, fingerprint, status, body, now: clock.now() }))
  }

  async function answerOf(request: SimulatedRequest, account: string, requestId: string): Promise<Outcome> {
    const key = headerOf(request, 'idempotency-key')
    const lock = `${account} ${key ?? requestId}`
    if (busy.has(lock)) {
      const message = `There is currently another in-progress request using this Stripe-Idempotency-Key (that probably means you submitted twice, and the other request is still going through). Please try again later.`
      const body = { type: 'idempotency_error', code: 'idempotency_key_in_use', message } as const
      return { status: 409, text: JSON.stringify(errorOf(body, requestId)) }
    }
    busy.add(lock)
    try {
      return await inTurn(() => run(request, account, requestId))
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error
      return { status: error.status, text: JSON.stringify(errorOf(error.body, requestId)) }
    } finally {
      busy.delete(lock)
    }
  }

  return {
    async answer(request) {
      const requestId = `req_${randomText(random, 14)}`
      const key = keyOf(request)
      if (key === undefined) {
        const message =
          'Invalid API Key provided. The simulator takes keys that begin with sk_test_ or rk_test_; no money moves here.'
        return answer(401, JSON.stringify(errorOf({ type: 'invalid_request_error', message }, requestId)), requestId)
      }
      const account = accountOfKey(key)
      const customer = customerOf(request, store.begin(account))
      const changes = request.method === 'POST' && !isDry(request)
      const strikes = (kind: BillingFault) => changes && switches.strikes(customer, kind)
      if (strikes('close_before_read')) return 'reset'
      if (strikes('server_error')) {
        const message = 'An unknown error occurred'
        return answer(500, JSON.stringify(errorOf({ type: 'api_error', message }, requestId)), requestId)
      }
      const outcome = await answerOf(request, account, requestId)
      if (strikes('close_after_read')) return 'reset'
      if (strikes('slow')) await clock.sleep(SLOW_MS)
      return answer(outcome.status, shown(outcome.text), requestId, outcome.isReplayed)
    },

    act: (account, act) =>
      inTurn(async () => {
        const unit = store.begin(account)
        const work = createWork({ clock, random }, unit)
        const result = act(work)
        await commit(unit, work)
        return result
      }),
    look: (account, act) => act(createWork({ clock, random }, store.begin(account))),
  }
}

function answer(status: number, text: string, requestId: string, isReplayed = false): SimulatedAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'request-id': requestId,
      'stripe-version': API_VERSION,
      ...(isReplayed && { 'idempotent-replayed': 'true' }),
    },
    body: text,
  }
}

const errorOf = (body: StripeErrorBody, requestId: string) => ({
  error: { ...body, request_log_url: `https://dashboard.stripe.com/test/logs/${requestId}` },
})

function headerOf({ headers }: SimulatedRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Bearer, or the user name of Basic authentication; Stripe accepts both. */
function keyOf(request: SimulatedRequest): string | undefined {
  const [scheme, given = ''] = (headerOf(request, 'authorization') ?? '').split(' ')
  const key = scheme === 'Basic' ? Buffer.from(given, 'base64').toString().split(':')[0] : given
  return key !== undefined && /^(sk|rk)_test_\w+$/.test(key) ? key : undefined
}

/** Faults affect only requests that change something, not previews. */
const isDry = ({ path }: SimulatedRequest) => path.at(-1) === 'create_preview'

/** The customer of a request, for its faults. */
function customerOf(request: SimulatedRequest, unit: Unit): string | null {
  const named = new URLSearchParams(request.body.toString()).get('customer') ?? request.query.get('customer')
  if (named !== null) return named
  for (const part of request.path) {
    if (part.startsWith('cus_')) return part
    const object = unit.any(part) as { customer?: unknown } | undefined
    if (typeof object?.customer === 'string') return object.customer
  }
  return null
}
