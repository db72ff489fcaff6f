import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineSignal, EngineSink } from '../engine.ts'

interface SignalOutboxDeps {
  readonly clock: Clock
  readonly alarms: Alarms
  readonly log: Log
  readonly sink: EngineSink
}

const AGAIN_MS = 1_000

/**
 * Publishes link signals in order per instance, and retries until each is accepted.
 * Not jobs: a signal is about a connection of this process and means nothing after a restart.
 */
export function createSignalOutbox({ clock, alarms, log, sink }: SignalOutboxDeps) {
  const waiting = new Map<InstanceId, EngineSignal[]>()
  const publishing = new Map<InstanceId, Promise<void>>()

  function wake(id: InstanceId): void {
    if (publishing.has(id)) return
    const turn = publishAll(id).then((isPublished) => {
      publishing.delete(id)
      // A signal that was added between the end of `publishAll` and now would otherwise wait for the next one.
      if (isPublished && waiting.has(id)) wake(id)
    })
    publishing.set(id, turn)
  }

  /** @returns whether all of it was taken. */
  async function publishAll(id: InstanceId): Promise<boolean> {
    const signals = waiting.get(id) ?? []
    for (let [signal] = signals; signal !== undefined; [signal] = signals) {
      try {
        await sink(id, signal)
      } catch (error) {
        log.warn({ event: 'smv2.signal_not_taken', instanceId: id, kind: signal.kind, cause: cause(error) })
        alarms.set(`publish ${id}`, clock.now() + AGAIN_MS, () => wake(id))
        return false
      }
      signals.shift()
    }
    waiting.delete(id)
    return true
  }

  return {
    add(id: InstanceId, signal: EngineSignal): void {
      const signals = waiting.get(id)
      if (signals) signals.push(signal)
      else waiting.set(id, [signal])
      wake(id)
    },
    /** Resolves when nothing is being published. */
    async settled(): Promise<void> {
      await Promise.allSettled(publishing.values())
    },
  }
}
