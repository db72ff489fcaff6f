import type { CampaignMessage } from '../../contract/campaign-message.ts'
import {
  fillTexts,
  longestCampaignText,
  parseCampaignText,
  renderCampaignText,
  seededFractions,
  shortestCampaignText,
  variableKey,
  withNumberedButtons,
  type CampaignText,
} from '../../contract/campaign-text.ts'
import type { Interactive } from '../../contract/interactive.ts'
import { charactersIn, INTERACTIVE_LIMITS, TEXT_LIMITS } from '../../contract/message-limits.ts'
import type { Engine } from '../../contract/shapes.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import { interactiveFault, interactivePayload } from '../../engines/official/interactive.ts'
import { exceededLimit } from '../../engines/official/payload-limits.ts'
import { templateParts, withCleanParameters } from './template-parameters.ts'

/** The person to whom a message is written. */
export interface Addressee {
  readonly phone: string
  readonly name: string | null
  readonly variables: Readonly<Record<string, string>>
}

/** A message for one person, with the fields of a single send. */
export interface RenderedMessage {
  readonly text?: string
  readonly media_url?: string
  readonly media_id?: string
  readonly media_type?: NonNullable<CampaignMessage['media_type']>
  readonly caption?: string
  readonly filename?: string
  readonly interactive?: Interactive
  readonly cloud_api?: object
  /** Shown as buttons. */
  readonly buttons: readonly string[]
}

/** Meta allows this many reply buttons in a message. */
const MOST_REPLY_BUTTONS = 3
const LONGEST_BODY_WITH_BUTTONS = 1_024

/** Cache of parsed texts; a campaign has few and sends them often. */
const parsed = new Map<string, CampaignText>()
const KEPT = 200

/** Caches the most recent ones. */
export function parseText(source: string): CampaignText {
  const known = parsed.get(source)
  if (known !== undefined) return known
  const text = parseCampaignText(source)
  if (text.parts.length < 2) return text
  if (parsed.size >= KEPT) parsed.clear()
  parsed.set(source, text)
  return text
}

/** @param seed the same seed renders the same message. */
export function renderMessage(
  message: CampaignMessage,
  addressee: Addressee,
  engine: Engine,
  seed: string,
): RenderedMessage {
  const values = valuesOf(addressee)
  const fraction = seededFractions(`${seed}:text`)
  return fillMessage(message, engine, (source) => renderCampaignText(parseText(source), values, fraction))
}

/** With the longest option everywhere. */
export const longestMessage = (message: CampaignMessage, addressee: Addressee, engine: Engine): RenderedMessage => {
  const values = valuesOf(addressee)
  return fillMessage(message, engine, (source) => longestCampaignText(parseText(source), values))
}

/** The shortest possible message for anybody. */
export const shortestMessage = (message: CampaignMessage, engine: Engine): RenderedMessage =>
  fillMessage(message, engine, (source) => shortestCampaignText(parseText(source)))

function fillMessage(message: CampaignMessage, engine: Engine, fill: (source: string) => string): RenderedMessage {
  const { text, caption, media_url: url, media_id: id, media_type: type, filename, cloud_api: payload } = message
  const { interactive } = message
  if (interactive !== undefined) return withInteractive(fillTexts(interactive, (source) => fill(source).trim()))
  if (payload !== undefined) return { cloud_api: withCleanParameters(fillTexts(payload, fill)), buttons: [] }
  const buttons = message.buttons ?? []
  if (text !== undefined) return withButtons(fill(text).trim(), buttons, engine)
  const words = withNumberedButtons(caption === undefined ? '' : fill(caption).trim(), buttons)
  return {
    ...(url !== undefined && { media_url: fill(url) }),
    ...(id !== undefined && { media_id: id }),
    ...(type !== undefined && { media_type: type }),
    ...(words !== '' && { caption: words }),
    ...(filename !== undefined && { filename: fill(filename) }),
    buttons: [],
  }
}

/** Removes optional texts that are empty for a person, because Meta refuses empty ones. */
function withInteractive(filled: Interactive): RenderedMessage {
  const { header, footer, ...rest } = filled
  const interactive = { ...rest, ...(header && { header }), ...(footer && { footer }) }
  return { text: interactive.body ?? '', interactive, buttons: (interactive.buttons ?? []).map(({ title }) => title) }
}

