import type { WAMessage } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineInstance } from '../engine.ts'

/** The sender's phone, or one's own, mostly sends it again within seconds. */
const WAIT_MS = 60_000
const MOST = 200

interface UnreadableDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly alarms: Alarms
  readonly log: Log
  readonly publishUnreadable: (instance: EngineInstance, message: WAMessage) => Promise<void>
}

/**
 * Messages that arrived and could not be read. Each is shown as such after a minute; if it was published meanwhile, the rooms
 * know its id and take no second one.
 */
export function createUnreadable({ clock, alarms, log, publishUnreadable }: UnreadableDeps) {
  const waiting = new Set<string>()
  return (instance: EngineInstance, message: WAMessage): void => {
    const name = `unreadable ${instance.id} ${message.key.id ?? ''}`
    if (waiting.has(name) || waiting.size >= MOST) return
    waiting.add(name)
    alarms.set(name, clock.now() + WAIT_MS, () => {
      waiting.delete(name)
      publishUnreadable(instance, message).catch((error: unknown) => {
        log.warn({ event: 'smv2.unreadable_not_told', instanceId: instance.id, cause: cause(error) })
      })
    })
  }
}
