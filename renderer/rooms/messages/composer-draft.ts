import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import type { MediaType } from '../../../main/contract/shapes.ts'
import { readTemplatePayload, type TemplateChoice } from '../campaigns/template.ts'
import { draftOfInteractive, type InteractiveDraft } from '../../parts/interactive-draft.ts'

/** The unsent message of a chat. */
export interface ComposerDraft {
  readonly text: string
  /** A file that is sent by its URL. */
  readonly media: { readonly url: string; readonly type: MediaType; readonly filename: string } | null
  /** A message with buttons or a list, which is written in a dialog. */
  readonly interactive: InteractiveDraft | null
  /** A template, which is also written in a dialog. */
  readonly template: TemplateChoice | null
}

/** The state before a template is selected. */
export const NEW_TEMPLATE_CHOICE: TemplateChoice = { name: '', language: '', values: {} }

export const EMPTY_DRAFT: ComposerDraft = { text: '', media: null, interactive: null, template: null }
export const NO_MEDIA = { url: '', type: 'image', filename: '' } as const satisfies ComposerDraft['media']

/** Whether the person has typed or selected anything. */
export const isTyped = ({ text, media, interactive, template }: ComposerDraft): boolean =>
  text.trim() !== '' ||
  interactive !== null ||
  template !== null ||
  (media !== null && `${media.url}${media.filename}`.trim() !== '')

/** A draft from a message that could not be sent, so that it can be changed and sent again. */
export const draftOf = ({
  text,
  caption,
  media_url: url,
  media_type: type,
  filename,
  interactive,
  cloud_api: payload,
}: SendBody): ComposerDraft => ({
  text: text ?? caption ?? '',
  media: url === undefined ? null : { url, type: type ?? NO_MEDIA.type, filename: filename ?? '' },
  interactive: draftOfInteractive(interactive),
  template: (payload && readTemplatePayload({ ...payload })) ?? null,
})

/** @returns undefined if the draft cannot be sent yet. */
export function bodyOf(to: string, { text, media }: ComposerDraft): SendBody | undefined {
  const words = text.trim()
  if (media === null) return words === '' ? undefined : { to, text: words }
  const [url, filename] = [media.url.trim(), media.filename.trim()]
  if (!/^https?:\/\/\S+$/.test(url)) return undefined
  return {
    ...{ to, media_url: url, media_type: media.type },
    ...(words !== '' && media.type !== 'audio' && { caption: words }),
    ...(filename !== '' && media.type === 'document' && { filename }),
  }
}
