import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { checkInvariants } from '../../../main/capabilities/webhooks/index.ts'
import type { BootId } from '../../../main/kernel/ids.ts'
import { openReadOnly } from '../../../main/storage/read-only.ts'
import {
  ENVIRONMENT,
  follow,
  later,
  pause,
  until,
  untilListening,
  type Api,
  type ProductProcess,
  type Reply,
  type TestHome,
} from '../../support/service-process.ts'
import type { Landing, Seen } from '../landing.ts'
import { sendingHome, settled } from '../sending-home.ts'
import { POINTS, type PointName } from './points.ts'

const IN_FLIGHT = 16
/** The most deliveries a kill may repeat: those in flight and those whose result is not on disk. */
const REPEATS_PER_KILL = IN_FLIGHT + 64
const PATIENCE_MS = 60_000
const NO_BOOT = 'boot_none' as BootId
const SERVICE = join(import.meta.dirname, 'service-child.ts')

/** What a scene does with a running service. */
export interface Stage {
  readonly api: Api
  readonly home: KilledHome
}

/** A home in which the service is killed again and again, and what the world has been told by it. */
export interface KilledHome {
  readonly dir: string
  readonly database: string
  readonly webhook: string
  readonly landing: Landing
  /** Secrets that somebody was told. */
  readonly secrets: string[]
  /** What happened before is of no concern any more. */
  sinceMs: number
  kills: number
  /** Sends with keys of their own, side by side. What got no 201 is repeated by `recover`. */
  send(api: Api, count: number): Promise<void>
  /** Starts the service that kills itself at the point. @param act brings it there. @returns when it is dead. */
  killAt(point: PointName, act: (stage: Stage) => Promise<unknown>): Promise<void>
  /** Starts the built service, lets it finish, and stops it. @param act is done before. */
  recover(act: (stage: Stage) => Promise<unknown>): Promise<void>
  /** Holds what is on disk against what was acknowledged and what was seen outside. */
  check(): Promise<void>
  remove(): Promise<void>
}

/** Processes that start at one moment: as many as a small machine has processors. */
export type Turn = <T>(act: () => Promise<T>) => Promise<T>

export async function killedHome(landing: Landing, turn: Turn): Promise<KilledHome> {
  const owed = new Set<string>()
  const acknowledged = new Map<string, string>()
  let keys = 0
  let starts = 0

  /** Later each time: what is looked up at the network a minute after it was cut off, is looked up now. */
  const environment = () => ({ ...ENVIRONMENT, ...landing.environment, ...later(++starts) })

  const start = (of: TestHome) => turn(() => of.start(environment()))

  const { home, database, key, messages, customer, webhook } = await sendingHome(landing, IN_FLIGHT, start)

  async function sendOne(api: Api, text: string): Promise<boolean> {
    const body = { to: customer, text }
    const sent = await attempt(api, 'POST', messages, body, {
      'idempotency-key': text,
    })
    if (sent?.status !== 201) return false
    // A repeat must name the same message.
    expect(acknowledged.get(text) ?? sent.body.message_id).toBe(sent.body.message_id)
    acknowledged.set(text, sent.body.message_id)
    owed.delete(text)
    return true
  }

  const made: KilledHome = {
    ...{ dir: home.dir, database, landing },
    webhook: webhook.id,
    secrets: [webhook.secret],
    sinceMs: Date.now(),
    kills: 0,
    async send(api, count) {
      const texts = Array.from({ length: count }, () => `order-${keys++}`)
      for (const text of texts) owed.add(text)
      await Promise.all(texts.map((text) => sendOne(api, text)))
    },
    async killAt(point, act) {
      const time = String(1 + Math.floor(Math.random() * POINTS[point].within))
      const args = [SERVICE, point, time, '--port', '0', '--json', '--home', home.dir]
      await turn(async () => {
        const victim = follow(spawn(process.execPath, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] }))
        const dead = victim.ended.then(() => undefined)
        const running = await Promise.race([untilListening(victim).catch(() => undefined), dead])
        if (running !== undefined) {
          const api = running.api(key)
          await again(() => act({ api, home: made }), dead)
        }
        await died(victim, `${point}, time ${time}`)
      })
      made.kills++
    },
    async recover(act) {
      const service = await start(home)
      const api = service.api(key)
      for (const text of owed) await until(`an answer for ${text}`, () => sendOne(api, text), PATIENCE_MS)
      await act({ api, home: made })
      await settled(database)
      expect(await service.end('SIGTERM')).toBe(0)
    },
    async check() {
      expect(owed.size).toBe(0)
      await checkSound(database)
      const raw = new Database(database, { readonly: true })
      try {
        checkSends(raw, acknowledged)
        checkDeliveries(raw, made)
      } finally {
        raw.close()
      }
    },
    remove: () => home.remove(),
  }
  return made
}

