import { randomBytes, randomInt } from 'node:crypto'
import type { Clock } from './clock.ts'

declare const brand: unique symbol
type Branded<B extends string> = string & { readonly [brand]: B }

export type AccountId = Branded<'account'>
export type KeyId = Branded<'key'>
export type InstanceId = Branded<'instance'>
/** Of a call that is about many things at once. */
export type BatchId = Branded<'batch'>
export type MessageId = Branded<'message'>
export type EventId = Branded<'event'>
export type ApprovalId = Branded<'approval'>
export type WebhookId = Branded<'webhook'>
type DeliveryId = Branded<'delivery'>
type RequestId = Branded<'request'>
/** Drawn at each opening of the database; leases carry it, so a lease of another boot is dead by definition. */
export type BootId = Branded<'boot'>

/** Chance, as the only source the product has. Tests replace it. */
export interface Random {
  bytes(length: number): Buffer
  /** Uniform in [0, 1). */
  fraction(): number
}

const FRACTION_STEPS = 2 ** 47

export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  fraction: () => randomInt(FRACTION_STEPS) / FRACTION_STEPS,
}

/** Makes every id of the product. All are time-ordered, which keeps indexes append-only. */
export interface Ids {
  account(): AccountId
  key(): KeyId
  instance(): InstanceId
  batch(): BatchId
  message(): MessageId
  event(): EventId
  webhook(): WebhookId
  delivery(): DeliveryId
  approval(): ApprovalId
  request(): RequestId
  boot(): BootId
  /** An id of the spec's form for which no brand is needed. */
  uuid(): string
  /** An id of a room's own kind, such as `cmp_01J…`. The room declares the prefix. */
  tagged(prefix: string): string
}

/** What ids of a kind begin with, before the `_`. All other ids are UUIDs. */
export const ID_PREFIXES = {
  message: 'msg',
  event: 'evt',
  webhook: 'whk',
  delivery: 'dlv',
  approval: 'apr',
  request: 'req',
  boot: 'boot',
} as const satisfies Partial<Record<keyof Ids, string>>

export function createIds(clock: Clock, random: Random): Ids {
  const pool = createPool(random)
  const uuid = () => uuidV7(clock.now(), pool(10))
  const taggedWith = (prefix: string) => `${prefix}_${sortable(clock.now(), pool(10))}`
  const tagged = (kind: keyof typeof ID_PREFIXES) => taggedWith(ID_PREFIXES[kind])
  return {
    account: () => uuid() as AccountId,
    key: () => uuid() as KeyId,
    instance: () => uuid() as InstanceId,
    batch: () => uuid() as BatchId,
    message: () => tagged('message') as MessageId,
    event: () => tagged('event') as EventId,
    webhook: () => tagged('webhook') as WebhookId,
    delivery: () => tagged('delivery') as DeliveryId,
    approval: () => tagged('approval') as ApprovalId,
    request: () => tagged('request') as RequestId,
    boot: () => tagged('boot') as BootId,
    uuid,
    tagged: taggedWith,
  }
}

/** Draws random bytes in blocks: one call to the system per 400 ids instead of one each. */
function createPool(random: Random): (length: number) => Buffer {
  const size = 4_000
  let block: Buffer = Buffer.alloc(0)
  let used = 0
  return (length) => {
    if (used + length > block.length) {
      block = random.bytes(size)
      used = 0
    }
    used += length
    return block.subarray(used - length, used)
  }
}

/** UUID version 7 (RFC 9562): 48 bits of time, then 74 random bits. */
function uuidV7(nowMs: number, chance: Buffer): string {
  const time = nowMs.toString(16).padStart(12, '0')
  const hex = chance.toString('hex')
  const variant = (8 + (Number.parseInt(hex[3] ?? '0', 16) & 3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * The least text an id made at this moment or later can be. It turns `since` into a bound on the unique index of the
 * ids; as a filter on created_at the same page would read every row before it.
 */
export function earliestId(prefix: string, atMs: number): string {
  return `${prefix}_${sortableTime(Math.max(0, atMs))}`
}

/** 26 characters: 10 of time and 16 of chance, in an alphabet whose text order is time order. */
function sortable(nowMs: number, chance: Buffer): string {
  let tail = ''
  let bits = 0
  let held = 0
  for (const byte of chance) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      tail += CROCKFORD[(held >> bits) & 31] ?? '0'
    }
    held &= (1 << bits) - 1
  }
  return sortableTime(nowMs) + tail
}

function sortableTime(ms: number): string {
  let time = ''
  for (let left = ms, i = 0; i < 10; i++, left = Math.floor(left / 32)) time = (CROCKFORD[left % 32] ?? '0') + time
  return time
}
