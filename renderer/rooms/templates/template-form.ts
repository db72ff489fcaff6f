import type { Item } from '../../app/operation-types.ts'
import type { PhoneMessage } from '../campaigns/preview.ts'

export type Template = Item<'listTemplates'>
export type Category = 'MARKETING' | 'UTILITY'
export const CATEGORIES: readonly Category[] = ['UTILITY', 'MARKETING']

/** Meta: "Template components", 2026-05-06. In characters. */
export const LONGEST = { header: 60, body: 1_024, footer: 60, button: 25, url: 2_000 } as const
export const MOST_BUTTONS = 10

export interface FormButton {
  readonly kind: 'QUICK_REPLY' | 'URL'
  readonly text: string
  /** '' for an answer. */
  readonly url: string
}

export interface TemplateForm {
  readonly name: string
  readonly language: string
  readonly category: Category
  readonly header: string
  readonly body: string
  readonly footer: string
  readonly buttons: readonly FormButton[]
  /** For Meta’s review, by the name of the variable: `header.1`, `body.name`. */
  readonly examples: Readonly<Record<string, string>>
  /** Parts that this form does not show, such as a header with a picture: they stay as they are. */
  readonly kept: readonly Component[]
}

type Component = Template['components'][number]

export const NEW_TEMPLATE: TemplateForm = {
  ...{ name: '', language: 'en', category: 'UTILITY', header: '', body: '', footer: '', buttons: [] },
  ...{ examples: {}, kept: [] },
}

const textAt = (from: Component | undefined, name: string): string => {
  const value = from?.[name]
  return typeof value === 'string' ? value : ''
}

/** Names or numbers between double braces, in order, each one once. */
const variablesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\{\{([a-z0-9_]+)\}\}/g)].map(([, name = '']) => name)),
]

/** The variables that need an example. */
export const exampleKeys = ({ header, body }: Pick<TemplateForm, 'header' | 'body'>): readonly string[] => [
  ...variablesIn(header).map((name) => `header.${name}`),
  ...variablesIn(body).map((name) => `body.${name}`),
]

export function toForm({ name, language, category, components }: Template): TemplateForm {
  const find = (type: string) => components.find((each) => each.type === type)
  const header = find('HEADER')
  const hasText = header === undefined || header.format === 'TEXT'
  const buttons = buttonsOf(find('BUTTONS'))
  const kept = [
    ...(hasText ? [] : [header]),
    ...(buttons === undefined ? components.filter(({ type }) => type === 'BUTTONS') : []),
  ]
  return {
    ...{ name, language, category: category === 'MARKETING' ? 'MARKETING' : 'UTILITY', kept },
    ...{ header: hasText ? textAt(header, 'text') : '', body: textAt(find('BODY'), 'text') },
    ...{ footer: textAt(find('FOOTER'), 'text'), buttons: buttons ?? [] },
    examples: { ...examplesOf('header', hasText ? header : undefined), ...examplesOf('body', find('BODY')) },
  }
}

/** @returns undefined if one of them is of a kind that the form does not have. */
function buttonsOf(component: Component | undefined): FormButton[] | undefined {
  const list = Array.isArray(component?.buttons) ? (component.buttons as Component[]) : []
  const isPlain = ({ type, url }: Component) =>
    type === 'QUICK_REPLY' || (type === 'URL' && typeof url === 'string' && !url.includes('{{'))
  if (!list.every(isPlain)) return undefined
  return list.map((button) => ({
    ...{ kind: button.type as FormButton['kind'], text: textAt(button, 'text'), url: textAt(button, 'url') },
  }))
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
export function toComponents({ header, body, footer, buttons, examples, kept }: TemplateForm): Component[] {
  const withExample = (part: 'header' | 'body', text: string): Component => {
    const names = variablesIn(text)
    if (names.length === 0) return { text }
    const values = names.map((name) => examples[`${part}.${name}`]?.trim() ?? '')
    const isNamed = names.some((name) => !/^\d+$/.test(name))
    const given = isNamed
      ? { [`${part}_text_named_params`]: names.map((name, at) => ({ param_name: name, example: values[at] })) }
      : { [`${part}_text`]: part === 'body' ? [values] : values }
    return { text, example: given }
  }
  return [
    ...kept.filter(({ type }) => type === 'HEADER'),
    ...(header.trim() === '' ? [] : [{ type: 'HEADER', format: 'TEXT', ...withExample('header', header.trim()) }]),
    { type: 'BODY', ...withExample('body', body.trim()) },
    ...(footer.trim() === '' ? [] : [{ type: 'FOOTER', text: footer.trim() }]),
    ...kept.filter(({ type }) => type === 'BUTTONS'),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: inOrder(buttons).map(toButton) }]),
  ]
}

/** Meta wants answers to stand together. */
const inOrder = (buttons: readonly FormButton[]) => [
  ...buttons.filter(({ kind }) => kind === 'QUICK_REPLY'),
  ...buttons.filter(({ kind }) => kind === 'URL'),
]

const toButton = ({ kind, text, url }: FormButton): Component =>
  kind === 'URL' ? { type: kind, text: text.trim(), url: url.trim() } : { type: kind, text: text.trim() }

/** With its examples filled in, as a person would get it. */
export function toPreview({ header, body, footer, buttons, examples, kept }: TemplateForm): PhoneMessage {
  const filled = (part: 'header' | 'body', text: string) =>
    text.replaceAll(/\{\{([a-z0-9_]+)\}\}/g, (place, name: string) => examples[`${part}.${name}`]?.trim() || place)
  const format = kept.find(({ type }) => type === 'HEADER')?.format
  const media = MEDIA.find((type) => type.toUpperCase() === format)
  return {
    header: filled('header', header),
    media: media === undefined ? null : { type: media, url: '', filename: '' },
    ...{ text: filled('body', body), footer },
    buttons: inOrder(buttons).map(({ text }) => text),
  }
}

const MEDIA = ['image', 'video', 'document'] as const
