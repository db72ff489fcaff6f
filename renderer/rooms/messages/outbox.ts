import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import type { Problem } from '../../app/problem.ts'
import { isOurs } from './thread.ts'
import type { ChatMessage } from './records.ts'
import { sentTemplate } from './template-message.ts'

/**
 * An outgoing message. Its key is created once, so that it is sent at most once, however often it is retried (spec:
 * Idempotency-Key).
 */
export interface OutboxMessage {
  readonly key: string
  readonly instanceId: string
  readonly chat: string
  readonly body: SendBody
  readonly createdAt: string
  /** The newest message of the chat when this one was written. Only a later message can be the record of this one. */
  readonly after: string | undefined
  readonly state: 'sending' | 'accepted' | 'failed'
  readonly messageId: string | undefined
  readonly problem: Problem | undefined
  /** No answer arrived, and it is unknown whether the service has the message. */
  readonly isUnsettled: boolean
}

/** How long to wait before an automatic retry; undefined if a person must decide. */
export function retryDelayMs(problem: Problem, tries: number): number | undefined {
  const most = 5
  return problem.code === 'idempotency_in_progress' && tries < most ? 1_000 * (tries + 1) : undefined
}

/**
 * Whether the message may have been sent although the answer was lost. Then it is looked up before it is sent again.
 */
export const isUncertain = (problem: Problem): boolean =>
  ['upstream_timeout', 'unreachable', 'interrupted'].includes(problem.code) || problem.status >= 502

/** Errors because of a state that may have ended since. The service did nothing with the key. */
const PASSING = ['not_ready', 'idempotency_in_progress', 'account_suspended', 'account_frozen']

/** Whether the same message may be sent again with the same key. After a conflict or a rejection, it may not. */
export const canRetry = (problem: Problem): boolean =>
  problem.isRetryable || problem.status === 0 || PASSING.includes(problem.code)

/** The service forgets keys after 24 hours. One hour is subtracted, because the clocks may differ. */
const KEY_LIFETIME_MS = 23 * 3_600_000

/**
 * Whether to ask the service if the message was sent before sending it again: its outcome is unknown, or its key is
 * so old that the service would treat the same request as a new message.
 */
export const needsLookUp = ({ problem, createdAt }: OutboxMessage, nowMs: number): boolean =>
  (problem !== undefined && isUncertain(problem)) || nowMs - Date.parse(createdAt) > KEY_LIFETIME_MS

/** The outgoing messages that the conversation does not show yet, so that no message is shown twice. */
export function notInThread(outbox: readonly OutboxMessage[], messages: readonly ChatMessage[]): OutboxMessage[] {
  const claimed = new Set<string>()
  return outbox.filter((outgoing) => {
    const found = messages.findLast(
      (message) => !claimed.has(message.message_id) && isSame(outgoing, message, messages),
    )
    if (found === undefined) return true
    claimed.add(found.message_id)
    return false
  })
}

function isSame(outgoing: OutboxMessage, message: ChatMessage, all: readonly ChatMessage[]): boolean {
  if (outgoing.messageId !== undefined) return message.message_id === outgoing.messageId
  // If the answer is pending or was lost, the record may already be loaded. It is recognized by its text and
  // position.
  if ((outgoing.state === 'failed' && !outgoing.isUnsettled) || !isOurs(message)) return false
  const start = all.findIndex(({ message_id }) => message_id === outgoing.after)
  const { text, caption, interactive, cloud_api: payload } = outgoing.body
  const template = message.content?.type === 'template' ? message.content.name : undefined
  if (sentTemplate(payload)?.name !== template || all.indexOf(message) <= start) return false
  // The service fills in the text of a template, so the texts cannot be compared.
  return template !== undefined || message.text === (text ?? caption ?? interactive?.body ?? '')
}
