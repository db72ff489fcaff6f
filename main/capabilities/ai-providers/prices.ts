/**
 * US dollars for a million tokens, input and output, as published by the providers. The longest matching name is
 * used.
 */
const PRICES: Readonly<Record<string, readonly [input: number, output: number]>> = {
  'gpt-5': [1.25, 10],
  'gpt-5-mini': [0.25, 2],
  'gpt-5-nano': [0.05, 0.4],
  'gpt-5.1': [1.25, 10],
  'gpt-4.1': [2, 8],
  'gpt-4.1-mini': [0.4, 1.6],
  'gpt-4.1-nano': [0.1, 0.4],
  'gpt-4o': [2.5, 10],
  'gpt-4o-mini': [0.15, 0.6],
  o3: [2, 8],
  'o3-mini': [1.1, 4.4],
  'o4-mini': [1.1, 4.4],
  'claude-opus-4': [15, 75],
  'claude-opus-4-5': [5, 25],
  'claude-sonnet-4': [3, 15],
  'claude-haiku-4-5': [1, 5],
  'claude-3-7-sonnet': [3, 15],
  'claude-3-5-sonnet': [3, 15],
  'claude-3-5-haiku': [0.8, 4],
  'claude-3-haiku': [0.25, 1.25],
  'gemini-2.5-pro': [1.25, 10],
  'gemini-2.5-flash': [0.3, 2.5],
  'gemini-2.5-flash-lite': [0.1, 0.4],
  'gemini-2.0-flash': [0.1, 0.4],
  'gemini-2.0-flash-lite': [0.075, 0.3],
}

/** A dated or numbered edition costs the same as its model. Any other word after the name means another model. */
const EDITION = /^(?:[-@:.]?(?:\d|latest|preview|exp|beta))*$/

export interface Price {
  readonly inputPerMillionUsd: number
  readonly outputPerMillionUsd: number
}

/** @param model as the provider writes it; OpenRouter prefixes the maker and a slash. */
export function priceOf(model: string): Price | null {
  const name = model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^models[:/]/, '')
    .replace(/:free$/, ' free')
  const fitting = Object.keys(PRICES)
    .filter((known) => name.startsWith(known) && EDITION.test(name.slice(known.length)))
    .toSorted((a, b) => b.length - a.length)
  const price = PRICES[fitting[0] ?? '']
  return price === undefined ? null : { inputPerMillionUsd: price[0], outputPerMillionUsd: price[1] }
}

/** Millionths of a dollar, rounded up, so that a limit is never exceeded. */
export const costMicros = (price: Price, inputTokens: number, outputTokens: number): number =>
  Math.ceil(inputTokens * price.inputPerMillionUsd + outputTokens * price.outputPerMillionUsd)
