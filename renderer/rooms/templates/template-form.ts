import type { Item } from '../../app/operation-types.ts'
import type { PhoneMessage } from '../campaigns/preview.ts'
import { inOrder, toButton, toFormButtons, type Component, type FormButton } from './template-buttons.ts'
import { toCardMedia, toCarousel, toCarouselComponent, toPhoneCards, type Carousel } from './template-cards.ts'
import { examplesOf, filledText, textAt, variablesIn, withExample } from './template-text.ts'
import type { Examples, HeaderFile } from './template-text.ts'
import { codePreview, NEW_CODE, toCodeComponents, toFormCode, type FormCode } from './code-template.ts'

export type Template = Item<'listTemplates'>
export const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const
type Category = (typeof CATEGORIES)[number]
export const HEADERS = ['NONE', 'TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT'] as const
export type HeaderKind = (typeof HEADERS)[number]

/** Maximum lengths in characters. Meta: "Template components", 2026-05-06. */
export const LONGEST = { header: 60, body: 1_024, footer: 60 } as const

export interface TemplateForm {
  readonly name: string
  readonly language: string
  readonly category: Category
  readonly headerKind: HeaderKind
  readonly header: string
  /** null if no file was selected, or if the file at Meta stays. */
  readonly file: HeaderFile | null
  readonly body: string
  readonly footer: string
  readonly buttons: readonly FormButton[]
  /** Only for templates for one-time codes, which have no other content. */
  readonly code: FormCode
  /** Example values for Meta’s review, by the name of the variable: `header.1`, `body.name`. */
  readonly examples: Readonly<Record<string, string>>
  /** How long Meta tries to deliver a message; a null value means Meta's default. */
  readonly lifetime: Lifetime
  /** Parts that are sent back to Meta unchanged: a header with its file, and buttons that the form does not support. */
  readonly kept: readonly Component[]
  /** Cards below the text, instead of header, footer and buttons; null means no cards. */
  readonly carousel: Carousel | null
}

/** An amount in a unit; null means not set. */
export interface Lifetime {
  readonly value: number | null
  readonly unit: 'seconds' | 'minutes' | 'hours'
}
const NO_LIFETIME: Lifetime = { value: null, unit: 'minutes' }
export const UNIT_SECONDS = { seconds: 1, minutes: 60, hours: 3_600 } as const

/**
 * Allowed ranges in seconds. Meta: "Configure message time-to-live", 2026-05-21. Lifetimes of marketing templates do
 * not apply to messages sent here, so they are left out.
 */
const LIFETIMES = { UTILITY: [30, 43_200], AUTHENTICATION: [30, 900] } as const

export function toLifetime(seconds: number | null): Lifetime {
  if (seconds === null) return NO_LIFETIME
  const unit = (['hours', 'minutes'] as const).find((one) => seconds % UNIT_SECONDS[one] === 0) ?? 'seconds'
  return { value: seconds / UNIT_SECONDS[unit], unit }
}

/** null if it is not set, or if the category has no lifetime. */
export function toTtlSeconds({ category, lifetime: { value, unit } }: TemplateForm): number | null {
  return value === null || category === 'MARKETING' ? null : Math.round(value * UNIT_SECONDS[unit])
}

/** Whether Meta would reject the lifetime. */
export function isLifetimeWrong(form: TemplateForm): boolean {
  const seconds = toTtlSeconds(form)
  if (seconds === null || form.category === 'MARKETING') return false
  const [least, most] = LIFETIMES[form.category]
  return seconds < least || seconds > most
}

export const NEW_TEMPLATE: TemplateForm = {
  ...{ name: '', language: 'en', category: 'UTILITY', headerKind: 'NONE', header: '', file: null, body: '' },
  ...{ footer: '', buttons: [], code: NEW_CODE, examples: {}, kept: [], carousel: null },
  lifetime: NO_LIFETIME,
}

export const hasFile = (kind: HeaderKind): kind is 'IMAGE' | 'VIDEO' | 'DOCUMENT' =>
  kind === 'IMAGE' || kind === 'VIDEO' || kind === 'DOCUMENT'

/** The variables that need an example. */
export function exampleKeys(form: TemplateForm): readonly string[] {
  const { header, headerKind, body, category } = form
  if (category === 'AUTHENTICATION') return []
  const above = headerKind === 'TEXT' && carouselOf(form) === null ? header : ''
  return [...variablesIn(above).map((name) => `header.${name}`), ...variablesIn(body).map((name) => `body.${name}`)]
}

