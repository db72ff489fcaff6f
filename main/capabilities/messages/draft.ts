import { GROUP_ID, NUMBER, USER_ID } from '../../contract/addresses.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Interactive } from '../../contract/interactive.ts'
import { charactersIn, TEXT_LIMITS } from '../../contract/message-limits.ts'
import type { Engine } from '../../contract/shapes.ts'
import type { FileType, Outgoing, OutgoingContent } from '../../engines/engine.ts'
import { interactiveBody } from '../../engines/official/interactive-content.ts'
import { interactivePayload, interactiveRefusal } from '../../engines/official/interactive.ts'
import { exceededLimit } from '../../engines/official/payload-limits.ts'
import type { SendBody } from './contract/sending.ts'
import { TRAITS } from '../../contract/engine-traits.ts'

/** A media message whose file has not been downloaded yet. */
export interface MediaDraft {
  readonly kind: 'media'
  readonly to: string
  readonly source: { readonly url: string } | { readonly mediaId: string }
  readonly mediaType: FileType
  readonly caption: string | null
  readonly filename: string | null
  readonly isGif?: boolean
  readonly isVoice?: boolean
}

interface Answering {
  /** The message it answers. */
  readonly quotedMessageId?: string
  /** Numbers of members of the group. */
  readonly mentions?: readonly string[]
}

/** A message of the instance to pass on. */
export interface ForwardDraft {
  readonly kind: 'forward'
  readonly to: string
  readonly messageId: string
}

/** What to send. Files and quoted messages are not resolved yet. */
export type Draft =
  | ((MediaDraft | Exclude<OutgoingContent, { kind: 'media' }>) & Answering)
  | ForwardDraft
  | (Extract<Outgoing, { kind: 'cloud_api' }> & Pick<Answering, 'quotedMessageId'>)

/** The request as the caller wrote it. */
type WrittenDraft = Exclude<Draft, ForwardDraft>

const KINDS = ['text', 'media_url', 'media_id', 'interactive', 'cloud_api'] as const

const KIND_NAMES = `${KINDS.slice(0, -1).join(', ')} and ${KINDS.at(-1)}`

/**
 * What the body asks to send. The schema has checked each field by itself; this checks how they go together, because a
 * schema's own words for "exactly one of three" help nobody.
 * @throws ApiError validation_error naming field and rule; engine_mismatch for interactive and cloud_api on smv2.
 */
export function readDraft(body: SendBody, engine: Engine): WrittenDraft {
  const { to, text, media_type: mediaType, interactive, cloud_api: payload } = body
  requireReachable(body, engine)
  const given = KINDS.filter((kind) => body[kind] !== undefined)
  if (given.length > 1) {
    throw wrong(`The body has ${given.join(' and ')}. Send exactly one of ${KIND_NAMES}.`)
  }
  const source = sourceOf(body)
  if (source === undefined) refuseMediaFields(body)
  for (const field of ['text', 'caption', 'filename'] as const) {
    if (body[field]?.isWellFormed() === false)
      throw wrong(`${field} contains a lone surrogate. Send well-formed Unicode.`)
  }
  requireTextsFit(body, engine)
  if (payload !== undefined) {
    if (TRAITS[engine].needsTemplates) {
      refuseElsewhere(to, payload)
      if (body.quoted_message_id !== undefined)
        throw wrong('quoted_message_id is not allowed with cloud_api. Use context in the payload.')
      requirePayloadFits(payload)
      return { kind: 'cloud_api', to, payload }
    }
    throw new ApiError(
      'engine_mismatch',
      'cloud_api needs the official engine, and this instance runs on smv2. Use text or media_url.',
    )
  }
  if (interactive !== undefined) return interactiveDraft(body, interactive, engine)
  const context = contextOf(body)
  if (text !== undefined) return { kind: 'text', to, text, ...context }
  if (source === undefined) {
    throw wrong(
      'The body has no content. Send exactly one of text, media_url or media_id with media_type, interactive, and cloud_api.',
    )
  }
  if (body.gif === true) requireKind(body, 'gif', 'video')
  if (body.voice === true) requireKind(body, 'voice', 'audio')
  if (body.gif === true && !TRAITS[engine].hasGifs)
    throw new ApiError('engine_mismatch', 'gif needs the smv2 engine. Send the video without it.')
  if (mediaType === undefined) throw wrong('media_type is missing. Set it to image, video, audio or document.')
  return {
    kind: 'media',
    to,
    source,
    mediaType,
    caption: body.caption ?? null,
    filename: body.filename ?? null,
    ...(body.gif === true && { isGif: true }),
    ...(body.voice === true && { isVoice: true }),
    ...context,
  }
}

