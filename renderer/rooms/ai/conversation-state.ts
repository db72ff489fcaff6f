import type { Conversation } from '../../../main/contract/ai-conversation.ts'

/** The agent's state in a chat, as shown in the window. */
export type ChatState = 'active' | 'held' | 'waiting' | 'handed_over' | 'person' | 'meta_agent' | 'paused'

/** @param isHeld the network restricts the number from sending on its own. */
export function chatStateOf(
  { ai_active: isActive, handoff, pause_reason: reason }: Conversation,
  isHeld: boolean,
): ChatState {
  if (isActive) return isHeld ? 'held' : 'active'
  if (reason === 'handoff') return handoff?.waiting ? 'waiting' : 'handed_over'
  return reason === 'person' || reason === 'meta_agent' ? reason : 'paused'
}
