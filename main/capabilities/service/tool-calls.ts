import type { Notice } from '../../contract/notice.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'

/** A call of an assistant, without its arguments and result. */
export interface ToolCall {
  readonly tool: string
  readonly caller: Pick<Principal, 'accountId' | 'key'>
  readonly status: 'done' | 'refused' | 'waiting'
  readonly errorCode: string | null
  readonly ms: number
  readonly approvalId: string | null
}

export interface RecordedToolCall extends ToolCall {
  readonly id: number
  readonly atMs: number
}

export interface ToolCalls {
  readonly recordToolCall: (call: ToolCall) => void
  /** Newest first. */
  readonly toolCalls: (accountId: string) => readonly RecordedToolCall[]
}

export interface ToolCallsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}

/** Limit per account. */
const KEPT = 200

/** In memory only: a live view for the console, not an audit log. */
export function createToolCalls({ clock, live }: ToolCallsDeps): ToolCalls {
  const calls = new Map<string, readonly RecordedToolCall[]>()
  return {
    recordToolCall(call) {
      const { accountId } = call.caller
      const earlier = calls.get(accountId) ?? []
      const id = (earlier[0]?.id ?? 0) + 1
      calls.set(accountId, [{ ...call, id, atMs: clock.now() }, ...earlier].slice(0, KEPT))
      live.publish(accountId, { topic: 'tool-calls' })
    },
    toolCalls: (accountId) => calls.get(accountId) ?? [],
  }
}
