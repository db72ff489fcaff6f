import { isoTime } from '../../contract/request.ts'
import type { MessageErrorShape, MessageStatus } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import type { Announce } from '../instances/index.ts'
import type { UsageCounter } from './usage-counter.ts'
import { moveStatus, type Message } from './store.ts'

/** Spec: States, Message status. What each status may become; `read` and `failed` are final. */
export const NEXT = {
  queued: ['sent', 'failed'],
  sent: ['delivered', 'failed'],
  delivered: ['read', 'failed'],
  read: [],
  failed: [],
} as const satisfies Record<MessageStatus, readonly MessageStatus[]>

/**
 * The statuses crossed on the way, the last one being `to`. Receipts arrive late, twice and out of order: one that
 * skips crosses what lies between, one that goes backwards crosses nothing.
 */
export function statusesCrossed(from: MessageStatus, to: MessageStatus): MessageStatus[] {
  const next: readonly MessageStatus[] = NEXT[from]
  if (next.includes(to)) return [to]
  for (const step of next) {
    const rest = statusesCrossed(step, to)
    if (rest.length > 0) return [step, ...rest]
  }
  return []
}

/** The fields that come with a new status. */
export interface Move {
  readonly to: Exclude<MessageStatus, 'queued'>
  readonly atMs: number
  readonly error?: MessageErrorShape
  readonly engineMessageId?: string | undefined
}

/**
 * Moves a message and announces each status it crosses, in order, in the caller's unit of work.
 * @param message as read in this same unit.
 * @returns false when its status does not allow the move; then nothing changes and nothing is announced.
 */
export async function advance(tx: Tx, announce: AnnounceStatus, message: Message, move: Move): Promise<boolean> {
  const steps = statusesCrossed(message.status, move.to)
  if (steps.length === 0) return false
  const at = notBefore(message, move.atMs)
  const dated = (status: MessageStatus) => (steps.includes(status) ? at : null)
  await tx.run(moveStatus, {
    seq: message.seq,
    status: move.to,
    engineMessageId: move.engineMessageId ?? null,
    sentAt: dated('sent'),
    deliveredAt: dated('delivered'),
    readAt: dated('read'),
    failedAt: dated('failed'),
    errorCode: move.error?.code ?? null,
    errorMessage: move.error?.message ?? null,
    errorProviderCode: move.error?.provider_code ?? null,
  })
  for (const step of steps) await announce(tx, message, step, at, move.error)
  return true
}

export type AnnouncedMessage = Pick<
  Message,
  'id' | 'accountId' | 'instanceId' | 'chat' | 'source' | 'idempotencyKey' | 'campaignId' | 'origin'
>

export type AnnounceStatus = ReturnType<typeof createAnnounceStatus>

/** The event of one status (spec: Events, Links), counted for the account that sent the message. */
export function createAnnounceStatus(announce: Announce, counted: Pick<UsageCounter, 'status'>) {
  return async function announceStatus(
    tx: Tx,
    message: AnnouncedMessage,
    status: MessageStatus,
    atMs: number,
    error?: MessageErrorShape,
  ): Promise<void> {
    if (status === 'queued' || (status === 'failed' && error === undefined)) return
    const data = {
      message_id: message.id,
      to: message.chat,
      chat: message.chat,
      status,
      timestamp: isoTime(atMs),
      idempotency_key: message.idempotencyKey,
      source: message.source,
      campaign_id: message.campaignId,
    }
    const { instanceId, origin } = message
    if (error === undefined || status !== 'failed')
      await announce(tx, instanceId, `message.${status}` as 'message.sent', data, atMs, origin)
    else await announce(tx, instanceId, 'message.failed', { ...data, error }, atMs, origin)
    await counted.status(tx, message, status, atMs)
  }
}

/** Networks date receipts by clocks of their own, often in whole seconds: a history must not run backwards. */
function notBefore(message: Message, atMs: number): number {
  return Math.max(atMs, message.createdAtMs, message.sentAtMs ?? 0, message.deliveredAtMs ?? 0)
}
