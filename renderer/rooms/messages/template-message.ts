import type { MessageContent } from '../../../main/contract/message-content.ts'
import {
  cardPrefix,
  fillTemplateText,
  readTemplatePayload,
  templateCards,
  templateParts,
} from '../campaigns/template.ts'
import type { Template, TemplateValues } from '../campaigns/template.ts'

type Interactive = Extract<MessageContent, { type: 'interactive' }>
type Sent = Pick<Extract<MessageContent, { type: 'template' }>, 'name' | 'language' | 'components'>
type Stored = NonNullable<Extract<MessageContent, { type: 'template' }>['shown']>
type Parts = ReturnType<typeof templateParts>

/** The parts of a template that a bubble shows. */
interface ShownTemplate {
  readonly content: Interactive
  readonly text: string
  /** The titles of buttons that open something, except the first one. */
  readonly openers: readonly string[]
}

/** The template in a request body; undefined for other kinds of messages. */
export function sentTemplate(payload: object | undefined): Sent | undefined {
  const { type, template } = (payload ?? {}) as { type?: unknown; template?: Partial<TemplatePart> }
  const { name, language, components } = template ?? {}
  const code = language?.code
  if (type !== 'template' || typeof name !== 'string' || typeof code !== 'string') return undefined
  return { name, language: code, components: Array.isArray(components) ? (components as Sent['components']) : [] }
}
interface TemplatePart {
  readonly name: unknown
  readonly language: { readonly code?: unknown }
  readonly components: unknown
}

const payloadOf = ({ name, language, components }: Sent) => ({
  type: 'template',
  template: { name, language: { code: language }, components },
})

/** A template as stored with its message. */
export function storedTemplate({ buttons, cards, ...around }: Stored, text: string): ShownTemplate {
  const { openers, ...shown } = splitButtons(buttons)
  return {
    ...{ text, openers },
    content: {
      ...{ type: 'interactive', kind: 'template', ...around, ...shown, sections: [] },
      ...(cards && {
        cards: cards.map(({ buttons: own, ...card }) => {
          const { openers: _, ...parts } = splitButtons(own)
          return { ...card, ...parts }
        }),
      }),
    },
  }
}

function splitButtons(all: Stored['buttons']) {
  const [first, ...others] = all.filter(({ type }) => type !== 'quick_reply')
  return {
    ...{ button: first?.title ?? null, url: first?.url ?? null, openers: others.map(({ title }) => title) },
    buttons: all.flatMap(({ type, id, title }) => (type === 'quick_reply' ? [{ id: id ?? title, title }] : [])),
  }
}

/** A template with its current texts and the values of this message. */
export function shownTemplate(sent: Sent, { components }: Pick<Template, 'components'>): ShownTemplate {
  const values = readTemplatePayload(payloadOf(sent))?.values ?? {}
  const { header, footer, ...around } = shownParts(templateParts({ components }), '', values)
  const cards = templateCards({ components }).map((card, index) => {
    const { header: _, footer: __, openers: ___, ...parts } = shownParts(card, cardPrefix(index), values)
    return parts
  })
  const { text, openers, ...shown } = around
  return {
    ...{ text, openers },
    content: {
      ...{ type: 'interactive', kind: 'template', header, footer, ...shown, sections: [] },
      ...(cards.length > 0 && { cards }),
    },
  }
}

function shownParts(parts: Parts, prefix: string, values: TemplateValues) {
  const { header, headerFormat, body, footer, buttons } = parts
  const type = headerFormat.toLowerCase()
  const file = values[`${prefix}header.${type}`]
  const opener = buttons.findIndex((button) => button.type !== 'QUICK_REPLY')
  const opened = buttons[opener]
  const others = buttons.filter((button, index) => button.type !== 'QUICK_REPLY' && index !== opener)
  return {
    header: fillTemplateText(header, `${prefix}header`, values) || null,
    ...(type !== 'text' && { header_media: { type, url: file ?? null, filename: null } }),
    text: fillTemplateText(body, `${prefix}body`, values),
    footer: footer || null,
    openers: others.map(({ text }) => text),
    button: opened?.text ?? null,
    buttons: buttons.filter((button) => button.type === 'QUICK_REPLY').map(({ text }) => ({ id: text, title: text })),
    url: opened?.url ? fillTemplateText(opened.url, `${prefix}button.${opener}`, values) : null,
  }
}

/** The values of a message whose template texts are unknown. */
export const valuesOf = (sent: Sent): readonly string[] =>
  Object.values(readTemplatePayload(payloadOf(sent))?.values ?? {})
