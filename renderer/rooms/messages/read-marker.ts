/** The state of the open chat in a window. */
export interface ChatView {
  /** Identifies the instance and the chat. */
  readonly place: string
  /** The messages are visible, in a window that has the focus. */
  readonly isWatched: boolean
  readonly newestMessageId: string | undefined
  /** undefined if the list does not contain the chat, for example because of a search. */
  readonly unreadMessages: number | undefined
  readonly isMarked: boolean
}

/**
 * Decides when the open chat is marked as read: when it is opened, and when a message arrives while it is watched. A
 * chat that is marked as unread while it is open stays unread until it is opened again.
 */
export function createReadMarker(): (view: ChatView) => boolean {
  let seen: Pick<ChatView, 'place' | 'newestMessageId'> | undefined
  return ({ place, isWatched, newestMessageId, unreadMessages, isMarked }) => {
    if (!isWatched) return false
    const isOpened = seen?.place !== place
    const isNews = isOpened || seen?.newestMessageId !== newestMessageId
    seen = { place, newestMessageId }
    if (unreadMessages === undefined) return isNews
    return unreadMessages > 0 || (isOpened && isMarked)
  }
}
