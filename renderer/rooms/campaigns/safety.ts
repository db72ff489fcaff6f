import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import type { Reply } from '../../app/operation-types.ts'

export type Safety = Reply<'getInstanceSafety'>

/** Limit of concurrent requests, because a list of numbers needs many. */
const AT_ONCE = 4
/** After this time, the data is loaded again when a screen shows it. */
const FRESH_MS = 30_000

/** Remaining messages of numbers. Loaded only for numbers on screen. */
export const useSafety = defineStore('campaign-safety', () => {
  const byId = shallowRef<ReadonlyMap<string, Safety>>(new Map())
  const askedAt = new Map<string, number>()
  const waiting: string[] = []
  let running = 0

  function want(id: string): void {
    const before = askedAt.get(id)
    if (before !== undefined && Date.now() - before < FRESH_MS) return
    askedAt.set(id, Date.now())
    waiting.push(id)
    if (running < AT_ONCE) void work()
  }

  async function work(): Promise<void> {
    running++
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        const found = await call('getInstanceSafety', { params: { id } })
        byId.value = new Map(byId.value).set(id, found)
      } catch {
        // The number can be selected without it.
        askedAt.delete(id)
      }
    }
    running--
  }

  return { byId, want }
})

type SafetyTone = 'good' | 'low' | 'stopped'

export interface SafetySummary {
  readonly tone: SafetyTone
  /** Null: no limit. */
  readonly left: number | null
  readonly leftFirst: number | null
}

const leftOf = (used: number, limit: number | null) => (limit === null ? null : Math.max(0, limit - used))

/** A number's remaining messages of today, and their color. */
export function summarizeSafety({ today, restriction }: Pick<Safety, 'today' | 'restriction'>): SafetySummary {
  const left = leftOf(today.sent, today.limit)
  const leftFirst = leftOf(today.first_contacts, today.first_contacts_limit)
  const isStopped = left === 0 || restriction?.active === true
  const isLow = leftFirst === 0 || (left !== null && today.limit !== null && left < today.limit * 0.2)
  return { tone: isStopped ? 'stopped' : isLow ? 'low' : 'good', left, leftFirst }
}
