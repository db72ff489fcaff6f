/** A request to a model, in the words of no provider. */
export interface ModelRequest {
  readonly model: string
  readonly system: string
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** Name of the tool that must be called; `none`: no tool may be. */
  readonly toolChoice: string | null
  /** JSON schema of the answer; null: it is free text. */
  readonly schema: JsonSchema | null
  readonly isStream: boolean
  /** Whether a stream ends with the tokens used, where a provider asks for them. */
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

/** Four letters are a token in most languages; only that it grows with the text matters here. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4)

/** Parsed JSON is anything. */
export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
