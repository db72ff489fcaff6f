import type { Item } from '../../app/operation-types.ts'
import type { PhoneMessage } from '../campaigns/preview.ts'
import { inOrder, toButton, toFormButtons, type Component, type FormButton } from './template-buttons.ts'
import { codePreview, NEW_CODE, toCodeComponents, toFormCode, type FormCode } from './code-template.ts'

export type Template = Item<'listTemplates'>
export const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const
type Category = (typeof CATEGORIES)[number]
export const HEADERS = ['NONE', 'TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'] as const
export type HeaderKind = (typeof HEADERS)[number]

/** Meta: "Template components", 2026-05-06. In characters. */
export const LONGEST = { header: 60, body: 1_024, footer: 60 } as const

/** A file that was uploaded for the header. */
interface HeaderFile {
  readonly mediaId: string
  readonly name: string
  /** For the preview, while this window is open. */
  readonly url: string
}

export interface TemplateForm {
  readonly name: string
  readonly language: string
  readonly category: Category
  readonly headerKind: HeaderKind
  readonly header: string
  /** null: none was chosen, or the one that Meta has stays. */
  readonly file: HeaderFile | null
  readonly body: string
  readonly footer: string
  readonly buttons: readonly FormButton[]
  /** For a template of one-time codes, which has nothing else. */
  readonly code: FormCode
  /** For Meta’s review, by the name of the variable: `header.1`, `body.name`. */
  readonly examples: Readonly<Record<string, string>>
  /** Parts of Meta’s that stay as they are: a header with its file, buttons that this form does not have. */
  readonly kept: readonly Component[]
}

export const NEW_TEMPLATE: TemplateForm = {
  ...{ name: '', language: 'en', category: 'UTILITY', headerKind: 'NONE', header: '', file: null, body: '' },
  ...{ footer: '', buttons: [], code: NEW_CODE, examples: {}, kept: [] },
}

export const hasFile = (kind: HeaderKind): kind is 'IMAGE' | 'VIDEO' | 'DOCUMENT' =>
  kind === 'IMAGE' || kind === 'VIDEO' || kind === 'DOCUMENT'

const textAt = (from: Component | undefined, name: string): string => {
  const value = from?.[name]
  return typeof value === 'string' ? value : ''
}

/** Names or numbers between double braces, in order, each one once. */
export const variablesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\{\{([a-z0-9_]+)\}\}/g)].map(([, name = '']) => name)),
]

/** The variables that need an example. */
export const exampleKeys = ({ header, headerKind, body, category }: TemplateForm): readonly string[] =>
  category === 'AUTHENTICATION'
    ? []
    : [
        ...variablesIn(headerKind === 'TEXT' ? header : '').map((name) => `header.${name}`),
        ...variablesIn(body).map((name) => `body.${name}`),
      ]

export function toForm({ name, language, category, components }: Template): TemplateForm {
  const find = (type: string) => components.find((each) => each.type === type)
  const known = CATEGORIES.find((one) => one === category) ?? 'UTILITY'
  const named = { ...NEW_TEMPLATE, name, language, category: known }
  if (known === 'AUTHENTICATION') return { ...named, code: toFormCode(components) }
  const header = find('HEADER')
  const headerKind = header === undefined ? 'NONE' : (HEADERS.find((kind) => kind === header.format) ?? 'TEXT')
  const list = find('BUTTONS')?.buttons
  const buttons = toFormButtons(Array.isArray(list) ? (list as Component[]) : [])
  const kept = [
    ...(header !== undefined && headerKind !== 'TEXT' ? [header] : []),
    ...(buttons === undefined ? components.filter(({ type }) => type === 'BUTTONS') : []),
  ]
  return {
    ...{ ...named, headerKind, kept, buttons: buttons ?? [] },
    ...{ header: textAt(header, 'text'), body: textAt(find('BODY'), 'text'), footer: textAt(find('FOOTER'), 'text') },
    examples: { ...examplesOf('header', header), ...examplesOf('body', find('BODY')) },
  }
}

function examplesOf(part: 'header' | 'body', component: Component | undefined): Record<string, string> {
  const given = (component?.example ?? {}) as Readonly<Record<string, unknown>>
  const named = given[`${part}_text_named_params`]
  if (Array.isArray(named))
    return Object.fromEntries(
      (named as Component[]).map((one) => [`${part}.${textAt(one, 'param_name')}`, textAt(one, 'example')]),
    )
  const listed = given[`${part}_text`]
  const texts: unknown[] = Array.isArray(listed) ? (Array.isArray(listed[0]) ? listed[0] : listed) : []
  const at = (index: number) => (typeof texts[index] === 'string' ? texts[index] : '')
  return Object.fromEntries(variablesIn(textAt(component, 'text')).map((name, index) => [`${part}.${name}`, at(index)]))
}

/** In Graph’s own format. */
export function toComponents(form: TemplateForm): Component[] {
  if (form.category === 'AUTHENTICATION') return toCodeComponents(form.code)
  const { body, footer, buttons, kept } = form
  return [
    ...headerOf(form),
    { type: 'BODY', ...withExample(form, 'body', body.trim()) },
    ...(footer.trim() === '' ? [] : [{ type: 'FOOTER', text: footer.trim() }]),
    ...kept.filter(({ type }) => type === 'BUTTONS'),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: inOrder(buttons).map(toButton) }]),
  ]
}

function headerOf(form: TemplateForm): Component[] {
  const { headerKind: format, header, kept, file } = form
  if (format === 'NONE') return []
  if (format === 'TEXT')
    return header.trim() === '' ? [] : [{ type: 'HEADER', format, ...withExample(form, 'header', header.trim()) }]
  const same = kept.find((each) => each.type === 'HEADER' && each.format === format)
  return [same !== undefined && file === null ? same : { type: 'HEADER', format }]
}

function withExample({ examples }: TemplateForm, part: 'header' | 'body', text: string): Component {
  const names = variablesIn(text)
  if (names.length === 0) return { text }
  const values = names.map((name) => examples[`${part}.${name}`]?.trim() ?? '')
  const isNamed = names.some((name) => !/^\d+$/.test(name))
  const given = isNamed
    ? { [`${part}_text_named_params`]: names.map((name, at) => ({ param_name: name, example: values[at] })) }
    : { [`${part}_text`]: part === 'body' ? [values] : values }
  return { text, example: given }
}

/** The file of the header as the operations take it. */
export const toHeaderMedia = ({ category, headerKind, file }: TemplateForm) =>
  category !== 'AUTHENTICATION' && hasFile(headerKind) && file !== null
    ? { header_media: { media_id: file.mediaId } }
    : {}

const MEDIA = { IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document' } as const

/**
 * With its examples filled in, as a person would get it.
 * @param labelOf the words of a button that Meta writes.
 */
export function toPreview(form: TemplateForm, labelOf: (kind: string) => string): PhoneMessage {
  if (form.category === 'AUTHENTICATION') return codePreview(form.code, form.language)
  const { headerKind, header, file, body, footer, buttons, examples } = form
  const filled = (part: 'header' | 'body', text: string) =>
    text.replaceAll(/\{\{([a-z0-9_]+)\}\}/g, (place, name: string) => examples[`${part}.${name}`]?.trim() || place)
  return {
    header: headerKind === 'TEXT' ? filled('header', header) : '',
    media: hasFile(headerKind) ? { type: MEDIA[headerKind], url: file?.url ?? '', filename: file?.name ?? '' } : null,
    ...{ text: filled('body', body), footer },
    buttons: inOrder(buttons).map(({ kind, text }) => text || labelOf(kind)),
  }
}