/** The body of `POST /v1/instances/{id}/messages`. The text of a payload is only for display. */
export function sendFields({ buttons: _shown, text, ...rest }: RenderedMessage): Omit<RenderedMessage, 'buttons'> {
  const isPayload = rest.cloud_api !== undefined || rest.interactive !== undefined
  return { ...(text !== undefined && !isPayload && { text }), ...rest }
}

function withButtons(
  text: string,
  buttons: readonly { readonly id: string; readonly text: string }[],
  engine: Engine,
): RenderedMessage {
  const fits = buttons.length <= MOST_REPLY_BUTTONS && text.length <= LONGEST_BODY_WITH_BUTTONS
  if (buttons.length === 0 || !TRAITS[engine].needsTemplates || !fits)
    return { text: withNumberedButtons(text, buttons), buttons: [] }
  const replies = buttons.map(({ id, text: title }) => ({ type: 'reply', reply: { id, title } }))
  const interactive = { type: 'button', body: { text }, action: { buttons: replies } }
  return { text, cloud_api: { type: 'interactive', interactive }, buttons: buttons.map((button) => button.text) }
}

function valuesOf({ phone, name, variables }: Addressee): Record<string, string> {
  const own = Object.entries(variables).map(([key, value]) => [variableKey(key), value] as const)
  return { ...Object.fromEntries(own), phone, name: name ?? '' }
}

/** Every text of a message that may contain variables. */
export function textsOf(message: CampaignMessage): string[] {
  const { text, caption, media_url: url, filename, interactive, cloud_api: payload = interactive } = message
  const found = [text, caption, url, filename].filter((each) => each !== undefined)
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  collect(payload)
  return found
}

/** Why a rendered message cannot be sent. */
export interface Fault {
  readonly reason: 'incomplete' | 'too_long'
  /** Length of a text that is too long. */
  readonly length: number
  readonly limit: number
  readonly message: string
}

/** @returns undefined if it can be sent. */
export function faultOf(rendered: RenderedMessage, engine: Engine): Fault | undefined {
  const { text, caption, interactive, cloud_api: payload } = rendered
  if (interactive !== undefined) return interactiveFaultOf(interactive)
  if (payload !== undefined) return payloadFault(payload, 'cloud_api.')
  if (text === '') return incomplete('The message is empty once its variables are replaced.')
  const limits = TEXT_LIMITS[engine]
  return (
    tooLong('text', charactersIn(text ?? ''), limits.text) ??
    tooLong('caption', charactersIn(caption ?? ''), limits.caption)
  )
}

function interactiveFaultOf(interactive: Interactive): Fault | undefined {
  const exceeded = payloadFault(interactivePayload(interactive), '')
  if (exceeded !== undefined) return exceeded
  const fault = interactiveFault(interactive)
  if (fault === undefined) return undefined
  return incomplete(`interactive.${fault.field} ${fault.message}, once its variables are replaced.`)
}

/** @param at prefix for the names of the payload's fields. */
function payloadFault(payload: object, at: string): Fault | undefined {
  for (const { part, texts } of templateParts(payload)) {
    const empty = texts.findIndex((text) => text === '')
    if (empty >= 0)
      return incomplete(`Value ${empty + 1} of the ${part} of the template is empty once its variables are replaced.`)
    const limit = part === 'header' ? INTERACTIVE_LIMITS.header : part === 'body' ? INTERACTIVE_LIMITS.body : Infinity
    const length = texts.reduce((sum, text) => sum + charactersIn(text), 0)
    const fault = tooLong(`${part} of the template`, length, limit)
    if (fault !== undefined) return fault
  }
  const exceeded = exceededLimit(payload)
  if (exceeded === undefined) return undefined
  const { field, limit, unit } = exceeded
  return { reason: 'too_long', length: limit + 1, limit, message: `${at}${field} has more than ${limit} ${unit}.` }
}

const incomplete = (message: string): Fault => ({ reason: 'incomplete', length: 0, limit: 0, message })

const tooLong = (what: string, length: number, limit: number): Fault | undefined =>
  length > limit
    ? {
        ...{ reason: 'too_long', length, limit },
        message: `The ${what} has ${length} characters once its variables are replaced, and may have ${limit}.`,
      }
    : undefined
