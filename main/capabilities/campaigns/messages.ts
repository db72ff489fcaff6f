import type { CampaignMessage } from '../../contract/campaign-message.ts'
import { fillTexts, variablesOf } from '../../contract/campaign-text.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Engine } from '../../contract/shapes.ts'
import { interactiveRefusal } from '../../engines/official/interactive.ts'
import { faultOf, parseText, shortestMessage, textsOf } from './render.ts'

const KINDS = ['text', 'media_url', 'media_id', 'interactive', 'cloud_api'] as const
/** Kinds of messages that only official numbers can send. */
const OFFICIAL_KINDS = ['interactive', 'cloud_api'] as const
const OF_FILES = ['media_type', 'caption', 'filename'] as const

/**
 * Checks the fields against each other; the schema has checked each one alone.
 * @throws ApiError validation_error, engine_mismatch, invalid_url that names the message by its position, from 1
 */
export function requireMessages(messages: readonly CampaignMessage[], engines: readonly Engine[]): void {
  requireShortPayloads(messages)
  for (const [index, message] of messages.entries()) requireMessage(message, `messages ${index + 1}`, engines)
}

/** @throws ApiError validation_error for a payload that is too slow to read and to show. */
export function requireShortPayloads(messages: readonly CampaignMessage[]): void {
  const at = messages.findIndex(({ interactive, cloud_api: payload = interactive }) => payload && isLong(payload))
  if (at >= 0)
    throw wrong(
      `messages ${at + 1} has a payload with more than ${LIMITS.campaignPayloadTexts} texts, or with more than ${LIMITS.textLength} characters. Shorten it.`,
    )
}

const isLong = (payload: object) =>
  JSON.stringify(payload).length > LIMITS.textLength ||
  textsOf({ cloud_api: payload }).length > LIMITS.campaignPayloadTexts

function requireMessage(message: CampaignMessage, name: string, engines: readonly Engine[]): void {
  const given = KINDS.filter((kind) => message[kind] !== undefined)
  if (given.length === 0)
    throw wrong(
      `${name} is empty. Give it text, media_url or media_id with media_type, interactive, or cloud_api.`,
    ).because('message_empty')
  if (message.text !== undefined && message.text.trim() === '')
    throw wrong(`${name} is empty: its text has only spaces. Write something or remove it.`).because('message_empty')
  if (given.length > 1) throw wrong(`${name} has ${given.join(' and ')}. Use exactly one of them.`)
  const isFile = message.media_url !== undefined || message.media_id !== undefined
  if (!isFile) {
    const extra = OF_FILES.find((field) => message[field] !== undefined)
    if (extra !== undefined) throw wrong(`${name} has ${extra}, which is only allowed with a file.`)
  } else if (message.media_type === undefined)
    throw wrong(`${name} has no media_type. Set it to image, video, audio or document.`)
  const official = OFFICIAL_KINDS.find((kind) => message[kind] !== undefined)
  if (official !== undefined && message.buttons !== undefined)
    throw wrong(`${name} has buttons next to ${official}. Put them into ${official}.`)
  if (official !== undefined && engines.includes('smv2'))
    throw new ApiError(
      'engine_mismatch',
      `${name} has ${official}, which needs official numbers only. Use text or a file.`,
    )
  requireInteractive(message, name)
  requireAddress(message, name)
  requireLengths(message, name, engines)
  for (const text of textsOf(message)) requireText(text, name)
}

function requireText(text: string, name: string): void {
  if (!text.isWellFormed())
    throw wrong(`${name} contains a lone surrogate. Send well-formed Unicode.`).because('field_characters', {
      field: 'text',
    })
  const { unclosedAt, tooDeepAt, tooManyAt } = parseText(text)
  if (tooManyAt !== null) {
    const start = text.slice(tooManyAt - 1, tooManyAt + 19)
    throw wrong(
      `${name} has more than ${LIMITS.campaignPlaces} variables and options, at ${JSON.stringify(start)}. Use fewer.`,
    ).because('message_places', { n: LIMITS.campaignPlaces, text: start })
  }
  if (tooDeepAt !== null) {
    const start = text.slice(tooDeepAt - 1, tooDeepAt + 19)
    throw wrong(
      `${name} has options nested more than 10 levels deep, at ${JSON.stringify(start)}. Use fewer levels.`,
    ).because('message_nested', { text: start })
  }
  if (unclosedAt === null) return
  const start = text.slice(unclosedAt - 1, unclosedAt + 19)
  throw wrong(`${name} has a { without its }, at ${JSON.stringify(start)}. Close it or remove it.`).because(
    'message_unclosed',
    { text: start },
  )
}

/**
 * Checks the fields of a menu, link or form against each other. Texts with variables are checked for each person.
 * @throws ApiError validation_error
 */
function requireInteractive({ interactive }: CampaignMessage, name: string): void {
  if (interactive === undefined) return
  let places = 0
  // A short URL is valid in every field.
  const filled = fillTexts(interactive, (text) => (text.includes('{') ? `https://p${places++}.x` : text))
  const refusal = interactiveRefusal(filled, `${name}: interactive`)
  if (refusal !== undefined) throw refusal
}

function requireAddress({ media_url: url }: CampaignMessage, name: string): void {
  if (url === undefined || url.includes('{')) return
  const { protocol } = URL.parse(url) ?? {}
  if (protocol === 'https:' || protocol === 'http:') return
  throw new ApiError('invalid_url', `${name} has a media_url that does not begin with https:// or http://.`).because(
    'url_scheme',
    { field: 'media_url', schemes: 'https://, http://' },
  )
}

/** Reports texts that are too long for everybody, even with the shortest options and empty variables. */
function requireLengths(message: CampaignMessage, name: string, engines: readonly Engine[]): void {
  for (const engine of engines) {
    const fault = faultOf(shortestMessage(message, engine), engine)
    if (fault?.reason === 'too_long')
      throw wrong(`${name}: ${fault.message} Shorten it.`).because('message_too_long', { n: fault.limit })
  }
}

const ALWAYS_KNOWN = ['name', 'phone']

/** Variables in the texts that no recipient has, with the position of the first message that uses them. */
export function unknownVariables(
  messages: readonly CampaignMessage[],
  variables: readonly string[],
): { readonly name: string; readonly message: number }[] {
  const known = new Set([...ALWAYS_KNOWN, ...variables])
  const found = new Map<string, number>()
  for (const [index, message] of messages.entries()) {
    for (const name of textsOf(message).flatMap((text) => variablesOf(parseText(text))))
      if (!known.has(name) && !found.has(name)) found.set(name, index + 1)
  }
  return [...found].map(([name, message]) => ({ name, message }))
}

const wrong = (message: string) => new ApiError('validation_error', message)
