import type { MessageContent } from '../../contract/message-content.ts'
import { recordAt, recordsAt, textAt, type Json } from './json.ts'

export type TemplateMessage = Extract<MessageContent, { type: 'template' }>

/** The `interactive` part of a payload; undefined if it is another kind of message. */
function interactiveIn(payload: object): Json | undefined {
  const given = payload as Json
  return given['type'] === 'interactive' ? recordAt(given, 'interactive') : undefined
}

/** The text above the buttons; empty for other messages. */
export function interactiveBody(payload: object): string {
  const interactive = interactiveIn(payload)
  return (interactive && textAt(recordAt(interactive, 'body'), 'text')) ?? ''
}

/** What a conversation shows of a payload with buttons, a list or a form. */
export function interactiveContent(payload: object): MessageContent | null {
  const interactive = interactiveIn(payload)
  const kind = interactive && textAt(interactive, 'type')
  if (interactive === undefined || kind === undefined || kind === null) return null
  const action = recordAt(interactive, 'action')
  const parameters = recordAt(action, 'parameters')
  const product = textAt(action, 'product_retailer_id')
  const header = recordAt(interactive, 'header')
  const file = textAt(header, 'type') ?? 'text'
  const sections = recordsAt(action, 'sections').map(toSection)
  return {
    type: 'interactive',
    kind,
    header: textAt(header, 'text'),
    ...(file !== 'text' && { header_media: toFile(file, recordAt(header, file)) }),
    footer: textAt(recordAt(interactive, 'footer'), 'text'),
    button: textAt(action, 'button') ?? textAt(parameters, 'display_text') ?? textAt(parameters, 'flow_cta'),
    buttons: recordsAt(action, 'buttons').map((button) => toChoice(recordAt(button, 'reply'))),
    sections: product === null ? sections : [{ title: null, rows: [], product_ids: [product] }],
    url: textAt(parameters, 'url'),
  }
}

/** A template as it was sent, without its text. */
export function templateSent(payload: object): TemplateMessage | null {
  const given = payload as Json
  if (given['type'] !== 'template') return null
  const template = recordAt(given, 'template')
  const name = textAt(template, 'name')
  const language = textAt(recordAt(template, 'language'), 'code')
  if (name === null || language === null) return null
  return { type: 'template', name, language, components: recordsAt(template, 'components').map((one) => ({ ...one })) }
}

const toFile = (type: string, file: Json) => ({
  ...{ type, url: textAt(file, 'link'), filename: textAt(file, 'filename') },
})

const toChoice = (choice: Json) => ({ id: textAt(choice, 'id') ?? '', title: textAt(choice, 'title') ?? '' })

const toSection = (section: Json) => ({
  title: textAt(section, 'title'),
  rows: recordsAt(section, 'rows').map((row) => ({ ...toChoice(row), description: textAt(row, 'description') })),
  product_ids: recordsAt(section, 'product_items').flatMap((item) => textAt(item, 'product_retailer_id') ?? []),
})
