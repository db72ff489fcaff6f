import type { EngineInstance } from './instance.ts'

/** What WhatsApp offers people to write in a chat with a business. What they choose arrives as a text. */
export interface ConversationalComponents {
  /** Questions that people can tap when they first open the chat. */
  readonly iceBreakers: readonly string[]
  /** Suggestions shown when people type a slash. */
  readonly commands: readonly { readonly name: string; readonly hint: string }[]
}

/** The components of a number, which the network keeps. Each throws an ApiError for what the network refuses. */
export interface ConversationalSettings {
  read(instance: EngineInstance): Promise<ConversationalComponents>
  /** All are replaced. */
  set(instance: EngineInstance, components: ConversationalComponents): Promise<void>
}
