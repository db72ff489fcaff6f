import type { Interactive } from '../../main/contract/interactive.ts'
import type { MessageContent } from '../../main/contract/message-content.ts'
import { INTERACTIVE_LIMITS } from '../../main/contract/message-limits.ts'

/** The kinds that the composer supports. */
export const WRITTEN_KINDS = [
  ...(['button', 'list', 'cta_url', 'location_request_message', 'request_contact_info'] as const),
  ...(['address_message', 'flow', 'product', 'product_list'] as const),
]
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
  /** File name of a document. */
  readonly filename: string
}

/** Countries in which Meta allows requests for an address. */
export const ADDRESS_COUNTRIES = ['IN', 'SG'] as const

/** A draft of a message with buttons or a list. */
export interface InteractiveDraft {
  readonly kind: WrittenKind
  readonly header: string
  /** null: the header is a text. */
  readonly headerMedia: HeaderMediaDraft | null
  readonly body: string
  readonly footer: string
  /** Titles of reply buttons. */
  readonly buttons: readonly string[]
  /** Label of the button that opens the list or the link. */
  readonly button: string
  readonly url: string
  readonly sections: readonly SectionDraft[]
  /** Country for a request for an address. */
  readonly country: (typeof ADDRESS_COUNTRIES)[number]
  /** The ID of a form at Meta, and its start screen; '': its first. */
  readonly flow: string
  readonly screen: string
  readonly catalog: string
  /** IDs of products, separated by commas. A single product is a list of one. */
  readonly products: string
}

export const EMPTY_ROW: RowDraft = { title: '', description: '' }
const NEW_SECTION: SectionDraft = { title: '', rows: [EMPTY_ROW] }

export const newInteractive = (kind: WrittenKind, body = ''): InteractiveDraft => ({
  ...{ kind, header: '', headerMedia: null, body, footer: '', button: '', url: '' },
  ...{ buttons: [''], sections: [NEW_SECTION] },
  ...{ country: ADDRESS_COUNTRIES[0], flow: '', screen: '', catalog: '', products: '' },
})

export const addSection = (sections: readonly SectionDraft[]): readonly SectionDraft[] => [...sections, NEW_SECTION]

export const rowCount = (sections: readonly SectionDraft[]): number =>
  sections.reduce((sum, { rows }) => sum + rows.length, 0)

const WITHOUT_HEADER: readonly WrittenKind[] = ['location_request_message', 'request_contact_info', 'product']
const WITHOUT_FOOTER: readonly WrittenKind[] = ['location_request_message', 'request_contact_info']
export const hasHeader = (kind: WrittenKind): boolean => !WITHOUT_HEADER.includes(kind)
export const hasFooter = (kind: WrittenKind): boolean => !WITHOUT_FOOTER.includes(kind)
export const hasOpener = (kind: WrittenKind): kind is 'list' | 'cta_url' | 'flow' =>
  kind === 'list' || kind === 'cta_url' || kind === 'flow'
/** The button of a form may be longer. */
export const longestOpener = (kind: WrittenKind): number =>
  INTERACTIVE_LIMITS[kind === 'flow' ? 'flowButton' : 'openButton']

export const canHaveMedia = (kind: WrittenKind): boolean => kind === 'button' || kind === 'cta_url'

export const longestBody = (kind: WrittenKind): number => INTERACTIVE_LIMITS[kind === 'list' ? 'listBody' : 'body']

/**
 * Remaining errors, under `messages.interactive.fault`, by field; `sections.0.rows.1` is the second row of the first
 * section.
 */
export type InteractiveFaults = Readonly<Record<string, 'empty' | 'same' | 'url' | 'one' | 'many'>>

