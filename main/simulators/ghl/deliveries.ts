import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { GhlFaults } from './faults.ts'
import {
  countAttempt,
  insertDelivery,
  insertSigningKey,
  locationsWithDeliveries,
  nextDeliveries,
  removeDelivery,
  signingKey,
  type Delivery,
} from './store.ts'

interface DeliveriesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly outbound: Pick<Outbound, 'request'>
  readonly faults: GhlFaults
  /** URL of this service, without a trailing slash. */
  readonly callbackBase: () => string
}

/** Delays after failed attempts; the last one repeats. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const

const AT_ONCE = 16

/** The contact of a delivery. */
const contactIn = ({ body }: Delivery): string => {
  const { contactId, id } = JSON.parse(body) as { contactId?: string; id?: string }
  return contactId ?? id ?? ''
}

export type Deliveries = ReturnType<typeof createDeliveries>

/**
 * Requests of the simulated GoHighLevel to this service: in order for each contact, signed with its own Ed25519 key
 * over the raw body, and repeated until accepted.
 */
export function createDeliveries({ db, clock, log, outbound, faults, callbackBase }: DeliveriesDeps) {
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const waiting = new Map<string, Timer>()
  let isStopped = true
  let key: KeyObject | undefined

  async function privateKey(): Promise<KeyObject> {
    if (key !== undefined) return key
    const fresh = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' })
    const stored = await db.commit(async (tx) => {
      await tx.run(insertSigningKey, { pkcs8: fresh })
      return tx.one(signingKey, {})
    })
    return (key = createPrivateKey({ key: Buffer.from(stored?.pkcs8 ?? fresh), format: 'der', type: 'pkcs8' }))
  }

  async function post({ accountId, path, body }: Delivery): Promise<boolean> {
    const bytes = Buffer.from(body)
    const signature = sign(null, bytes, await privateKey())
    if (faults.strikes(accountId, 'bad_signature')) signature[0] = (signature[0] ?? 0) ^ 1
    const headers = { 'content-type': 'application/json', 'x-ghl-signature': signature.toString('base64') }
    const times = path === 'outbound' && faults.strikes(accountId, 'duplicate_delivery') ? 2 : 1
    let isTaken = true
    for (let i = 0; i < times; i++) {
      const url = `${callbackBase()}/callbacks/ghl/${path}`
      const answer = await outbound.request({ url, method: 'POST', headers, body: bytes, from: { accountId } })
      isTaken &&= answer.kind === 'response' && answer.status >= 200 && answer.status < 300
    }
    return isTaken
  }

  /**
   * Sends the waiting requests of a contact in order. @returns the number of attempts of the first one that was
   * refused; null: all were accepted.
   */
  async function postAll(rows: readonly Delivery[]): Promise<number | null> {
    for (const row of rows) {
      if (isStopped) return null
      const { seq, attempts } = row
      if (await post(row)) await db.commit((tx) => tx.run(removeDelivery, { seq }))
      else {
        await db.commit((tx) => tx.run(countAttempt, { seq }))
        return attempts
      }
    }
    return null
  }

  /** Sends all waiting requests of a location: in order for each contact, and concurrently for different contacts. */
  async function run(locationId: string): Promise<void> {
    for (;;) {
      const next = isStopped ? [] : await db.read(nextDeliveries, { locationId, limit: AT_ONCE })
      if (next.length === 0) return
      const contacts = Map.groupBy(next, contactIn)
      const tried = (await Promise.all([...contacts.values()].map(postAll))).filter((attempts) => attempts !== null)
      if (isStopped) return
      if (tried.length === 0) continue
      const delayMs = RETRY_MS[Math.min(...tried, RETRY_MS.length - 1)] ?? 1_000
      waiting.set(
        locationId,
        clock.after(delayMs, () => {
          waiting.delete(locationId)
          wake(locationId)
        }),
      )
      return
    }
  }

  function wake(locationId: string): void {
    // Its last check may have come before this item was added.
    if (running.has(locationId)) again.add(locationId)
    if (isStopped || running.has(locationId) || waiting.has(locationId)) return
    again.delete(locationId)
    const done = run(locationId)
      .catch((error: unknown) => log.warn({ event: 'simulator.ghl_delivery_failed', cause: cause(error) }))
      .then(() => {
        running.delete(locationId)
        if (again.has(locationId)) wake(locationId)
      })
    running.set(locationId, done)
  }

  return {
    /** Runs in the commit of the event that it reports. */
    async add(
      tx: Tx,
      delivery: Omit<Delivery, 'seq' | 'attempts' | 'body'> & { readonly body: object },
    ): Promise<void> {
      const { accountId, locationId, path } = delivery
      const seq = await tx.next('sandbox_ghl_deliveries')
      const body = JSON.stringify(delivery.body)
      await tx.run(insertDelivery, { seq, accountId, locationId, path, body, attempts: 0 })
      tx.afterCommit(() => wake(locationId))
    },
    /** Public key of the signatures, as PEM. */
    publicKey: async () =>
      createPublicKey(await privateKey())
        .export({ type: 'spki', format: 'pem' })
        .toString(),
    async start(): Promise<void> {
      isStopped = false
      for (const { locationId } of await db.read(locationsWithDeliveries, {})) wake(locationId)
    },
    /** Resolves once no request is running; refused ones are sent again after the next start. */
    async stop(): Promise<void> {
      isStopped = true
      for (const timer of waiting.values()) timer.cancel()
      waiting.clear()
      await Promise.all(running.values())
    },
  }
}
