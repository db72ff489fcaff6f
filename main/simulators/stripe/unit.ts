import type Stripe from 'stripe'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'
import { noSuch } from './faults.ts'
import type { Kind, Kinds } from './kinds.ts'
import type { Unit } from './store.ts'

/** The context of one request for every part of the simulator. */
export interface Work {
  readonly unit: Unit
  /** `cus_` and 24 random characters. */
  id(prefix: string): string
  /** Unix time of the customer, who may use a test clock or be ahead. */
  now(customer?: string | null): number
  get<K extends Kind>(kind: K, id: string, param?: string): Kinds[K]
  /** Records an event; it is delivered after the request. */
  tell(type: Stripe.Event.Type, object: object, before?: object): void
  /** URL of a page; its host is filled in when it is returned, because ports change. */
  page(path: string): string
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly told: Stripe.Event[]
}

export interface WorkDeps {
  readonly clock: Clock
  readonly random: Random
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const randomText = (random: Random, length: number): string =>
  [...random.bytes(length)].map((byte) => LETTERS[byte % LETTERS.length]).join('')

/** Placeholder for this service's URL in stored objects. */
export const PAGES = 'sandbox-pages:'

export const API_VERSION = '2026-10-28.endive'

export function createWork(
  { clock, random }: WorkDeps,
  unit: Unit,
  { requestId = null, idempotencyKey = null }: { requestId?: string | null; idempotencyKey?: string | null } = {},
): Work {
  const told: Stripe.Event[] = []
  const work: Work = {
    unit,
    requestId,
    idempotencyKey,
    told,
    id: (prefix) => `${prefix}_${randomText(random, 24)}`,
    now(customer) {
      const real = Math.floor(clock.now() / 1_000)
      if (customer === undefined || customer === null) return real
      const testClock = unit.find('customer', customer)?.test_clock
      if (typeof testClock === 'string') return unit.find('test_clock', testClock)?.frozen_time ?? real
      return real + (unit.find('customer_clock', clockId(customer))?.aheadSeconds ?? 0)
    },
    get(kind, id, param) {
      const found = unit.find(kind, id)
      if (found !== undefined) return found
      throw noSuch(kind, id, param)
    },
    tell(type, object, before) {
      const customer = customerOf(object)
      const previous = before === undefined ? {} : { previous_attributes: changed(before, object) }
      const event = {
        id: work.id('evt'),
        object: 'event',
        api_version: API_VERSION,
        created: work.now(customer),
        data: { object: structuredClone(object), ...previous },
        livemode: false,
        pending_webhooks: 1,
        request: { id: requestId, idempotency_key: idempotencyKey },
        type,
      } as unknown as Stripe.Event
      unit.put('event', event)
      told.push(event)
    },
    page: (path) => `${PAGES}${path}`,
  }
  return work
}

export const clockId = (customer: string) => `clock_${customer}`

/** The API uses text for values that the client represents by a number class. */
export const decimal = (value: number | string) => String(value) as unknown as Stripe.Decimal

export const idOf = (reference: string | { readonly id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null)

/** Like idOf, for references that are always set. */
export const needId = (reference: string | { readonly id: string }): string =>
  typeof reference === 'string' ? reference : reference.id

function customerOf(object: object): string | null {
  if ('object' in object && object.object === 'customer' && 'id' in object) return String(object.id)
  return 'customer' in object ? idOf(object.customer as string | { id: string } | null) : null
}

function changed(before: object, after: object): object {
  const now = after as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(before).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name])),
  )
}
