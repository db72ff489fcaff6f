import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import { asProblem } from '../../app/problem.ts'
import { isUncertain, needsLookUp, retryDelayMs, type OutboxMessage } from './outbox.ts'
import type { OutboxStorage } from './outbox-storage.ts'

export interface OutboxDeps {
  /** @returns the id of the message. @throws Problem */
  readonly send: (instanceId: string, body: SendBody, key: string) => Promise<string>
  /** Finds the message that was sent with this key. @throws Problem `not_found` if nothing was sent with it. */
  readonly find: (instanceId: string, key: string) => Promise<string>
  readonly storage: OutboxStorage
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
  readonly onChange: (outbox: readonly OutboxMessage[]) => void
  /** Updates the conversation, so that it shows the message. @returns the ids that are on screen now. */
  readonly onAccepted: () => Promise<ReadonlySet<string>>
}

export interface Outbox {
  send(message: Pick<OutboxMessage, 'instanceId' | 'chat' | 'body' | 'after'>): Promise<void>
  retry(key: string): Promise<void>
  discard(key: string): OutboxMessage | undefined
  /** Restores the messages that an earlier window left, and asks the service which ones were sent. */
  restore(): Promise<void>
  /** Called when the service is reachable again: asks which of the unanswered messages were sent. */
  settle(): Promise<void>
}

/**
 * Sends each message at most once, and keeps messages that could not be sent until a person retries or discards them.
 */
export function createOutbox({ send, find, storage, now, wait, onChange, onAccepted }: OutboxDeps): Outbox {
  let outbox: readonly OutboxMessage[] = []
  const set = (next: readonly OutboxMessage[]): void => onChange((outbox = next))

  function change(key: string, to: Partial<OutboxMessage>): void {
    set(outbox.map((one) => (one.key === key ? { ...one, ...to } : one)))
    const changed = outbox.find((one) => one.key === key)
    if (changed !== undefined) storage.save(changed)
  }

  async function attempt(outgoing: OutboxMessage): Promise<void> {
    const { key, instanceId, body } = outgoing
    change(key, { state: 'sending', problem: undefined, isUnsettled: false })
    if (needsLookUp(outgoing, now()) && (await isSettled(outgoing))) return
    for (let tries = 0; ; tries++) {
      try {
        return await accept(key, await send(instanceId, body, key))
      } catch (error) {
        const problem = asProblem(error)
        const delay = retryDelayMs(problem, tries)
        if (delay !== undefined) {
          await wait(delay)
          continue
        }
        change(key, { state: 'failed', problem, isUnsettled: isUncertain(problem) })
        if (isUncertain(problem)) await isSettled({ ...outgoing, problem })
        return
      }
    }
  }

  /** Looks the message up at the service. @returns false if nothing was sent with its key. */
  async function isSettled({ key, instanceId, problem }: OutboxMessage): Promise<boolean> {
    try {
      await accept(key, await find(instanceId, key))
      return true
    } catch (error) {
      const found = asProblem(error)
      if (found.status === 404) {
        change(key, { isUnsettled: false })
        return false
      }
      change(key, { state: 'failed', problem: problem ?? found, isUnsettled: true })
      return true
    }
  }

  async function settle(messages: readonly OutboxMessage[]): Promise<void> {
    const uncertain = messages.filter(({ problem }) => problem !== undefined && isUncertain(problem))
    await Promise.all(uncertain.map((outgoing) => isSettled(outgoing)))
  }

  async function accept(key: string, messageId: string): Promise<void> {
    change(key, { state: 'accepted', messageId, problem: undefined })
    // The service has stored the message, so the copy in the browser is no longer needed.
    storage.remove(key)
    const onScreen = await onAccepted()
    set(outbox.filter((one) => one.messageId === undefined || !onScreen.has(one.messageId)))
  }

  return {
    async send(message) {
      const outgoing: OutboxMessage = {
        ...message,
        key: crypto.randomUUID(),
        createdAt: new Date(now()).toISOString(),
        state: 'sending',
        messageId: undefined,
        problem: undefined,
        isUnsettled: false,
      }
      set([...outbox, outgoing])
      await attempt(outgoing)
    },
    async retry(key) {
      const outgoing = outbox.find((one) => one.key === key && one.state === 'failed')
      if (outgoing !== undefined) await attempt(outgoing)
    },
    discard(key) {
      const found = outbox.find((one) => one.key === key)
      set(outbox.filter((one) => one.key !== key))
      storage.remove(key)
      return found
    },
    async restore() {
      const known = new Set(outbox.map(({ key }) => key))
      const left = storage.read().filter(({ key }) => !known.has(key))
      set([...left, ...outbox])
      await settle(left)
    },
    settle: () => settle(outbox.filter(({ state }) => state === 'failed')),
  }
}
