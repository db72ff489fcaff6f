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
  const of = (type: string) => components.find((component) => component['type'] === type) ?? {}
  const values = recordsIn(given['components'])
  const valuesOf = (part: string) =>
    recordsIn(values.find(({ type }) => String(type).toLowerCase() === part)?.['parameters'])
  const filled = (type: 'HEADER' | 'BODY') => {
    const text = textIn(of(type))
    return text === null ? null : filledText(text, valuesOf(type.toLowerCase()))
  }
  const buttons = recordsIn(of('BUTTONS')['buttons']).map((button, index) => ({
    ...{ type: String(button['type']), title: textIn(button) ?? '', url: button['url'] },
    value: buttonValue(values, index),
  }))
  const opener = buttons.find(({ type }) => type !== 'QUICK_REPLY')
  const url = typeof opener?.url === 'string' ? opener.url.replace('{{1}}', () => opener.value ?? '') : null
  const content: MessageContent = {
    ...{ type: 'interactive', kind: 'template', header: filled('HEADER'), footer: textIn(of('FOOTER')) },
    button: opener?.title ?? null,
    // Meta gives the words of a button back if the message has no payload for it.
    buttons: buttons
      .filter(({ type }) => type === 'QUICK_REPLY')
      .map(({ title, value }) => ({ id: value ?? title, title })),
    ...{ sections: [], url },
  }
  return { text: filled('BODY'), content }
}

function buttonValue(values: readonly Json[], index: number): string | null {
  const mine = values.find((one) => String(one['type']).toLowerCase() === 'button' && Number(one['index']) === index)
  const { payload, text } = recordOf(recordsIn(mine?.['parameters'])[0])
  const value = payload ?? text
  return typeof value === 'string' ? value : null
}
