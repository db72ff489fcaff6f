import { countVariants, parseCampaignText, variablesOf } from '../../../main/contract/campaign-text.ts'
import type { CampaignMessage } from '../../../main/contract/campaign-message.ts'
import type { MediaType } from '../../../main/contract/shapes.ts'
import {
  draftOfInteractive,
  faultsOf,
  interactiveOf,
  newInteractive,
  type InteractiveDraft,
} from '../../parts/interactive-draft.ts'
import { listTemplateFields, readTemplatePayload, toTemplatePayload } from './template.ts'
import type { Template, TemplateChoice } from './template.ts'

export const MESSAGE_KINDS = ['text', 'file', 'interactive', 'template'] as const

/** A variation that is being edited. */
export interface MessageDraft {
  /** `kept`: a message from a program that this form cannot edit. It stays unchanged. */
  readonly kind: (typeof MESSAGE_KINDS)[number] | 'kept'
  /** The text, or the caption of the file. */
  readonly text: string
  readonly file: FileDraft
  readonly buttons: readonly string[]
  readonly interactive: InteractiveDraft
  readonly template: TemplateChoice | null
  /** The stored message, also for an unknown template. */
  readonly kept: CampaignMessage | null
}

export interface FileDraft {
  readonly source: 'upload' | 'url'
  readonly url: string
  readonly mediaId: string
  readonly type: MediaType
  readonly filename: string
}

const NO_FILE: FileDraft = { source: 'upload', url: '', mediaId: '', type: 'image', filename: '' }
export const NEW_MESSAGE: MessageDraft = {
  ...{ kind: 'text', text: '', file: NO_FILE, buttons: [], template: null, kept: null },
  interactive: newInteractive('list'),
}

/** @param templates provide the placeholders of a template; a message with an unknown template stays as stored. */
export function toCampaignMessage(draft: MessageDraft, templates: readonly Template[]): CampaignMessage | undefined {
  const { kind, text, file, interactive, template, kept } = draft
  const buttons = draft.buttons.map((each) => each.trim()).filter((each) => each !== '')
  const rest = buttons.length > 0 ? { buttons: buttons.map((each, n) => ({ id: String(n + 1), text: each })) } : {}
  switch (kind) {
    case 'text':
      return text.trim() === '' ? undefined : { text, ...rest }
    case 'file': {
      const place = file.source === 'url' ? { media_url: file.url.trim() } : { media_id: file.mediaId }
      if (Object.values(place).includes('')) return undefined
      return {
        ...place,
        media_type: file.type,
        ...(text.trim() !== '' && file.type !== 'audio' && { caption: text }),
        ...(file.filename.trim() !== '' && { filename: file.filename.trim() }),
        ...rest,
      }
    }
    case 'template': {
      if (template === null) return undefined
      const found = findTemplate(templates, template)
      if (found === undefined) return kept ?? undefined
      return { cloud_api: toTemplatePayload(template, found) }
    }
    case 'interactive':
      return { interactive: interactiveOf(interactive) }
    case 'kept':
      return kept ?? undefined
  }
}

export function toMessageDraft(message: CampaignMessage): MessageDraft {
  const { text, caption, media_url, media_id, media_type, filename, buttons, interactive, cloud_api } = message
  const base = { ...NEW_MESSAGE, buttons: buttons?.map((button) => button.text) ?? [] }
  if (cloud_api !== undefined) {
    const template = readTemplatePayload({ ...cloud_api }) ?? null
    return { ...base, kind: template === null ? 'kept' : 'template', template, kept: message }
  }
  if (interactive !== undefined) {
    const written = draftOfInteractive(interactive)
    return written === null
      ? { ...base, kind: 'kept', kept: message }
      : { ...base, kind: 'interactive', interactive: written }
  }
  if (media_type === undefined) return { ...base, text: text ?? '' }
  const file: FileDraft = {
    ...{ source: media_id === undefined ? 'url' : 'upload', url: media_url ?? '', mediaId: media_id ?? '' },
    ...{ type: media_type, filename: filename ?? '' },
  }
  return { ...base, kind: 'file', text: caption ?? '', file }
}

/** Every text of a message, including its lists. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export const findTemplate = (
  templates: readonly Template[],
  { name, language }: Pick<TemplateChoice, 'name' | 'language'>,
): Template | undefined => templates.find((each) => each.name === name && each.language === language)

/** Every text of a variation that may contain variables. */
function textsOf({ kind, text, file, interactive, template }: MessageDraft): readonly string[] {
  if (kind === 'template') return Object.values(template?.values ?? {})
  if (kind === 'interactive') return textsIn(interactiveOf(interactive))
  if (kind === 'kept') return []
  return kind === 'file' ? [text, file.url] : [text]
}

/** Names of the variables of all variations, without duplicates. */
export const listVariables = (drafts: readonly MessageDraft[]): readonly string[] => [
  ...new Set(drafts.flatMap(textsOf).flatMap((text) => variablesOf(parseCampaignText(text)))),
]

/** Number of different messages that the variations and their options produce. */
export const countWordings = (drafts: readonly MessageDraft[]): number =>
  drafts.reduce((sum, draft) => sum + countVariants(parseCampaignText(mainText(draft))), 0)

/** Empty if the options produce no other message. */
function mainText({ kind, text, interactive }: MessageDraft): string {
  if (kind === 'interactive') return interactive.body
  return kind === 'kept' ? '' : text
}

export type MessageProblem = 'empty' | 'interactive' | 'noFile' | 'badUrl' | 'noTemplate' | 'templateField' | 'unclosed'

/** Why a variation cannot be sent; undefined if it can. */
export function findMessageProblem(draft: MessageDraft, templates: readonly Template[]): MessageProblem | undefined {
  const { kind, text, file, interactive, template } = draft
  const texts = textsOf(draft).map(parseCampaignText)
  if (texts.some((parsed) => (parsed.unclosedAt ?? parsed.tooDeepAt ?? parsed.tooManyAt) !== null)) return 'unclosed'
  if (kind === 'text') return text.trim() === '' ? 'empty' : undefined
  if (kind === 'file') {
    if (file.source === 'upload') return file.mediaId === '' ? 'noFile' : undefined
    return /^https?:\/\/\S+$/.test(file.url.trim()) ? undefined : 'badUrl'
  }
  if (kind === 'interactive') return Object.keys(faultsOf(interactive)).length === 0 ? undefined : 'interactive'
  if (kind === 'kept') return undefined
  if (template === null) return 'noTemplate'
  const found = findTemplate(templates, template)
  if (found === undefined) return undefined
  return listTemplateFields(found).some(({ key }) => !template.values[key]?.trim()) ? 'templateField' : undefined
}
