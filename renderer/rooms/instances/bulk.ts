import { TRAITS } from '../../../main/contract/engine-traits.ts'
import { isBanned } from '../../../main/contract/ban.ts'
import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { connectStep, hasLostConnection } from './status.ts'

export type BulkKind = 'reconnect' | 'disconnect'
export const BULK_KINDS = ['reconnect', 'disconnect'] as const satisfies readonly BulkKind[]

/** Why an instance is left out; the texts are `instances.bulk.skip.<reason>`. */
const SKIP_REASONS = ['banned', 'signedOut', 'notPaired', 'official', 'disconnected', 'recreating'] as const
type SkipReason = (typeof SKIP_REASONS)[number]

interface BulkAction {
  readonly icon: string
  readonly isFor: (instance: InstanceRecord, nowMs: number) => boolean
}

const isPhone = ({ engine }: InstanceRecord) => TRAITS[engine].isLinkedPhone

/**
 * Only actions that can be undone or that repair a connection are offered in bulk. They all leave out numbers without
 * a session.
 */
export const BULK: Readonly<Record<BulkKind, BulkAction>> = {
  reconnect: {
    icon: 'i-lucide-rotate-cw',
    isFor: (instance, nowMs) =>
      isPhone(instance) &&
      !isBanned(instance, nowMs) &&
      (instance.connected || hasLostConnection(instance) || connectStep(instance) === 'reconnect'),
  },
  disconnect: { icon: 'i-lucide-unplug', isFor: (instance) => isPhone(instance) && instance.connected },
}

/**
 * Why a bulk action leaves an instance out. A ban and a lost session come first, so that the action does not erase
 * these states.
 */
function skipReason(instance: InstanceRecord, nowMs: number): SkipReason {
  if (isBanned(instance, nowMs)) return 'banned'
  if (!isPhone(instance)) return 'official'
  if (instance.status === 'recreating') return 'recreating'
  if (instance.status === 'auth_failed') return 'signedOut'
  if (connectStep(instance) !== 'pair') return 'disconnected'
  return instance.last_connected_at === null ? 'notPaired' : 'signedOut'
}

export interface Skipped {
  readonly reason: SkipReason
  readonly instances: readonly InstanceRecord[]
}

export interface BulkPlan {
  readonly included: readonly InstanceRecord[]
  /** Grouped by reason, in the order of `SKIP_REASONS`. */
  readonly skipped: readonly Skipped[]
}

export function planBulk(kind: BulkKind, instances: readonly InstanceRecord[], nowMs = Date.now()): BulkPlan {
  const { isFor } = BULK[kind]
  const rest = Map.groupBy(
    instances.filter((instance) => !isFor(instance, nowMs)),
    (instance) => skipReason(instance, nowMs),
  )
  return {
    included: instances.filter((instance) => isFor(instance, nowMs)),
    skipped: SKIP_REASONS.flatMap((reason) => {
      const found = rest.get(reason)
      return found ? [{ reason, instances: found }] : []
    }),
  }
}

/** The result for one instance of a bulk action. */
export interface Outcome {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly problem?: Problem
}

interface BulkRun {
  readonly ids: readonly string[]
  readonly act: (id: string) => Promise<unknown>
  readonly onOutcome: (outcome: Outcome) => void
  /** True once the dialog was closed: instances that have not started are not started. */
  readonly isStopped: () => boolean
  readonly concurrency?: number
}

/** Runs one action on many instances, a few at a time. A failure does not stop the others. */
export async function runAll({ ids, act, onOutcome, isStopped, concurrency = 4 }: BulkRun): Promise<void> {
  const waiting = [...ids]
  async function worker(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined && !isStopped(); id = waiting.shift()) {
      onOutcome({ id, state: 'running' })
      try {
        await act(id)
        onOutcome({ id, state: 'done' })
      } catch (error) {
        onOutcome({ id, state: 'failed', problem: asProblem(error) })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, ids.length) }, worker))
}
