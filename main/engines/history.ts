import type { EngineInstance } from './instance.ts'
import type { ReceivedSignal } from './received.ts'

/** A message of before, in the words of one that has just been received. */
export type HistoryMessage = ReceivedSignal

/** A message before which the history of its chat can be requested. */
export interface HistoryPlace {
  /** Digits, or the group's id. */
  readonly chat: string
  /** How the engine itself names the chat; null where it has not said so. */
  readonly address: string | null
  readonly engineMessageId: string
  readonly isOwn: boolean
  readonly atMs: number
}

/** A chat the phone named when it was linked. */
interface HistoryChat {
  /** Orders the chats of an instance. */
  readonly key: string
  readonly chat: string
  readonly name: string | null
  /** Of its newest message then; null: there was none. */
  readonly place: HistoryPlace | null
  readonly message: HistoryMessage | null
}

interface HistoryPage {
  /** Newest first. */
  readonly messages: readonly HistoryMessage[]
  /** The oldest message, readable or not; null: there is nothing before. */
  readonly oldest: HistoryPlace | null
  /** Nothing of the chat is older. */
  readonly isComplete: boolean
}

/** Messages from before the number was connected, as far as the phone still has them. */
export interface HistorySource {
  /** @param after the key of the last one of the page before; '' for the first. */
  chats(instance: EngineInstance, after: string, limit: number): Promise<HistoryChat[]>
  /**
   * Asks the phone for up to `count` messages of a chat before a place.
   * @throws ApiError not_ready; any other error means that the phone did not answer.
   */
  before(instance: EngineInstance, place: HistoryPlace, count: number, signal: AbortSignal): Promise<HistoryPage>
}
