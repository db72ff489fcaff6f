import type { DatedMessageRef, DirectActs, MessageRef } from '../../engines/direct.ts'
import type { EngineInstance } from '../../engines/engine.ts'
import type { ActionBody } from './contract/actions.ts'

export type Result = Readonly<Record<string, unknown>>

/** What may be posted. */
export type PostType = 'image' | 'video'

/** What an action works with. */
export interface ActContext {
  readonly instance: EngineInstance
  readonly body: ActionBody
  /** @throws ApiError not_found, invalid_state when the network does not have the message. */
  readonly message: (messageId: string) => Promise<MessageRef>
  /** The newest message of a chat. */
  readonly lastMessage: (chat: string) => Promise<DatedMessageRef | null>
  /** Fetches the file at `media_url`. @throws ApiError invalid_url, validation_error */
  readonly picture: (url: string) => Promise<Buffer>
  /** Fetches a file of any allowed type. @throws ApiError invalid_url, validation_error */
  readonly file: (url: string, type: PostType) => Promise<{ mimeType: string; bytes: Buffer }>
  /** The engine's implementation. @throws ApiError engine_mismatch when it has none. */
  readonly engine: <K extends keyof DirectActs>(act: K) => DirectActs[K]
}

export type Act = (scene: ActContext) => Promise<Result>

/** By the last two parts of the path. */
export type Acts = Readonly<Record<string, Act>>
