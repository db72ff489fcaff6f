/** What a window shows of the open chat. */
export interface ChatView {
  /** Instance and chat. */
  readonly place: string
  /** The messages are on screen, in a window that has the focus. */
  readonly isWatched: boolean
  readonly newestMessageId: string | undefined
  /** undefined: the list does not hold the chat, for example because of a search. */
  readonly unreadMessages: number | undefined
  readonly isMarked: boolean
}

/**
 * Decides when the open chat is to be marked as read: when it is opened, and when a message arrives while somebody looks.
 * A chat that is marked as unread while it is open stays so until it is opened again.
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
