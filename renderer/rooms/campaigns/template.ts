import type { Item } from '../../app/operation-types.ts'
import { BUTTON_DETAILS, HEADER_DETAILS, readDetails } from './template-details.ts'

export type Template = Item<'listTemplates'>

/** A placeholder of a template that is filled for each person. */
export interface TemplateField {
  /** `body.1`, `header.image`, `header.latitude`, `button.0.1`, `button.0.code`; in a card `card.0.body.1` and so on. */
  readonly key: string
  readonly part: 'header' | 'body' | 'button'
  /** `code`: the text that a button copies. */
  readonly kind: 'text' | 'code' | 'image' | 'video' | 'document' | 'detail'
  /** The name between its braces, or of its detail; empty for a file. */
  readonly name: string
  /** Index of the button. */
  readonly button: number
  /** Index of the carousel card; null: none. */
  readonly card: number | null
}

export type TemplateValues = Readonly<Record<string, string>>

/** The parts of a template that a phone shows. */
interface TemplateParts {
  readonly header: string
  readonly headerFormat: string
  readonly body: string
  readonly footer: string
  readonly buttons: readonly { readonly type: string; readonly text: string; readonly url: string }[]
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g
const isText = (value: unknown): value is string => typeof value === 'string'
const asList = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? (value as Readonly<Record<string, unknown>>[]) : []

/** Templates are unvalidated data of Graph, so every field is checked. */
export function templateParts({ components }: Pick<Template, 'components'>): TemplateParts {
  const find = (type: string) => components.find((each) => isText(each.type) && each.type.toUpperCase() === type)
  const text = (type: string) => {
    const found = find(type)?.text
    return isText(found) ? found : ''
  }
  const format = find('HEADER')?.format
  return {
    header: text('HEADER'),
    headerFormat: isText(format) ? format.toUpperCase() : 'TEXT',
    body: text('BODY'),
    footer: text('FOOTER'),
    buttons: asList(find('BUTTONS')?.buttons).map((button) => ({
      type: isText(button.type) ? button.type : '',
      text: isText(button.text) ? button.text : '',
      url: isText(button.url) ? button.url : '',
    })),
  }
}

/** The cards of a carousel; none for other templates. */
export function templateCards({ components }: Pick<Template, 'components'>): readonly TemplateParts[] {
  const carousel = components.find(({ type }) => isText(type) && type.toUpperCase() === 'CAROUSEL')
  return asList(carousel?.cards).map((card) => templateParts({ components: [...asList(card.components)] }))
}

/** Prefix of a card's keys. */
export const cardPrefix = (card: number | null): string => (card === null ? '' : `card.${card}.`)

const namesIn = (text: string) => [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]
const CODE = 'code'
const MEDIA = { IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document' } as const

/**
 * Placeholders that must be filled before the template can be sent, from its top to its buttons, and then card by
 * card.
 */
export const listTemplateFields = (template: Pick<Template, 'components'>): readonly TemplateField[] => [
  ...fieldsIn(templateParts(template), null),
  ...templateCards(template).flatMap(fieldsIn),
]

function fieldsIn({ header, headerFormat, body, buttons }: TemplateParts, card: number | null): TemplateField[] {
  const prefix = cardPrefix(card)
  const field = (
    part: TemplateField['part'],
    kind: TemplateField['kind'],
    { name, button = 0 }: { name: string; button?: number },
  ): TemplateField => {
    const at = part === 'button' ? `button.${button}` : part
    return { key: `${prefix}${at}.${name || kind}`, part, kind, name, button, card }
  }
  const texts = (part: 'header' | 'body', text: string) => namesIn(text).map((name) => field(part, 'text', { name }))

  function ofHeader(): readonly TemplateField[] {
    const detailed = HEADER_DETAILS[headerFormat]
    if (detailed !== undefined) return detailed.details.map((name) => field('header', 'detail', { name }))
    const media = MEDIA[headerFormat as keyof typeof MEDIA] as (typeof MEDIA)[keyof typeof MEDIA] | undefined
    return media === undefined ? texts('header', header) : [field('header', media, { name: '' })]
  }

  function ofButton({ type, url }: (typeof buttons)[number], button: number): readonly TemplateField[] {
    const detailed = BUTTON_DETAILS[type]
    if (detailed !== undefined) return detailed.details.map((name) => field('button', 'detail', { name, button }))
    if (type === 'COPY_CODE') return [field('button', 'code', { name: CODE, button })]
    return namesIn(url).map((name) => field('button', 'text', { name, button }))
  }

  return [...ofHeader(), ...texts('body', body), ...buttons.flatMap(ofButton)]
}

/** Most templates start with the person's name. */
export function firstValues(template: Pick<Template, 'components'>, name: string): TemplateValues {
  const first = listTemplateFields(template).find(
    ({ part, kind, card }) => part === 'body' && kind === 'text' && card === null,
  )
  return first === undefined ? {} : { [first.key]: name }
}

/** The text with its placeholders filled; empty ones are shown as in the template. */
export const fillTemplateText = (text: string, part: string, values: TemplateValues): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => values[`${part}.${name}`]?.trim() || whole)

export interface TemplateChoice {
  readonly name: string
  readonly language: string
  readonly values: TemplateValues
}

/** The Cloud API payload that sends a template. */
export function toTemplatePayload(
  { name, language, values }: TemplateChoice,
  template: Pick<Template, 'components'>,
): Record<string, unknown> {
  const cards = templateCards(template).map((card, index) => ({
    card_index: index,
    components: componentsOf(card, index, values),
  }))
  const components = [
    ...componentsOf(templateParts(template), null, values),
    ...(cards.length === 0 ? [] : [{ type: 'carousel', cards }]),
  ]
  return { type: 'template', template: { name, language: { code: language }, components } }
}

function componentsOf(parts: TemplateParts, card: number | null, values: TemplateValues): object[] {
  const { headerFormat, buttons } = parts
  const fields = fieldsIn(parts, card)
  const valueOf = ({ key }: TemplateField) => values[key] ?? ''
  const parameter = (field: TemplateField) =>
    field.kind === 'code'
      ? { type: 'coupon_code', coupon_code: valueOf(field) }
      : field.kind === 'text'
        ? {
            type: 'text',
            // Named placeholders are matched by name, numbered ones by their order.
            ...(!/^\d+$/.test(field.name) && { parameter_name: field.name }),
            text: valueOf(field),
          }
        : { type: field.kind, [field.kind]: { link: valueOf(field) } }
  const of = (part: TemplateField['part']) => fields.filter((field) => field.part === part)
  const detailsOf = (some: readonly TemplateField[]) =>
    Object.fromEntries(some.map((each) => [each.name, valueOf(each)]))
  const component = (type: string, parameters: readonly object[]) =>
    parameters.length === 0 ? [] : [{ type, parameters }]
  const header = HEADER_DETAILS[headerFormat]

  function ofButton({ type, text }: (typeof buttons)[number], index: number): readonly object[] {
    const mine = of('button').filter(({ button }) => button === index)
    const detailed = BUTTON_DETAILS[type]
    const sent = (subType: string, parameters: readonly object[]) => [
      { type: 'button', sub_type: subType, index: String(index), parameters },
    ]
    // All cards have the same button, so the payload identifies the card.
    if (type === 'QUICK_REPLY' && card !== null)
      return sent('quick_reply', [{ type: 'payload', payload: `${card + 1}: ${text}` }])
    if (detailed !== undefined) return sent(type.toLowerCase(), [detailed.toParameter(detailsOf(mine))])
    return mine.length === 0 ? [] : sent(type === 'COPY_CODE' ? 'copy_code' : 'url', mine.map(parameter))
  }

  return [
    ...component(
      'header',
      header === undefined ? of('header').map(parameter) : [header.toParameter(detailsOf(of('header')))],
    ),
    ...component('body', of('body').map(parameter)),
    ...buttons.flatMap(ofButton),
  ]
}

/** The template of a payload that this window created. @returns undefined for other payloads. */
export function readTemplatePayload(payload: Readonly<Record<string, unknown>>): TemplateChoice | undefined {
  const template = payload.template as
    | { name?: unknown; language?: { code?: unknown }; components?: unknown }
    | undefined
  const code = template?.language?.code
  if (payload.type !== 'template' || !isText(template?.name) || !isText(code)) return undefined
  return { name: template.name, language: code, values: valuesIn(template.components, '') }
}

function valuesIn(components: unknown, prefix: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const component of asList(components)) {
    for (const card of asList(component.cards))
      Object.assign(values, valuesIn(card.components, cardPrefix(Number(card.card_index))))
    const part = isText(component.type) ? component.type : ''
    const at = part === 'button' ? `${prefix}button.${String(component.index)}` : `${prefix}${part}`
    for (const [index, parameter] of asList(component.parameters).entries())
      Object.assign(values, valueIn(parameter, at, index))
  }
  return values
}

function valueIn(parameter: Readonly<Record<string, unknown>>, at: string, index: number): Record<string, string> {
  const details = readDetails(parameter)
  if (details !== undefined)
    return Object.fromEntries(Object.entries(details).map(([detail, value]) => [`${at}.${detail}`, value]))
  const kind = isText(parameter.type) ? parameter.type : 'text'
  if (kind === 'payload') return {}
  if (kind === 'coupon_code') return { [`${at}.${CODE}`]: isText(parameter.coupon_code) ? parameter.coupon_code : '' }
  const name = isText(parameter.parameter_name) ? parameter.parameter_name : String(index + 1)
  const file = parameter[kind] as { link?: unknown } | undefined
  const value = kind === 'text' ? parameter.text : file?.link
  return { [kind === 'text' ? `${at}.${name}` : `${at}.${kind}`]: isText(value) ? value : '' }
}
