import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { waitingCallbacks, waitingSizes, type CallbackRow } from './store.ts'

interface CallbackQueueDeps {
  readonly db: Pick<Db, 'read'>
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly accountOf: (instanceId: InstanceId) => string | undefined
}

export interface CallbackQueue {
  /** The instance may have waiting callbacks. */
  note(instanceId: InstanceId): void
  /** @returns the next callbacks in the order of arrival; an empty list when none is due. */
  next(): Promise<readonly CallbackRow[]>
  /** Delays a callback for one second. @param lanes the chats and messages it concerns. */
  hold(row: Pick<CallbackRow, 'seq' | 'instanceId'>, lanes: readonly string[]): void
  /** Whether an earlier callback of the instance is delayed and concerns one of these lanes. */
  isBehindHeld(row: Pick<CallbackRow, 'seq' | 'instanceId'>, lanes: readonly string[]): boolean
  /** When the next delayed callback is due. */
  dueAtMs(): number | undefined
}

interface Held {
  readonly lanes: ReadonlySet<string>
  readonly dueMono: number
}

const AT_ONCE = 64
/** Limit for bodies that are read together; a larger one is read alone. */
const BYTES_AT_ONCE = 1024 * 1024
const HOLD_MS = 1_000
/**
 * An instance with this many delayed callbacks waits until they are due, because everything behind them would have to
 * be checked against them.
 */
const HELD_AT_MOST = 256

/**
 * The order in which waiting callbacks are processed. Accounts take turns with equal shares, so none waits for the
 * backlog of another. Callbacks of one instance keep their order, except that others may pass the delayed ones.
 */
export function createCallbackQueue({ db, clock, accountOf }: CallbackQueueDeps): CallbackQueue {
  /** Instances that may have waiting callbacks; the one that had its turn last is at the end. */
  const waiting = new Set<InstanceId>()
  /** Instances for which a callback was stored since their callbacks were last read. */
  const noted = new Set<InstanceId>()
  /** Every callback up to this one is processed, or stored as unreadable. */
  const processedTo = new Map<InstanceId, number>()
  const held = new Map<InstanceId, Map<number, Held>>()

  function heldOf(instanceId: InstanceId): ReadonlyMap<number, Held> {
    const ofInstance = held.get(instanceId) ?? new Map<number, Held>()
    for (const [seq, { dueMono }] of ofInstance) if (dueMono <= clock.mono()) ofInstance.delete(seq)
    if (ofInstance.size === 0) held.delete(instanceId)
    return ofInstance
  }

  async function dueOf(instanceId: InstanceId, limit: number) {
    const ofHeld = heldOf(instanceId)
    if (ofHeld.size >= HELD_AT_MOST) return []
    noted.delete(instanceId)
    const after = processedTo.get(instanceId) ?? 0
    const found = await db.read(waitingSizes, { instanceId, after, limit: limit + ofHeld.size })
    const [first] = found
    if (first !== undefined) processedTo.set(instanceId, first.seq - 1)
    else {
      // The delayed callbacks were deleted with their number.
      held.delete(instanceId)
      if (!noted.has(instanceId)) waiting.delete(instanceId)
    }
    return found.filter(({ seq }) => !ofHeld.has(seq)).slice(0, limit)
  }

  /** Takes each account's share, up to the size limit for their bodies together. */
  async function choose(): Promise<number[]> {
    const accounts = Map.groupBy(waiting, (instanceId) => accountOf(instanceId) ?? instanceId)
    const share = Math.max(1, Math.floor(AT_ONCE / accounts.size))
    const chosen: number[] = []
    let bytes = 0
    for (const instanceIds of accounts.values()) {
      let left = Math.min(share, AT_ONCE - chosen.length)
      for (const instanceId of instanceIds) {
        if (left === 0) break
        const due = await dueOf(instanceId, left)
        let taken = 0
        for (const one of due) {
          if (chosen.length > 0 && bytes + one.bytes > BYTES_AT_ONCE) break
          bytes += one.bytes
          chosen.push(one.seq)
          taken++
        }
        left -= taken
        // An instance that got nothing because its next body is too large goes first next time.
        const hadTurn = taken > 0 || due.length === 0
        if (hadTurn && waiting.delete(instanceId)) waiting.add(instanceId)
      }
    }
    return chosen
  }

  return {
    note(instanceId) {
      noted.add(instanceId)
      waiting.add(instanceId)
    },
    async next() {
      const rows = await waitingCallbacks.over(await choose(), {}, db.read)
      return rows.flat().toSorted((a, b) => a.seq - b.seq)
    },
    hold({ seq, instanceId }, lanes) {
      const ofInstance = held.get(instanceId) ?? new Map<number, Held>()
      held.set(instanceId, ofInstance.set(seq, { lanes: new Set(lanes), dueMono: clock.mono() + HOLD_MS }))
    },
    isBehindHeld({ seq, instanceId }, lanes) {
      for (const [before, one] of held.get(instanceId) ?? [])
        if (before < seq && lanes.some((lane) => one.lanes.has(lane))) return true
      return false
    },
    dueAtMs() {
      const dues = [...held.values()].flatMap((ofInstance) => [...ofInstance.values()].map(({ dueMono }) => dueMono))
      return dues.length === 0
        ? undefined
        : clock.now() + Math.max(0, dues.reduce((a, b) => Math.min(a, b)) - clock.mono())
    },
  }
}
