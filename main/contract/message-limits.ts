import type { Engine } from './shapes.ts'
import { LIMITS } from './limits.ts'

interface TextLimits {
  readonly text: number
  readonly caption: number
}

/** Characters that the network of each engine accepts. */
export const TEXT_LIMITS = {
  smv2: { text: LIMITS.textLength, caption: LIMITS.captionLength },
  official: { text: 4_096, caption: 1_024 },
} as const satisfies Record<Engine, TextLimits>

/** Limits of an interactive message in the Cloud API: characters, or counts. */
export const INTERACTIVE_LIMITS = {
  header: 60,
  body: 1_024,
  /** Body of a list message. */
  listBody: 4_096,
  footer: 60,
  buttons: 3,
  button: 20,
  buttonId: 256,
  /** The button that opens a list, or a link. */
  openButton: 20,
  sections: 10,
  section: 24,
  /** All sections together. */
  rows: 10,
  row: 24,
  rowDescription: 72,
  rowId: 200,
  /** The button that opens a flow. */
  flowButton: 30,
  /** Products in all sections of a product list. */
  products: 30,
} as const

/**
 * Meta does not document how it counts. This is the smaller of the two usual counts, so that nothing acceptable is
 * refused.
 */
export function charactersIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++
  return count
}

/** Meta: "Conversational components", 2026-03-27. Lengths in characters. */
export const CONVERSATIONAL_LIMITS = {
  ...{ iceBreakers: 4, iceBreaker: 80, commands: 30, commandName: 32, commandHint: 256 },
} as const

/** Cards of a template. Meta: "Media card carousel templates", 2026-06-24. `body` in characters. */
export const CARD_LIMITS = { least: 2, most: 10, body: 160, lineBreaks: 2, buttons: 2 } as const