function interactiveDraft({ to, quoted_message_id: quotedMessageId }: SendBody, message: Interactive, engine: Engine) {
  if (!TRAITS[engine].needsTemplates)
    throw new ApiError(
      'engine_mismatch',
      'interactive needs the official engine, and this instance runs on smv2. Use text or media_url.',
    )
  const refusal = interactiveRefusal(message, 'interactive')
  if (refusal !== undefined) throw refusal
  const payload = interactivePayload(message)
  return { kind: 'cloud_api', to, payload, ...(quotedMessageId !== undefined && { quotedMessageId }) } as const
}

function requireTextsFit(body: SendBody, engine: Engine): void {
  for (const field of ['text', 'caption'] as const) {
    const n = TEXT_LIMITS[engine][field]
    if (charactersIn(body[field] ?? '') > n)
      throw wrong(`${field} must be at most ${n} characters on the ${engine} engine.`).because('field_length_max', {
        field,
        n,
      })
  }
}

function requirePayloadFits(payload: object): void {
  const exceeded = exceededLimit(payload)
  if (exceeded === undefined) return
  const { unit, limit: n } = exceeded
  const field = `cloud_api.${exceeded.field}`
  const reason = unit === 'characters' ? 'field_length_max' : 'field_items_max'
  throw wrong(`${field} must have at most ${n} ${unit}.`).because(reason, { field, n })
}

function sourceOf({ media_url: url, media_id: mediaId }: SendBody): MediaDraft['source'] | undefined {
  if (url !== undefined) return { url }
  return mediaId === undefined ? undefined : { mediaId }
}

function requireKind({ media_type: mediaType }: SendBody, field: 'gif' | 'voice', needed: 'video' | 'audio'): void {
  if (mediaType !== needed) throw wrong(`${field} is only allowed with media_type ${needed}.`)
}

const contextOf = ({ quoted_message_id: quotedMessageId, mentions }: SendBody): Answering => ({
  ...(quotedMessageId !== undefined && { quotedMessageId }),
  ...(mentions !== undefined && { mentions }),
})

const ON_SMV2 = new RegExp(`^(?:${NUMBER}|${GROUP_ID})$`)
const GROUP = new RegExp(`^${GROUP_ID}$`)

export const isGroupChat = (chat: string): boolean => GROUP.test(chat)

/**
 * @throws ApiError engine_mismatch for what official has not in groups, validation_error for an address of another engine.
 */
function requireReachable({ to, mentions, interactive }: SendBody, engine: Engine): void {
  const isGroup = isGroupChat(to)
  if (!TRAITS[engine].hasUserIds && !ON_SMV2.test(to)) {
    throw wrong(`to must be digits or the id of a group on the smv2 engine. ${to} is an id of the official engine.`)
  }
  if (!TRAITS[engine].hasFullGroups && isGroup && (mentions !== undefined || interactive !== undefined)) {
    const field = mentions === undefined ? 'interactive' : 'mentions'
    throw new ApiError(
      'engine_mismatch',
      `The official engine has no ${field} in groups. Send text, a file or a template.`,
    )
  }
  if (mentions !== undefined && !isGroup) throw wrong('mentions is only allowed when to is a group.')
}

function refuseMediaFields(body: SendBody): void {
  for (const field of ['media_type', 'caption', 'filename', 'gif', 'voice'] as const) {
    if (body[field] !== undefined) throw wrong(`${field} is only allowed with media_url or media_id.`)
  }
}

const IS_USER_ID = new RegExp(`^${USER_ID}$`)

/** The record and events show `to`, so a destination inside the payload must be the same. */
function refuseElsewhere(to: string, payload: { readonly to?: unknown; readonly recipient?: unknown }): void {
  const { to: named, recipient } = payload
  const digits = typeof named === 'string' ? named.replace(/^\+/, '') : named
  const isElsewhere =
    digits !== undefined ? digits !== to : recipient !== undefined && IS_USER_ID.test(to) && recipient !== to
  if (isElsewhere) throw wrong('cloud_api.to differs from to. Remove it, or use the same number in both.')
}

/** The `type` of the status record. */
export function typeOf(draft: WrittenDraft): string {
  if (draft.kind === 'media') return draft.mediaType
  if (draft.kind !== 'cloud_api') return draft.kind
  // The Cloud API reads a payload without a type as text.
  const type: unknown = 'type' in draft.payload ? draft.payload.type : 'text'
  return typeof type === 'string' && /^[a-z_]{1,32}$/.test(type) ? type : 'text'
}

/** What a conversation shows of it in words. */
export function textOf(out: Outgoing): string {
  switch (out.kind) {
    case 'text':
    case 'forward':
      return out.text
    case 'media':
      return out.caption ?? ''
    case 'location':
      return [out.name, out.address].filter((words) => words !== null).join(', ')
    case 'contact':
      return [out, ...(out.others ?? [])].map(({ name }) => name).join(', ')
    case 'poll':
      return out.question
    case 'cloud_api':
      return interactiveBody(out.payload)
  }
}

const wrong = (message: string) => new ApiError('validation_error', message)
