import { createHmac } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import { CATCHER_NAME } from '../../contract/sandbox.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { SimulatedRequest, OutboundAnswer } from '../../outbound/outbound.ts'
import type { Secret } from '../../kernel/secret.ts'
import {
  addCatcher,
  addCaught,
  catcherNamed,
  caughtPage,
  emptyCatcher,
  pruneCaught,
  setReply,
  type Caught,
} from './catcher-store.ts'

/** Webhook destinations `https://catcher.sandbox/{name}` are answered inside the service. */
export const CATCHER_HOST = 'catcher.sandbox'

const NAME = new RegExp(CATCHER_NAME)

/** How a catcher answers what it receives. */
export interface Reply {
  readonly status: number
  readonly delayMs: number
  /** Never answers, so that the sender times out. */
  readonly hang: boolean
}

const USUAL_REPLY: Reply = { status: 200, delayMs: 0, hang: false }

export type { Caught } from './catcher-store.ts'

interface CatcherDeps {
  readonly db: Db
  readonly clock: Clock
  /** The secrets with which requests to this URL may be signed. */
  readonly signingSecrets: (accountId: AccountId, url: string) => Promise<readonly Secret[]>
}

export interface Catcher {
  /** Answers for `catcher.sandbox`. */
  readonly answer: (request: SimulatedRequest) => Promise<OutboundAnswer>
  reply(accountId: AccountId, name: string): Promise<Reply>
  setReply(accountId: AccountId, name: string, reply: Reply): Promise<void>
  /** Newest first. */
  list(accountId: AccountId, name: string, beforeSeq: number, limit: number): Promise<Caught[]>
  empty(accountId: AccountId, name: string): Promise<void>
}

/** Number of requests kept for each name; older ones are removed. */
const KEPT = 10_000
/** Requests are pruned after this many new ones. No commit removes more rows than this. */
const ROWS_PER_UNIT = 500

interface Known {
  readonly seq: number
  readonly reply: Reply
  /** Requests since this process last pruned. */
  sincePruned: number
}

/** Receives webhooks inside the service, so that an integrator can see them without a server. */
export function createCatcher({ db, clock, signingSecrets }: CatcherDeps): Catcher {
  /** Held in memory because each request needs its catcher's reply. Only this process changes catchers. */
  const known = new Map<string, Known>()

  /** Runs in the commit that stores the first request or the reply of a name. */
  async function ensure(tx: Tx, accountId: AccountId, name: string): Promise<Known> {
    const held = known.get(keyOf(accountId, name))
    if (held !== undefined) return held
    await tx.run(addCatcher, { seq: await tx.next('sandbox'), accountId, name })
    const row = await tx.one(catcherNamed, { accountId, name })
    if (row === undefined) throw new Error('A catcher that was just written is not there')
    const catcher = toKnown(row)
    tx.afterCommit(() => void known.set(keyOf(accountId, name), catcher))
    return catcher
  }

  async function find(accountId: AccountId, name: string): Promise<Known | undefined> {
    const held = known.get(keyOf(accountId, name))
    if (held !== undefined) return held
    const row = await db.readOne(catcherNamed, { accountId, name })
    return row && toKnown(row)
  }

  /** @returns how the catcher answers, once the request is durable. */
  async function keep(accountId: AccountId, name: string, request: SimulatedRequest): Promise<Reply> {
    const receivedAt = clock.now()
    const signature = judge(request, await signingSecrets(accountId, request.url.href), receivedAt)
    const headers = JSON.stringify(Object.fromEntries(lowerCased(request.headers)))
    const body = request.body.toString('utf8')
    const catcher = await db.commit(async (tx) => {
      const mine = await ensure(tx, accountId, name)
      await tx.run(addCaught, {
        seq: await tx.next('sandbox'),
        catcher: mine.seq,
        receivedAt,
        headers,
        body,
        signature,
      })
      return mine
    })
    if (++catcher.sincePruned >= ROWS_PER_UNIT) {
      catcher.sincePruned = 0
      await db.commit((tx) => tx.run(pruneCaught, { catcher: catcher.seq, kept: KEPT, limit: ROWS_PER_UNIT }))
    }
    return catcher.reply
  }

  return {
    async answer(request) {
      const name = request.url.pathname.slice(1)
      if (!NAME.test(name)) return response(404, request)
      const { status, delayMs, hang } = await keep(request.accountId, name, request)
      if (hang) return new Promise(() => {})
      if (delayMs > 0) await new Promise<void>((resolve) => void startTimeout(clock, delayMs, resolve))
      return response(status, request)
    },

    reply: async (accountId, name) => (await find(accountId, name))?.reply ?? USUAL_REPLY,

    async setReply(accountId, name, reply) {
      await db.commit(async (tx) => {
        const { seq, sincePruned } = await ensure(tx, accountId, name)
        const { status, delayMs, hang } = reply
        await tx.run(setReply, { seq, status, delayMs, hang: hang ? 1 : 0 })
        tx.afterCommit(() => void known.set(keyOf(accountId, name), { seq, reply, sincePruned }))
      })
    },

    async list(accountId, name, beforeSeq, limit) {
      const catcher = await find(accountId, name)
      return catcher === undefined ? [] : db.read(caughtPage, { catcher: catcher.seq, before: beforeSeq, limit })
    },

    async empty(accountId, name) {
      const catcher = await find(accountId, name)
      if (catcher === undefined) return
      const [newest] = await db.read(caughtPage, { catcher: catcher.seq, before: Number.MAX_SAFE_INTEGER, limit: 1 })
      if (newest === undefined) return
      // Requests that arrive meanwhile are kept. The work is split so that other commits do not wait for it.
      const bulk = { catcher: catcher.seq, upTo: newest.seq, limit: ROWS_PER_UNIT }
      while ((await db.commit((tx) => tx.run(emptyCatcher, bulk))) === ROWS_PER_UNIT);
    },
  }
}

