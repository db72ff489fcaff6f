import type { CatcherReply } from '../../../main/contract/sandbox.ts'

/** Replies worth testing, because each leads to a different result of the delivery. */
const REPLIES = {
  ok: { status: 200, delay_ms: 0, hang: false },
  slow: { status: 200, delay_ms: 5_000, hang: false },
  error: { status: 500, delay_ms: 0, hang: false },
  redirect: { status: 302, delay_ms: 0, hang: false },
  gone: { status: 410, delay_ms: 0, hang: false },
  silent: { status: 200, delay_ms: 0, hang: true },
} as const satisfies Record<string, CatcherReply>

export type ReplyName = keyof typeof REPLIES
export const REPLY_NAMES = Object.keys(REPLIES) as readonly ReplyName[]

export const replyOf = (answer: ReplyName): CatcherReply => REPLIES[answer]

/** `'own'` means a reply that was set over the API. For a catcher that never replies, the status does not matter. */
export function replyNameOf(reply: CatcherReply): ReplyName | 'own' {
  if (reply.hang) return 'silent'
  const isSame = (answer: ReplyName) =>
    !REPLIES[answer].hang && REPLIES[answer].status === reply.status && REPLIES[answer].delay_ms === reply.delay_ms
  return REPLY_NAMES.find(isSame) ?? 'own'
}
