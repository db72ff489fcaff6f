import { computed, onMounted } from 'vue'
import { useUnread } from './unread.ts'

/** The count of unread conversations, shown beside the inbox in the sidebar. */
export function useUnreadBadge() {
  const unread = useUnread()
  onMounted(() => unread.load())
  return computed(() => ({ count: unread.chats, words: 'messages.unread.badge', color: 'primary' as const }))
}
