import type { Clock, Timer } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'

/** How long a lost connection may take to come back before the loss is announced. */
export const OUTAGE_MS = 5_000
/** Systems disagree about what a long timer means across sleep (kernel/clock.ts). */
const LONGEST_TIMER_MS = 1_000

export interface Outage {
  readonly id: InstanceId
  /** Identifies the loss, so that a late announcement is not taken for that of a later loss. */
  readonly linkLostAtMs: number
}

interface Deps {
  readonly clock: Clock
  readonly log: Log
  /** Announces the outages. */
  readonly announce: (due: readonly Outage[]) => Promise<void>
}

export interface Outages {
  /** Starts the five seconds, or what is left of them after a restart of the service. */
  readonly watch: (outage: Outage, leftMs?: number) => void
  /** The connection is back, or its loss no longer matters. */
  readonly cancel: (id: InstanceId) => void
  readonly close: () => void
}

/**
 * Losses that are not announced yet. The rows themselves are durable (`link_lost_at`); this only knows when to look.
 * Not jobs: most losses heal within the five seconds, and each would cost two commits.
 */
export function createOutages({ clock, log, announce }: Deps): Outages {
  const waiting = new Map<InstanceId, { readonly outage: Outage; readonly dueMono: number }>()
  let timer: Timer | undefined
  let isClosed = false

  function arm(): void {
    if (timer || isClosed || waiting.size === 0) return
    let next = Infinity
    for (const { dueMono } of waiting.values()) next = Math.min(next, dueMono)
    const leftMs = Math.ceil(next - clock.mono())
    timer = clock.after(Math.max(1, Math.min(LONGEST_TIMER_MS, leftMs)), () => {
      timer = undefined
      void announceDue()
    })
  }

  async function announceDue(): Promise<void> {
    const now = clock.mono()
    const due = [...waiting.values()].filter(({ dueMono }) => dueMono <= now).map(({ outage }) => outage)
    for (const { id } of due) waiting.delete(id)
    arm()
    if (due.length === 0) return
    try {
      await announce(due)
    } catch (error) {
      log.error({ event: 'instance.outage.unannounced', instances: due.length, cause: cause(error) })
      for (const outage of due) if (!waiting.has(outage.id)) watch(outage, LONGEST_TIMER_MS)
    }
  }

  function watch(outage: Outage, leftMs = OUTAGE_MS): void {
    waiting.set(outage.id, { outage, dueMono: clock.mono() + leftMs })
    arm()
  }

  return {
    watch,
    cancel: (id) => void waiting.delete(id),
    close() {
      isClosed = true
      timer?.cancel()
      timer = undefined
    },
  }
}