export function toForm({ name, language, category, components, ttl_seconds: ttl }: Template): TemplateForm {
  const find = (type: string) => components.find((each) => each.type === type)
  const known = CATEGORIES.find((one) => one === category) ?? 'UTILITY'
  const named = { ...NEW_TEMPLATE, name, language, category: known, lifetime: toLifetime(ttl) }
  if (known === 'AUTHENTICATION') return { ...named, code: toFormCode(components) }
  const header = find('HEADER')
  const headerKind = header === undefined ? 'NONE' : (HEADERS.find((kind) => kind === header.format) ?? 'TEXT')
  const list = find('BUTTONS')?.buttons
  const buttons = toFormButtons(Array.isArray(list) ? (list as Component[]) : [])
  const cards = components.filter(({ type }) => type === 'CAROUSEL')
  const carousel = (cards[0] && toCarousel(cards[0])) ?? null
  const kept = [
    ...(header !== undefined && headerKind !== 'TEXT' ? [header] : []),
    ...(buttons === undefined ? components.filter(({ type }) => type === 'BUTTONS') : []),
    ...(carousel === null ? cards : []),
  ]
  return {
    ...{ ...named, headerKind, kept, carousel, buttons: buttons ?? [] },
    ...{ header: textAt(header, 'text'), body: textAt(find('BODY'), 'text'), footer: textAt(find('FOOTER'), 'text') },
    examples: Object.fromEntries([
      ...inPart('header', examplesOf('header', header)),
      ...inPart('body', examplesOf('body', find('BODY'))),
    ]),
  }
}

/** Meta supports carousels only in marketing templates. */
export const carouselOf = ({ category, carousel }: Pick<TemplateForm, 'category' | 'carousel'>): Carousel | null =>
  category === 'MARKETING' ? carousel : null

const inPart = (part: 'header' | 'body', examples: Examples): [string, string][] =>
  Object.entries(examples).map(([name, value]) => [`${part}.${name}`, value])
const ofPart = (part: 'header' | 'body', { examples }: TemplateForm): Examples =>
  Object.fromEntries(
    Object.entries(examples).flatMap(([key, value]) =>
      key.startsWith(`${part}.`) ? [[key.slice(part.length + 1), value]] : [],
    ),
  )

/** In the format of the Graph API. */
export function toComponents(form: TemplateForm): Component[] {
  if (form.category === 'AUTHENTICATION') return toCodeComponents(form.code)
  const { body, footer, buttons, kept } = form
  const carousel = carouselOf(form)
  const text = { type: 'BODY', ...withExample(ofPart('body', form), 'body', body.trim()) }
  if (carousel !== null) return [text, toCarouselComponent(carousel)]
  return [
    ...headerOf(form),
    text,
    ...(footer.trim() === '' ? [] : [{ type: 'FOOTER', text: footer.trim() }]),
    ...kept.filter(({ type }) => type === 'BUTTONS' || type === 'CAROUSEL'),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: inOrder(buttons).map(toButton) }]),
  ]
}

function headerOf(form: TemplateForm): Component[] {
  const { headerKind: format, header, kept, file } = form
  if (format === 'NONE') return []
  if (format === 'TEXT')
    return header.trim() === ''
      ? []
      : [{ type: 'HEADER', format, ...withExample(ofPart('header', form), 'header', header.trim()) }]
  const same = kept.find((each) => each.type === 'HEADER' && each.format === format)
  return [same !== undefined && file === null ? same : { type: 'HEADER', format }]
}

/** The files of the header or of the cards, in the format of the operations. */
export function toMedia(form: TemplateForm) {
  const { category, headerKind, file } = form
  const carousel = carouselOf(form)
  if (category === 'AUTHENTICATION') return {}
  if (carousel !== null) return toCardMedia(carousel)
  return hasFile(headerKind) && file !== null ? { header_media: { media_id: file.mediaId } } : {}
}

const MEDIA = { IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document' } as const

/**
 * The message with its example values, as a person would receive it.
 * @param labelOf the texts of buttons that Meta writes.
 */
export function toPreview(form: TemplateForm, labelOf: (kind: string) => string): PhoneMessage {
  if (form.category === 'AUTHENTICATION') return codePreview(form.code, form.language)
  const { headerKind, header, file, body, footer, buttons } = form
  const carousel = carouselOf(form)
  const text = filledText(body, ofPart('body', form))
  if (carousel !== null)
    return { header: '', media: null, text, footer: '', buttons: [], cards: toPhoneCards(carousel) }
  return {
    header: headerKind === 'TEXT' ? filledText(header, ofPart('header', form)) : '',
    media: hasFile(headerKind) ? { type: MEDIA[headerKind], url: file?.url ?? '', filename: file?.name ?? '' } : null,
    ...{ text, footer, cards: [] },
    buttons: inOrder(buttons).map(({ kind, text: words }) => words || labelOf(kind)),
  }
}
