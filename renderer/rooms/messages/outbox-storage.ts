import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import { Problem } from '../../app/problem.ts'
import { isUncertain, type OutboxMessage } from './outbox.ts'

type Items = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

export interface OutboxStorage {
  read(): OutboxMessage[]
  save(outgoing: OutboxMessage): void
  remove(key: string): void
}

/**
 * Stores unsent messages in the browser, one item each, so that two windows of the same account never overwrite each
 * other's messages.
 */
export function createOutboxStorage(items: Items, accountId: string): OutboxStorage {
  const prefix = `switchboard.outbox.${accountId}.`
  return {
    read() {
      const names = Array.from({ length: items.length }, (_, index) => items.key(index))
      return names
        .filter((name) => name?.startsWith(prefix) === true)
        .flatMap((name) => parse(items.getItem(name ?? '')) ?? [])
        .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))
    },
    save(outgoing) {
      try {
        items.setItem(prefix + outgoing.key, JSON.stringify(outgoing))
      } catch {
        // The browser's storage is full. The message stays in the memory of this window.
      }
    },
    remove: (key) => items.removeItem(prefix + key),
  }
}

interface Saved extends Omit<OutboxMessage, 'problem' | 'body'> {
  readonly body: SendBody
  readonly problem?: Pick<Problem, 'status' | 'code' | 'isRetryable'> & Partial<Pick<Problem, 'operation' | 'detail'>>
}

/** Parses a saved message. If it was being sent when the window closed, its outcome is unknown. */
function parse(text: string | null): OutboxMessage | undefined {
  try {
    const saved = JSON.parse(text ?? '') as Partial<Saved> | null
    if (!saved?.key || !saved.instanceId || !saved.chat || !saved.body?.to || !saved.createdAt) return undefined
    const { key, instanceId, chat, body, createdAt, after, messageId } = saved
    const {
      status = 0,
      code = 'interrupted',
      isRetryable = true,
      operation = 'sendMessage',
      detail,
    } = saved.problem ?? {}
    const problem = new Problem(status, code, '', { isRetryable, operation, ...(detail && { detail }) })
    const isUnsettled = isUncertain(problem)
    return { ...{ key, instanceId, chat, body, createdAt, after, messageId }, state: 'failed', problem, isUnsettled }
  } catch {
    return undefined
  }
}
