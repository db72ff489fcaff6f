import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import type { Problem } from '../../app/problem.ts'
import { isOurs } from './thread.ts'
import type { ChatMessage } from './records.ts'
import { sentTemplate } from './template-message.ts'

/**
 * One message on its way out. Its key is made once: however often it is tried, it reaches the other side at most once
 * (spec: Idempotency-Key).
 */
export interface OutboxMessage {
  readonly key: string
  readonly instanceId: string
  readonly chat: string
  readonly body: SendBody
  readonly createdAt: string
  /** The newest message when it was written: only what comes after it can be this one. */
  readonly after: string | undefined
  readonly state: 'sending' | 'accepted' | 'failed'
  readonly messageId: string | undefined
  readonly problem: Problem | undefined
  /** No answer came, and the service has not said yet whether it has the message. */
  readonly isUnsettled: boolean
}

/** How long to wait before retrying automatically; undefined: a person decides. */
export function retryDelayMs(problem: Problem, tries: number): number | undefined {
  const most = 5
  return problem.code === 'idempotency_in_progress' && tries < most ? 1_000 * (tries + 1) : undefined
}

/** Whether the message may have left although the answer was lost: then it is looked up before anything else. */
export const isUncertain = (problem: Problem): boolean =>
  ['upstream_timeout', 'unreachable', 'interrupted'].includes(problem.code) || problem.status >= 502

/** Refused for a state that may have ended since, before anything was done with the key. */
const PASSING = ['not_ready', 'idempotency_in_progress', 'account_suspended', 'account_frozen']

/** Whether the key is still good: the same words may be sent again under it. After a conflict or a refusal they may not. */
export const canRetry = (problem: Problem): boolean =>
  problem.isRetryable || problem.status === 0 || PASSING.includes(problem.code)

/** The service forgets keys after 24 hours; an hour of it is kept for clocks that disagree. */
const KEY_LIFETIME_MS = 23 * 3_600_000

/**
 * Whether to ask the service if the message was sent before sending it again: its outcome is unknown, or its key is so
 * old that the service would take the same request for a new message.
 */
export const needsLookUp = ({ problem, createdAt }: OutboxMessage, nowMs: number): boolean =>
  (problem !== undefined && isUncertain(problem)) || nowMs - Date.parse(createdAt) > KEY_LIFETIME_MS

/** The outgoing messages that the conversation does not show yet, so that nothing is on screen twice. */
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
  // While the answer is on its way, or was lost, the record may be there already: known by its words and its place.
  if ((outgoing.state === 'failed' && !outgoing.isUnsettled) || !isOurs(message)) return false
  const start = all.findIndex(({ message_id }) => message_id === outgoing.after)
  const { text, caption, interactive, cloud_api: payload } = outgoing.body
  const template = message.content?.type === 'template' ? message.content.name : undefined
  if (sentTemplate(payload)?.name !== template || all.indexOf(message) <= start) return false
  // The words of a template are filled in here, and the window does not send them.
  return template !== undefined || message.text === (text ?? caption ?? interactive?.body ?? '')
}
