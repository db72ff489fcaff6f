/** A request to a model, independent of the provider. */
export interface ModelRequest {
  readonly model: string
  readonly system: string
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** Name of the tool that must be called; `none`: tools are not allowed. */
  readonly toolChoice: string | null
  /** JSON schema of the answer; null: free text. */
  readonly schema: JsonSchema | null
  readonly isStream: boolean
  /** Whether a stream ends with the token usage, for providers where that is optional. */
  readonly wantsUsage: boolean
}

export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

export type JsonSchema = Readonly<Record<string, unknown>>

interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What the model answers. */
export interface ModelAnswer {
  readonly id: string
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly usage: { readonly input: number; readonly output: number }
}

/** About four letters per token in most languages; it only has to grow with the text. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4)

/** The value as an object, because parsed JSON may be anything. */
export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
