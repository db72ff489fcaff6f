import type { MessageContent } from '../../contract/message-content.ts'
import type { Template } from '../templates.ts'
import { filledText, recordOf, recordsIn } from './template-parameters.ts'

type Json = Readonly<Record<string, unknown>>

const textIn = ({ text }: Json): string | null => (typeof text === 'string' ? text : null)

/**
 * A template message as the phone shows it, with the values of the message in place of its variables.
 * @param given `template` of the message. It fits the template.
 */
export function templateContent(given: Json, template: Template): { text: string | null; content: MessageContent } {
  const components = recordsIn(template.components)
  const values = recordsIn(given['components'])
  const { text, ...shown } = partsOf(components, values)
  const cards = recordsIn(partOf(components, 'CAROUSEL')['cards']).map((card, index) => {
    const { header: _, footer: __, ...parts } = partsOf(recordsIn(card['components']), valuesOfCard(values, index))
    return parts
  })
  const content: MessageContent = {
    ...{ type: 'interactive', kind: 'template', ...shown, sections: [] },
    ...(cards.length > 0 && { cards }),
  }
  return { text, content }
}

/** @param values components of the message. */
function partsOf(components: readonly Json[], values: readonly Json[]) {
  const valuesOf = (part: string) => recordsIn(componentOf(values, part)?.['parameters'])
  const filled = (type: 'HEADER' | 'BODY') => {
    const text = textIn(partOf(components, type))
    return text === null ? null : filledText(text, valuesOf(type.toLowerCase()))
  }
  const buttons = recordsIn(partOf(components, 'BUTTONS')['buttons']).map((button, index) => ({
    ...{ type: String(button['type']), title: textIn(button) ?? '', url: button['url'] },
    value: buttonValue(values, index),
  }))
  const opener = buttons.find(({ type }) => type !== 'QUICK_REPLY')
  const file = fileIn(partOf(components, 'HEADER')['format'], valuesOf('header')[0])
  return {
    ...{ header: filled('HEADER'), ...(file && { header_media: file }) },
    ...{ text: filled('BODY'), footer: textIn(partOf(components, 'FOOTER')), button: opener?.title ?? null },
    // Meta gives the words of a button back if the message has no payload for it.
    buttons: buttons
      .filter(({ type }) => type === 'QUICK_REPLY')
      .map(({ title, value }) => ({ id: value ?? title, title })),
    url: typeof opener?.url === 'string' ? opener.url.replace('{{1}}', () => opener.value ?? '') : null,
  }
}

const FILES = ['IMAGE', 'VIDEO', 'DOCUMENT']

function fileIn(format: unknown, parameter: Json = {}) {
  if (typeof format !== 'string' || !FILES.includes(format)) return undefined
  const type = format.toLowerCase()
  const { link, filename } = recordOf(parameter[type])
  return { type, url: typeof link === 'string' ? link : null, filename: typeof filename === 'string' ? filename : null }
}

const partOf = (components: readonly Json[], type: string): Json => components.find((one) => one['type'] === type) ?? {}

const componentOf = (values: readonly Json[], part: string): Json | undefined =>
  values.find(({ type }) => String(type).toLowerCase() === part)

function valuesOfCard(values: readonly Json[], index: number): readonly Json[] {
  const card = recordsIn(componentOf(values, 'carousel')?.['cards']).find((one) => one['card_index'] === index)
  return recordsIn(card?.['components'])
}

function buttonValue(values: readonly Json[], index: number): string | null {
  const mine = values.find((one) => String(one['type']).toLowerCase() === 'button' && Number(one['index']) === index)
  const { payload, text } = recordOf(recordsIn(mine?.['parameters'])[0])
  const value = payload ?? text
  return typeof value === 'string' ? value : null
}
