import type { TemplateMessage } from './official/interactive-content.ts'
import { filledText, lower, recordOf, recordsIn } from './template-text.ts'

type Json = Readonly<Record<string, unknown>>
type Shown = NonNullable<TemplateMessage['shown']>
type Button = Shown['buttons'][number]
type File = NonNullable<Shown['header_media']>

/** A template message as the person sees it, with its values in place of the variables. */
export interface FilledTemplate {
  /** The body; '' if the template has none. */
  readonly text: string
  readonly shown: Shown
}

/** What is kept of a template message whose template is known. */
export interface TemplateContent {
  readonly text: string
  readonly content: TemplateMessage
}

/** What a template is filled in with. */
export interface TemplateWords {
  readonly category: string
  readonly components: readonly object[]
}

/** Values of authentication templates are one-time codes, which are for the person alone: they are hidden. */
export function templateContent(sent: TemplateMessage, { category, components }: TemplateWords): TemplateContent {
  const values = category === 'AUTHENTICATION' ? sent.components.map(withHiddenValues) : sent.components
  const { text, shown } = filledTemplate(values, components)
  return { text, content: { ...sent, components: [...values], shown } }
}

/** @param values components of the message. They need not fit the template: what is missing stays empty. */
export function filledTemplate(values: readonly Json[], template: readonly object[]): FilledTemplate {
  const components = recordsIn(template)
  const { text, header, footer, ...around } = partsOf(components, values)
  const cards = recordsIn(partOf(components, 'CAROUSEL')['cards']).map((card, index) => {
    const { header: _, footer: __, ...parts } = partsOf(recordsIn(card['components']), valuesOfCard(values, index))
    return parts
  })
  return { text: text ?? '', shown: { header, footer, ...around, ...(cards.length > 0 && { cards }) } }
}

function partsOf(components: readonly Json[], values: readonly Json[]) {
  const valuesOf = (part: string) => recordsIn(componentOf(values, part)?.['parameters'])
  const filled = (type: 'HEADER' | 'BODY') => {
    const text = textIn(partOf(components, type))
    return text === null ? null : filledText(text, valuesOf(type.toLowerCase()))
  }
  const file = fileIn(partOf(components, 'HEADER')['format'], valuesOf('header')[0])
  return {
    ...{ header: filled('HEADER'), ...(file && { header_media: file }) },
    ...{ text: filled('BODY'), footer: textIn(partOf(components, 'FOOTER')) },
    buttons: recordsIn(partOf(components, 'BUTTONS')['buttons']).map((button, index) =>
      buttonIn(button, index, values),
    ),
  }
}

function buttonIn(button: Json, index: number, values: readonly Json[]): Button {
  const [type, title, value] = [lower(button['type']), textIn(button) ?? '', buttonValue(values, index)]
  const { url } = button
  return {
    ...{ type, title },
    // Meta gives the words of a button back if the message has no payload for it.
    id: type === 'quick_reply' ? (value ?? title) : null,
    url: typeof url === 'string' ? url.replace(/\{\{[a-z0-9_]+\}\}/, () => value ?? '') : null,
  }
}

const FILES = ['IMAGE', 'VIDEO', 'DOCUMENT']

function fileIn(format: unknown, parameter: Json = {}): File | undefined {
  if (typeof format !== 'string' || !FILES.includes(format)) return undefined
  const type = format.toLowerCase()
  const { link, filename } = recordOf(parameter[type])
  return { type, url: typeof link === 'string' ? link : null, filename: typeof filename === 'string' ? filename : null }
}

const textIn = ({ text }: Json): string | null => (typeof text === 'string' ? text : null)

const partOf = (components: readonly Json[], type: string): Json => components.find((one) => one['type'] === type) ?? {}

const componentOf = (values: readonly Json[], part: string): Json | undefined =>
  values.find(({ type }) => lower(type) === part)

function valuesOfCard(values: readonly Json[], index: number): readonly Json[] {
  const card = recordsIn(componentOf(values, 'carousel')?.['cards']).find((one) => one['card_index'] === index)
  return recordsIn(card?.['components'])
}

function buttonValue(values: readonly Json[], index: number): string | null {
  const mine = values.find((one) => lower(one['type']) === 'button' && Number(one['index']) === index)
  const { payload, text } = recordOf(recordsIn(mine?.['parameters'])[0])
  const value = payload ?? text
  return typeof value === 'string' ? value : null
}

const HIDDEN = '••••••'

const withHiddenValues = (component: Json) => ({
  ...component,
  parameters: recordsIn(component['parameters']).map(({ type }) => ({ type, text: HIDDEN })),
})
