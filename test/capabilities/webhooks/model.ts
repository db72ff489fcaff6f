import { expect } from 'vitest'
import type {
  DeliveryStatus,
  DisabledReason,
  FinalReason,
  WebhookState,
} from '../../../main/capabilities/webhooks/states.ts'
import { ACCOUNT, type Seen, type WebhookWorld } from './world.ts'

/** What a person would expect of one delivery, kept from what its receiver saw and answered. */
interface Expected {
  readonly hookId: string
  status: DeliveryStatus
  attempts: number
  counted: number
  interrupted: number
  manual: number
  final: FinalReason | null
  isManualNow: boolean
  isInFlight: boolean
  /** The next automatic attempt comes between these; null when none will. */
  due: { from: number; to: number } | null
}

/** Short, so that deliveries exhaust within a few commands. */
export const GAPS = [1, 2, 3, 4, 5, 6, 7]

/** The tables of transitions in their simplest form: one webhook, answers without delay. */
export class Model {
  hook: WebhookState = 'active'
  reason: DisabledReason | null = null
  consecutive = 0
  status = 200
  deliveries = new Map<string, Expected>()
  hookId = ''
  changedAtMs = 0
  #read = 0

  happened(eventIds: readonly string[], nowMs: number): void {
    if (this.hook === 'deactivated') return
    const due = { from: nowMs, to: nowMs }
    for (const id of eventIds) {
      const none = {
        attempts: 0,
        counted: 0,
        interrupted: 0,
        manual: 0,
        final: null,
        isManualNow: false,
        isInFlight: false,
      }
      this.deliveries.set(id, { hookId: this.hookId, status: 'pending', ...none, due })
    }
  }

  /** Takes in what the receiver saw since the last time. */
  see(world: WebhookWorld, isHanging = false): void {
    for (const seen of world.seen.slice(this.#read)) this.#one(seen, isHanging)
    this.#read = world.seen.length
  }

  #one({ eventId, attempt, atMs }: Seen, isHanging: boolean): void {
    const delivery = this.deliveries.get(eventId)
    if (!delivery) throw new Error(`${eventId} was sent although nothing is owed`)
    if (this.hook !== 'active') expect(atMs, 'sent although the webhook was not active').toBe(this.changedAtMs)
    expect(attempt, 'attempt numbers rise by one').toBe(++delivery.attempts)
    if (!delivery.isManualNow)
      expect(atMs, 'sent before it was due').toBeGreaterThanOrEqual(delivery.due?.from ?? Infinity)
    if (isHanging) delivery.isInFlight = true
    else this.#answered(delivery, atMs)
  }

  #answered(delivery: Expected, atMs: number): void {
    const isManual = delivery.isManualNow
    delivery.isManualNow = false
    if (this.status === 200) {
      Object.assign(delivery, { status: 'delivered', due: null, final: null })
      this.consecutive = 0
    } else if (this.status === 410) {
      if (!isManual) delivery.counted++
      if (delivery.due) Object.assign(delivery, { status: 'failed', due: null, final: 'gone' })
      this.#deactivate('gone', atMs)
    } else if (!isManual) this.#failed(delivery, atMs, this.status === 503 ? 60_000 : 0)
  }

  #failed(delivery: Expected, atMs: number, leastMs: number): void {
    const gap = GAPS[delivery.counted++]
    if (gap !== undefined) {
      const ms = Math.max(gap * 1_000, leastMs)
      delivery.status = 'failed'
      delivery.due = { from: atMs + ms * 0.8 - 1, to: atMs + ms * 1.2 }
      return
    }
    Object.assign(delivery, { status: 'exhausted', due: null })
    if (++this.consecutive >= 5) this.#deactivate('too_many_failures', atMs)
  }

  #deactivate(reason: DisabledReason, atMs: number): void {
    if (this.hook === 'deactivated') return
    Object.assign(this, { hook: 'deactivated', reason, changedAtMs: atMs })
  }

  paused(nowMs: number): void {
    if (this.hook === 'active') Object.assign(this, { hook: 'paused', changedAtMs: nowMs })
  }

  resumed(nowMs: number): void {
    if (this.hook === 'active') return
    Object.assign(this, { hook: 'active', reason: null, consecutive: 0 })
    for (const delivery of this.deliveries.values()) {
      if (delivery.hookId !== this.hookId) continue
      if (delivery.final === 'gone' && delivery.counted < 8) {
        Object.assign(delivery, {
          final: null,
          status: delivery.counted === 0 ? 'pending' : 'failed',
          due: { from: 0, to: 0 },
        })
      }
      if (delivery.due) delivery.due = { from: 0, to: nowMs + 10_000 }
    }
  }

  /** Another webhook takes its place; what it was still owed is forgotten, what ended stays. */
  replaced(hookId: string): void {
    for (const [id, { due }] of this.deliveries) if (due) this.deliveries.delete(id)
    Object.assign(this, { hookId, hook: 'active', reason: null, consecutive: 0 })
  }

  /** The process died: what hung was cut off, and everything open may come a little early or late. */
  crashed(nowMs: number): void {
    for (const delivery of this.deliveries.values()) {
      if (delivery.isInFlight && !delivery.isManualNow) {
        if (++delivery.interrupted <= 3) delivery.due = { from: nowMs + 2_000, to: nowMs + 10_000 }
        else this.#failed(delivery, nowMs, 0)
      }
      delivery.isInFlight = false
      delivery.isManualNow = false
    }
  }

  /** The clock was set by another amount: what is open comes early, or at most one gap late. */
  jumped(nowMs: number): void {
    for (const delivery of this.deliveries.values()) {
      if (delivery.due)
        delivery.due = { from: 0, to: nowMs + 1_200 * (GAPS[Math.max(0, delivery.counted - 1)] ?? 0) + 70_000 }
    }
  }

  /** The database says the same, and nothing that was due is still waiting. */
  async agree(world: WebhookWorld): Promise<void> {
    const now = world.clock.now()
    const { data } = await world.webhooks().listDeliveries(ACCOUNT, { limit: 200 })
    const stored = data.map((one) => [
      one.event_id,
      one.status,
      one.attempts,
      one.manual_retries,
      one.final_reason,
      one.next_attempt_at !== null,
    ])
    const expected = [...this.deliveries].map(([id, one]) => [
      id,
      one.status,
      one.attempts,
      one.manual,
      one.final,
      one.due !== null,
    ])
    expect(stored.toReversed()).toEqual(expected)
    const row = world.hookRow(this.hookId)
    expect([row['state'], row['disabled_reason'], row['consecutive_exhausted']]).toEqual([
      this.hook,
      this.reason,
      this.consecutive,
    ])
    if (this.hook !== 'active') return
    for (const [id, { due }] of this.deliveries)
      if (due) expect(due.to + 3_000, `${id} is overdue`).toBeGreaterThan(now)
  }
}