/** @returns null where the service is gone before it answers. */
export const attempt = (...[api, ...request]: [Api, ...Parameters<Api>]): Promise<Reply | null> =>
  api(...request).catch(() => null)

/** Acts until it is over, or patience is. */
async function again(act: () => Promise<unknown>, end: Promise<unknown>): Promise<void> {
  const state = { isOver: false }
  void end.then(() => (state.isOver = true))
  const deadline = performance.now() + PATIENCE_MS
  while (!state.isOver && performance.now() < deadline) await act()
}

async function died(victim: ProductProcess, where: string): Promise<void> {
  const hasDied = await Promise.race([victim.ended.then(() => true), pause(1_000).then(() => false)])
  if (!hasDied) await victim.end('SIGKILL')
  // Its own SIGKILL, and neither an exit nor the end of patience.
  expect([hasDied, await victim.ended], `${where}: ${victim.errors()}`).toEqual([true, null])
}

async function checkSound(file: string): Promise<void> {
  const opened = openReadOnly(file)
  try {
    expect([opened.damage(), opened.orphaned()]).toEqual([[], []])
    expect(await checkInvariants(opened.db(NO_BOOT))).toEqual([])
  } finally {
    opened.close()
  }
}

/** What was acknowledged is there, once, and reached the phone once. */
function checkSends(raw: Database.Database, acknowledged: ReadonlyMap<string, string>): void {
  const texts = (sql: string) => (raw.prepare(sql).pluck().all() as string[]).toSorted()
  const told = [...acknowledged.keys()].toSorted()
  expect(texts("SELECT text FROM messages WHERE direction = 'out' AND status <> 'failed'")).toEqual(told)
  expect(texts("SELECT id FROM messages WHERE direction = 'out' AND status <> 'failed'")).toEqual(
    [...acknowledged.values()].toSorted(),
  )
  const onPhone = raw.prepare('SELECT content FROM sandbox_messages').pluck().all() as string[]
  expect(onPhone.map((content) => (JSON.parse(content) as { text: string }).text).toSorted()).toEqual(told)
}

interface DeliveryRow {
  readonly eventId: string
  readonly status: string
  readonly tried: string
}

function checkDeliveries(raw: Database.Database, { sinceMs, landing, kills, secrets }: KilledHome): void {
  const rows = raw
    .prepare(
      `SELECT e.event_id AS eventId, d.status, (SELECT group_concat(a.attempt) FROM delivery_attempts a
                WHERE a.delivery_seq = d.seq) AS tried
         FROM events e LEFT JOIN deliveries d ON d.event_seq = e.seq
        WHERE e.created_at >= ? AND e.type LIKE 'message.%'`,
    )
    .all(sinceMs) as DeliveryRow[]
  const seen = new Map<string, Seen[]>()
  for (const one of landing.seen) seen.set(one.eventId, [...(seen.get(one.eventId) ?? []), one])
  expect(rows.filter(({ status }) => status !== 'delivered')).toEqual([])
  expect(rows.filter(({ eventId }) => !seen.has(eventId))).toEqual([])
  for (const { eventId, tried } of rows) {
    const unknown = seen.get(eventId)?.filter(({ attempt: number }) => !tried.split(',').includes(String(number)))
    expect([eventId, unknown]).toEqual([eventId, []])
  }
  const numbers = landing.seen.map(({ eventId, attempt: number }) => `${eventId} ${number}`)
  expect(numbers.length - new Set(numbers).size, 'requests under a number that was used').toBe(0)
  expect(landing.seen.length - seen.size).toBeLessThanOrEqual(kills * REPEATS_PER_KILL)
  expect(landing.seen.filter((one) => !isSigned(one, secrets))).toEqual([])
}

/** With a secret that somebody was told, or beside one that nobody was. */
function isSigned({ timestamp, body, signatures }: Seen, secrets: readonly string[]): boolean {
  return secrets.some((secret) =>
    signatures.includes(`sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`),
  )
}
