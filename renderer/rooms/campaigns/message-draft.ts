import { countVariants, parseCampaignText, variablesOf } from '../../../main/contract/campaign-text.ts'
import type { CampaignMessage } from '../../../main/contract/campaign.ts'
import type { MediaType } from '../../../main/contract/shapes.ts'
import { listTemplateFields, readTemplatePayload, toTemplatePayload } from './template.ts'
import type { Template, TemplateChoice } from './template.ts'

export const MESSAGE_KINDS = ['text', 'file', 'template'] as const

/** A variation while it is written. */
export interface MessageDraft {
  /** `payload`: a Cloud API payload of a program, which is kept as it is. */
  readonly kind: (typeof MESSAGE_KINDS)[number] | 'payload'
  /** The text, or what stands below the file. */
  readonly text: string
  readonly file: FileDraft
  readonly buttons: readonly string[]
  readonly template: TemplateChoice | null
  readonly payload: Readonly<Record<string, unknown>> | null
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
  ...{ kind: 'text', text: '', file: NO_FILE, buttons: [], template: null, payload: null },
}

/** @param templates to know which places a template has; without its template a message keeps its payload. */
export function toCampaignMessage(draft: MessageDraft, templates: readonly Template[]): CampaignMessage | undefined {
  const { kind, text, file, template, payload } = draft
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
      if (found === undefined) return payload === null ? undefined : { cloud_api: payload }
      return { cloud_api: toTemplatePayload(template, found) }
    }
    case 'payload':
      return payload === null ? undefined : { cloud_api: payload }
  }
}

export function toMessageDraft(message: CampaignMessage): MessageDraft {
  const { text, caption, media_url, media_id, media_type, filename, buttons, cloud_api } = message
  const base = { ...NEW_MESSAGE, buttons: buttons?.map((button) => button.text) ?? [] }
  if (cloud_api !== undefined) {
    const payload = { ...cloud_api } as Readonly<Record<string, unknown>>
    const template = readTemplatePayload(payload) ?? null
    return { ...base, kind: template === null ? 'payload' : 'template', template, payload }
  }
  if (media_type === undefined) return { ...base, text: text ?? '' }
  const file: FileDraft = {
    ...{ source: media_id === undefined ? 'url' : 'upload', url: media_url ?? '', mediaId: media_id ?? '' },
    ...{ type: media_type, filename: filename ?? '' },
  }
  return { ...base, kind: 'file', text: caption ?? '', file }
}

export const findTemplate = (
  templates: readonly Template[],
  { name, language }: Pick<TemplateChoice, 'name' | 'language'>,
): Template | undefined => templates.find((each) => each.name === name && each.language === language)

/** Every text of a variation in which variables are replaced. */
function textsOf({ kind, text, file, template }: MessageDraft): readonly string[] {
  if (kind === 'template') return Object.values(template?.values ?? {})
  if (kind === 'payload') return []
  return kind === 'file' ? [text, file.url] : [text]
}

/** Names of the variables of all variations, each once. */
export const listVariables = (drafts: readonly MessageDraft[]): readonly string[] => [
  ...new Set(drafts.flatMap(textsOf).flatMap((text) => variablesOf(parseCampaignText(text)))),
]

/** How many different messages the variations and their options make. */
export const countWordings = (drafts: readonly MessageDraft[]): number =>
  drafts.reduce((sum, draft) => sum + (draft.kind === 'payload' ? 1 : countVariants(parseCampaignText(draft.text))), 0)

export type MessageProblem = 'empty' | 'noFile' | 'badUrl' | 'noTemplate' | 'templateField' | 'unclosed'

/** Why a variation cannot be sent; undefined if it can. */
export function findMessageProblem(draft: MessageDraft, templates: readonly Template[]): MessageProblem | undefined {
  const { kind, text, file, template } = draft
  const texts = textsOf(draft).map(parseCampaignText)
  if (texts.some((parsed) => (parsed.unclosedAt ?? parsed.tooDeepAt ?? parsed.tooManyAt) !== null)) return 'unclosed'
  if (kind === 'text') return text.trim() === '' ? 'empty' : undefined
  if (kind === 'file') {
    if (file.source === 'upload') return file.mediaId === '' ? 'noFile' : undefined
    return /^https?:\/\/\S+$/.test(file.url.trim()) ? undefined : 'badUrl'
  }
  if (kind === 'payload') return undefined
  if (template === null) return 'noTemplate'
  const found = findTemplate(templates, template)
  if (found === undefined) return undefined
  return listTemplateFields(found).some(({ key }) => !template.values[key]?.trim()) ? 'templateField' : undefined
}