const keyOf = (accountId: AccountId, name: string) => `${accountId} ${name}`

const toKnown = ({
  seq,
  status,
  delayMs,
  hang,
}: {
  seq: number
  status: number
  delayMs: number
  hang: number
}): Known => ({
  seq,
  reply: { status, delayMs, hang: hang === 1 },
  sincePruned: 0,
})

/**
 * Verifies a signature as a receiver should: HMAC over timestamp, dot and the exact bytes, with a recent timestamp
 * (spec: Signature).
 */
function judge({ headers, body }: SimulatedRequest, secrets: readonly Secret[], nowMs: number): Caught['signature'] {
  const lower = new Map(lowerCased(headers))
  const signature = lower.get('x-service-signature')
  if (signature === undefined) return 'none'
  const timestamp = lower.get('x-service-timestamp') ?? ''
  const isNear = Math.abs(nowMs / 1_000 - Number(timestamp)) <= LIMITS.signatureToleranceSeconds
  const isSigned = secrets.some((secret) => signature === sign(secret, timestamp, body))
  return isNear && isSigned && isStandard(lower, body, secrets) ? 'valid' : 'invalid'
}

/** Verifies as libraries for Standard Webhooks do. Other signed requests, such as those to a CRM, lack the header. */
function isStandard(headers: ReadonlyMap<string, string>, body: Buffer, secrets: readonly Secret[]): boolean {
  const signatures = headers.get('webhook-signature')
  if (signatures === undefined) return true
  const [id, timestamp] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
  if (id === undefined || timestamp === undefined || timestamp !== headers.get('x-service-timestamp')) return false
  const expected = secrets.map((secret) => {
    const key = Buffer.from(secret.open().replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  })
  return signatures.split(' ').every((each) => expected.includes(each))
}

/** Most servers pass header names to a program in lower case. */
const lowerCased = (headers: SimulatedRequest['headers']) =>
  Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)

const sign = (secret: Secret, timestamp: string, body: Buffer) =>
  `sha256=${createHmac('sha256', secret.open()).update(`${timestamp}.`).update(body).digest('hex')}`

/** Redirects point back to the catcher, so a client that follows redirects is recorded twice. */
function response(status: number, { url }: SimulatedRequest): OutboundAnswer {
  const isRedirect = status >= 300 && status < 400
  const headers = { 'content-type': 'text/plain', ...(isRedirect ? { location: url.href } : {}) }
  return { kind: 'response', status, headers, body: Buffer.alloc(0), truncated: false, remoteIp: null }
}
