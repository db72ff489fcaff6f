import type { Item } from '../../app/operation-types.ts'

export type Template = Item<'listTemplates'>

/** A place of a template that is filled for each person. */
export interface TemplateField {
  /** `body.1`, `header.image`, `button.0.1`, `button.0.code`. */
  readonly key: string
  readonly part: 'header' | 'body' | 'button'
  /** `code`: what a button copies. */
  readonly kind: 'text' | 'code' | 'image' | 'video' | 'document'
  /** The name between its braces; empty for a file. */
  readonly name: string
  /** Which button. */
  readonly button: number
}

export type TemplateValues = Readonly<Record<string, string>>

/** What a template says, as far as a phone shows it. */
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

/** Templates are Graph's own data, so every field is checked. */
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

const namesIn = (text: string) => [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]
const CODE = 'code'
const MEDIA = { IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document' } as const

/** What has to be filled before the template can be sent, from its top to its buttons. */
export function listTemplateFields(template: Pick<Template, 'components'>): readonly TemplateField[] {
  const { header, headerFormat, body, buttons } = templateParts(template)
  const media = MEDIA[headerFormat as keyof typeof MEDIA] as (typeof MEDIA)[keyof typeof MEDIA] | undefined
  const texts = (part: 'header' | 'body', text: string): TemplateField[] =>
    namesIn(text).map((name) => ({ key: `${part}.${name}`, part, kind: 'text', name, button: 0 }))
  return [
    ...(media === undefined
      ? texts('header', header)
      : [{ key: `header.${media}`, part: 'header' as const, kind: media, name: '', button: 0 }]),
    ...texts('body', body),
    ...buttons.flatMap(({ type, url }, button): TemplateField[] => {
      const field = (name: string, kind: 'text' | 'code'): TemplateField => ({
        ...{ key: `button.${button}.${name}`, part: 'button', kind, name, button },
      })
      return type === 'COPY_CODE' ? [field(CODE, 'code')] : namesIn(url).map((name) => field(name, 'text'))
    }),
  ]
}

/** The text with its places filled; an empty one is shown as it is written in the template. */
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
  fields: readonly TemplateField[],
): Record<string, unknown> {
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
  const component = (type: string, some: readonly TemplateField[]) =>
    some.length === 0 ? [] : [{ type, parameters: some.map(parameter) }]
  return {
    type: 'template',
    template: {
      name,
      language: { code: language },
      components: [
        ...component('header', of('header')),
        ...component('body', of('body')),
        ...of('button').map((field) => ({
          ...{ type: 'button', sub_type: field.kind === 'code' ? 'copy_code' : 'url' },
          ...{ index: String(field.button), parameters: [parameter(field)] },
        })),
      ],
    },
  }
}

/** The template of a payload that this window made. @returns undefined for any other payload. */
export function readTemplatePayload(payload: Readonly<Record<string, unknown>>): TemplateChoice | undefined {
  const template = payload.template as
    { name?: unknown; language?: { code?: unknown }; components?: unknown } | undefined
  const code = template?.language?.code
  if (payload.type !== 'template' || !isText(template?.name) || !isText(code)) return undefined
  const values: Record<string, string> = {}
  for (const component of asList(template.components)) {
    const part = isText(component.type) ? component.type : ''
    for (const [index, parameter] of asList(component.parameters).entries()) {
      const name = isText(parameter.parameter_name) ? parameter.parameter_name : String(index + 1)
      const kind = isText(parameter.type) ? parameter.type : 'text'
      if (kind === 'coupon_code') {
        values[`button.${String(component.index)}.${CODE}`] = isText(parameter.coupon_code) ? parameter.coupon_code : ''
        continue
      }
      const file = parameter[kind] as { link?: unknown } | undefined
      const value = kind === 'text' ? parameter.text : file?.link
      const place = part === 'button' ? `button.${String(component.index)}.${name}` : `${part}.${name}`
      values[kind === 'text' ? place : `${part}.${kind}`] = isText(value) ? value : ''
    }
  }
  return { name: template.name, language: code, values }
}
