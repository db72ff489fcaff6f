import type { Conversation } from '../../../main/contract/ai.ts'

/** What the agent does in a chat, as the window says it. */
export type ChatState = 'active' | 'waiting' | 'handed_over' | 'person' | 'meta_agent' | 'paused'

export function chatStateOf({ ai_active: isActive, handoff, pause_reason: reason }: Conversation): ChatState {
  if (isActive) return 'active'
  if (reason === 'handoff') return handoff?.waiting ? 'waiting' : 'handed_over'
  return reason === 'person' || reason === 'meta_agent' ? reason : 'paused'
}
