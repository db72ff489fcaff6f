import type { Conversation } from '../../../main/contract/ai-conversation.ts'

/** What the agent does in a chat, as the window says it. */
export type ChatState = 'active' | 'held' | 'waiting' | 'handed_over' | 'person' | 'meta_agent' | 'paused'

/** @param isHeld the network keeps the number from sending on its own. */
export function chatStateOf(
  { ai_active: isActive, handoff, pause_reason: reason }: Conversation,
  isHeld: boolean,
): ChatState {
  if (isActive) return isHeld ? 'held' : 'active'
  if (reason === 'handoff') return handoff?.waiting ? 'waiting' : 'handed_over'
  return reason === 'person' || reason === 'meta_agent' ? reason : 'paused'
}
