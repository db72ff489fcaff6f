import type { DatedMessageRef, DirectActs, MessageRef } from '../../engines/direct.ts'
import type { EngineInstance } from '../../engines/engine.ts'
import type { ActionBody } from './contract/actions.ts'

export type Result = Readonly<Record<string, unknown>>

/** Types of files that can be posted. */
export type PostType = 'image' | 'video'

/** Everything that an action may use. */
export interface ActContext {
  readonly instance: EngineInstance
  readonly body: ActionBody
  /** @throws ApiError not_found, invalid_state when the network does not have the message. */
  readonly message: (messageId: string) => Promise<MessageRef>
  /** The newest message of a chat. */
  readonly lastMessage: (chat: string) => Promise<DatedMessageRef | null>
  /** Fetches the file at `media_url`. @throws ApiError invalid_url, validation_error */
  readonly picture: (url: string) => Promise<Buffer>
  /** Fetches a file of this type. @throws ApiError invalid_url, validation_error */
  readonly file: (url: string, type: PostType) => Promise<{ mimeType: string; bytes: Buffer }>
  /** The engine's implementation. @throws ApiError engine_mismatch when it has none. */
  readonly engine: <K extends keyof DirectActs>(act: K) => DirectActs[K]
}

export type Act = (scene: ActContext) => Promise<Result>

/** Actions by the last two segments of the path. */
export type Acts = Readonly<Record<string, Act>>
