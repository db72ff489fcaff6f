import type { Interactive } from '../../../main/contract/interactive.ts'
import type { MessageContent } from '../../../main/contract/message-content.ts'
import { INTERACTIVE_LIMITS } from '../../../main/contract/message-limits.ts'

/** The kinds that are written in the composer. */
export const WRITTEN_KINDS = ['button', 'list', 'cta_url', 'location_request_message'] as const
export type WrittenKind = (typeof WRITTEN_KINDS)[number]

export interface RowDraft {
  readonly title: string
  readonly description: string
}

export interface SectionDraft {
  readonly title: string
  readonly rows: readonly RowDraft[]
}

export const HEADER_MEDIA = ['image', 'video', 'document'] as const

export interface HeaderMediaDraft {
  readonly type: (typeof HEADER_MEDIA)[number]
  readonly url: string
  /** Of a document. */
  readonly filename: string
}

/** A message with buttons or a list that is being written. */
export interface InteractiveDraft {
  readonly kind: WrittenKind
  readonly header: string
  /** null: the header is a text. */
  readonly headerMedia: HeaderMediaDraft | null
  readonly body: string
  readonly footer: string
  /** Titles of reply buttons. */
  readonly buttons: readonly string[]
  /** What opens the list or the link. */
  readonly button: string
  readonly url: string
  readonly sections: readonly SectionDraft[]
}

export const EMPTY_ROW: RowDraft = { title: '', description: '' }
const NEW_SECTION: SectionDraft = { title: '', rows: [EMPTY_ROW] }

export const newInteractive = (kind: WrittenKind, body = ''): InteractiveDraft => ({
  ...{ kind, header: '', headerMedia: null, body, footer: '', button: '', url: '' },
  ...{ buttons: [''], sections: [NEW_SECTION] },
})

export const addSection = (sections: readonly SectionDraft[]): readonly SectionDraft[] => [...sections, NEW_SECTION]

export const rowCount = (sections: readonly SectionDraft[]): number =>
  sections.reduce((sum, { rows }) => sum + rows.length, 0)

export const canHaveMedia = (kind: WrittenKind): boolean => kind === 'button' || kind === 'cta_url'

export const longestBody = (kind: WrittenKind): number => INTERACTIVE_LIMITS[kind === 'list' ? 'listBody' : 'body']

/** What is still wrong, under `messages.interactive.fault`, by field; `sections.0.rows.1` is the second row of the first section. */
export type InteractiveFaults = Readonly<Record<string, 'empty' | 'same' | 'url'>>

export function faultsOf({
  kind,
  headerMedia,
  body,
  buttons,
  button,
  url,
  sections,
}: InteractiveDraft): InteractiveFaults {
  const faults: Record<string, InteractiveFaults[string]> = {}
  const need = (field: string, text: string) => {
    if (text.trim() === '') faults[field] = 'empty'
  }
  if (canHaveMedia(kind) && headerMedia !== null && !isWebAddress(headerMedia.url)) faults['headerMedia'] = 'url'
  need('body', body)
  if (kind === 'list' || kind === 'cta_url') need('button', button)
  if (kind === 'cta_url' && !isWebAddress(url)) faults['url'] = 'url'
  if (kind === 'button') {
    const titles = buttons.map((title) => title.trim())
    for (const [at, title] of titles.entries()) {
      need(`buttons.${at}`, title)
      if (title !== '' && titles.indexOf(title) < at) faults[`buttons.${at}`] = 'same'
    }
  }
  if (kind === 'list')
    for (const [at, section] of sections.entries()) {
      if (sections.length > 1) need(`sections.${at}`, section.title)
      for (const [row, { title }] of section.rows.entries()) need(`sections.${at}.rows.${row}`, title)
    }
  return faults
}

const isWebAddress = (url: string): boolean => /^https?:\/\/\S+$/.test(url.trim())

