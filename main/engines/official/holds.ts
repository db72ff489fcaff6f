import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Hold } from '../engine.ts'
import { withoutEndless } from './account-updates.ts'
import type { ConnectedNumber, Numbers } from './numbers.ts'

export type Holds = ReturnType<typeof createHolds>

/** Meta does not say how long it limits a number, so the number is tried again after this time. */
const LOOK_AGAIN_MS = 60 * 60_000
const TRIED_AGAIN: readonly Hold['reason'][] = ['spam', 'policy']

/** Records when Meta refuses everything that a number sends, and when it accepts messages again. */
export function createHolds({ db, clock, numbers }: { db: Db; clock: Pick<Clock, 'now'>; numbers: Numbers }) {
  /** A payment problem concerns all numbers of the WhatsApp account. */
  const concerned = ({ instanceId, wabaId }: ConnectedNumber, reason: Hold['reason']): readonly InstanceId[] =>
    reason === 'payment' ? numbers.ofAccount(wabaId).map((each) => each.instanceId) : [instanceId]

  const write = (tx: Tx, id: InstanceId, hold: Hold | null) => numbers.note(tx, id, (facts) => ({ ...facts, hold }))

  return {
    /** Meta refused a message for a reason that applies to every message of the number. */
    async begin(number: ConnectedNumber, reason: Hold['reason']): Promise<void> {
      const sinceMs = clock.now()
      const untilMs = TRIED_AGAIN.includes(reason) ? sinceMs + LOOK_AGAIN_MS : null
      const isKnown = (id: InstanceId) => {
        const hold = numbers.of(id)?.facts?.hold
        return hold?.reason === reason && isActive(hold, sinceMs)
      }
      const late = concerned(number, reason).filter((id) => !isKnown(id))
      if (late.length === 0) return
      await db.commit(async (tx) => {
        for (const id of late) await write(tx, id, { reason, sinceMs, untilMs })
      })
    },

    /** Ends the hold if a message sent at this time was accepted. */
    async end(number: ConnectedNumber, sentAtMs: number): Promise<void> {
      const hold = number.facts?.hold ?? null
      if (hold === null || sentAtMs <= hold.sinceMs) return
      await db.commit(async (tx) => {
        for (const id of concerned(number, hold.reason)) await write(tx, id, null)
      })
    },

    /** Runs in the caller's commit: a person asked to try again. */
    async endByPerson(tx: Tx, id: InstanceId): Promise<void> {
      const facts = numbers.of(id)?.facts
      const isEndless = (facts?.restrictions ?? []).some(({ untilMs }) => untilMs === null)
      if (isEndless || (facts?.hold ?? null) !== null)
        await numbers.note(tx, id, (before) => ({ ...withoutEndless(before), hold: null }))
    },
  }
}

export const isActive = ({ untilMs }: Hold, nowMs: number): boolean => untilMs === null || untilMs > nowMs