export function faultsOf(draft: InteractiveDraft): InteractiveFaults {
  const { kind, headerMedia, body, buttons, button, url, sections } = draft
  const faults: Record<string, InteractiveFaults[string]> = {}
  const need = (field: string, text: string) => {
    if (text.trim() === '') faults[field] = 'empty'
  }
  if (canHaveMedia(kind) && headerMedia !== null && !isWebAddress(headerMedia.url)) faults['headerMedia'] = 'url'
  if (kind !== 'product') need('body', body)
  if (hasOpener(kind)) need('button', button)
  if (kind === 'flow') need('flow', draft.flow)
  if (kind === 'product_list') need('header', draft.header)
  if (kind === 'product' || kind === 'product_list') {
    need('catalog', draft.catalog)
    need('products', draft.products)
    const count = idsIn(draft.products).length
    if (kind === 'product' && count > 1) faults['products'] = 'one'
    if (count > INTERACTIVE_LIMITS.products) faults['products'] = 'many'
  }
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

/** In a campaign, it may contain variables. */
const isWebAddress = (url: string): boolean => /^(?:https?:\/\/\S+|\{\{[^{}]+\}\}\S*)$/.test(url.trim())

/** The message of a valid draft. Titles serve as ids, which programs can read. */
export function interactiveOf(draft: InteractiveDraft): Interactive {
  const { kind } = draft
  const [header, body, footer, button] = [draft.header, draft.body, draft.footer, draft.button].map((text) =>
    text.trim(),
  )
  const above = draft.headerMedia === null || !canHaveMedia(kind) ? header && { header } : fileOf(draft.headerMedia)
  const around = { ...(hasHeader(kind) && above), ...(hasFooter(kind) && footer && { footer }) }
  const message = { type: kind, ...around, ...(body && { body }) }
  switch (kind) {
    case 'button':
      return { ...message, buttons: draft.buttons.map((text) => ({ id: text.trim(), title: text.trim() })) }
    case 'list':
      return { ...message, ...(button && { button }), sections: sectionsOf(draft.sections) }
    case 'cta_url':
      return { ...message, ...(button && { button }), url: draft.url.trim() }
    case 'address_message':
      return { ...message, country: draft.country }
    case 'flow': {
      const screen = draft.screen.trim()
      return { ...message, ...(button && { button }), flow: { id: draft.flow.trim(), ...(screen && { screen }) } }
    }
    case 'product':
      return { ...message, catalog_id: draft.catalog.trim(), product_id: idsIn(draft.products)[0] ?? '' }
    case 'product_list':
      return { ...message, catalog_id: draft.catalog.trim(), sections: [{ product_ids: idsIn(draft.products) }] }
    case 'location_request_message':
    case 'request_contact_info':
      return message
  }
}

const idsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,\n]/)
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  ),
]

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

/** Placeholders for missing text in the preview. */
export function previewOf(draft: InteractiveDraft): InteractiveDraft {
  const orDots = (text: string) => (text.trim() === '' ? '…' : text)
  const rows = (section: SectionDraft) => section.rows.map((row) => ({ ...row, title: orDots(row.title) }))
  return {
    ...draft,
    ...{ body: draft.kind === 'product' ? draft.body : orDots(draft.body), button: orDots(draft.button) },
    ...{ buttons: draft.buttons.map(orDots), products: orDots(draft.products) },
    sections: draft.sections.map((section) => ({ ...section, rows: rows(section) })),
  }
}

const isWritten = (type: Interactive['type']): type is WrittenKind =>
  (WRITTEN_KINDS as readonly string[]).includes(type)

/** Options of a form or product list that only programs can set. */
function hasMore({ type, flow, sections = [] }: Interactive): boolean {
  if (type === 'product_list') return sections.length > 1 || sections.some(({ title }) => title !== undefined)
  const { id, screen: _, ...more } = flow ?? {}
  return type === 'flow' && (id === undefined || Object.keys(more).length > 0)
}

/** The draft of a failed message, to be changed and sent again; null for one that this form does not support. */
export function draftOfInteractive(message: Interactive | undefined): InteractiveDraft | null {
  if (message === undefined || !isWritten(message.type) || hasMore(message)) return null
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
    flow = {},
  } = message
  const products =
    message.product_id === undefined ? sections.flatMap(({ product_ids: ids = [] }) => ids) : [message.product_id]
  return {
    ...{
      country: ADDRESS_COUNTRIES.find((one) => one === message.country) ?? ADDRESS_COUNTRIES[0],
      flow: flow.id ?? '',
      screen: flow.screen ?? '',
    },
    ...{ catalog: message.catalog_id ?? '', products: products.join(', ') },
    headerMedia: media === undefined ? null : { filename: '', ...media },
    ...{ kind: type, header, body, footer, button, url, buttons: buttons.map(({ title }) => title) },
    sections: sections.map(({ title = '', rows = [] }) => ({
      title,
      rows: rows.map((row) => ({ title: row.title, description: row.description ?? '' })),
    })),
  }
}

/** How a message is shown before the service has stored it. */
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