/** The message of a draft without faults. Ids are the titles, which programs can read. */
export function interactiveOf(draft: InteractiveDraft): Interactive {
  const { kind } = draft
  const [header, body, footer, button] = [draft.header, draft.body, draft.footer, draft.button].map((text) =>
    text.trim(),
  )
  const above = draft.headerMedia === null || !canHaveMedia(kind) ? header && { header } : fileOf(draft.headerMedia)
  const around = kind === 'location_request_message' ? {} : { ...above, ...(footer && { footer }) }
  const message = { type: kind, ...around, ...(body && { body }) }
  switch (kind) {
    case 'button':
      return { ...message, buttons: draft.buttons.map((text) => ({ id: text.trim(), title: text.trim() })) }
    case 'list':
      return { ...message, ...(button && { button }), sections: sectionsOf(draft.sections) }
    case 'cta_url':
      return { ...message, ...(button && { button }), url: draft.url.trim() }
    case 'location_request_message':
      return message
  }
}

function fileOf({ type, url, filename }: HeaderMediaDraft): Pick<Interactive, 'header_media'> {
  const name = filename.trim()
  return { header_media: { type, url: url.trim(), ...(type === 'document' && name && { filename: name }) } }
}

function sectionsOf(drafts: readonly SectionDraft[]): NonNullable<Interactive['sections']> {
  const used = new Map<string, number>()
  const idOf = (title: string) => {
    const times = (used.get(title) ?? 0) + 1
    used.set(title, times)
    return times === 1 ? title : `${title} (${times})`
  }
  return drafts.map((section) => ({
    ...(section.title.trim() !== '' && { title: section.title.trim() }),
    rows: section.rows.map((row) => {
      const [title, description] = [row.title.trim(), row.description.trim()]
      return { id: idOf(title), title, ...(description !== '' && { description }) }
    }),
  }))
}

/** What is not written yet has a place in the preview. */
export function previewOf(draft: InteractiveDraft): InteractiveDraft {
  const orDots = (text: string) => (text.trim() === '' ? '…' : text)
  const rows = (section: SectionDraft) => section.rows.map((row) => ({ ...row, title: orDots(row.title) }))
  return {
    ...draft,
    ...{ body: orDots(draft.body), button: orDots(draft.button), buttons: draft.buttons.map(orDots) },
    sections: draft.sections.map((section) => ({ ...section, rows: rows(section) })),
  }
}

const isWritten = (type: Interactive['type']): type is WrittenKind =>
  (WRITTEN_KINDS as readonly string[]).includes(type)

/** A message that could not be sent, to be changed and sent again; null for kinds that are not written here. */
export function draftOfInteractive(message: Interactive | undefined): InteractiveDraft | null {
  if (message === undefined || !isWritten(message.type)) return null
  const {
    type,
    header_media: media,
    header = '',
    body = '',
    footer = '',
    button = '',
    url = '',
    buttons = [],
    sections = [],
  } = message
  return {
    headerMedia: media === undefined ? null : { filename: '', ...media },
    ...{ kind: type, header, body, footer, button, url, buttons: buttons.map(({ title }) => title) },
    sections: sections.map(({ title = '', rows = [] }) => ({
      title,
      rows: rows.map((row) => ({ title: row.title, description: row.description ?? '' })),
    })),
  }
}

/** How a message is shown before the service has it. */
export function shownInteractive(message: Interactive): Extract<MessageContent, { type: 'interactive' }> {
  const {
    type,
    header,
    header_media: media,
    footer,
    button,
    url,
    buttons = [],
    sections = [],
    product_id: product,
  } = message
  const shown = sections.map(({ title = null, rows = [], product_ids = [] }) => ({
    title,
    rows: rows.map((row) => ({ ...row, description: row.description ?? null })),
    product_ids,
  }))
  return {
    ...{ type: 'interactive', kind: type, header: header ?? null, footer: footer ?? null, button: button ?? null },
    ...(media !== undefined && { header_media: { ...media, filename: media.filename ?? null } }),
    ...{ url: url ?? null, buttons },
    sections: product === undefined ? shown : [{ title: null, rows: [], product_ids: [product] }],
  }
}
