import type { MessageContent } from '../contract/message-content.ts'

type Interactive = Extract<MessageContent, { type: 'interactive' }>
type Template = Extract<MessageContent, { type: 'template' }>
type Part = Pick<Interactive, 'header_media'> & { readonly text: string | null }

/**
 * A message that we sent with a template, buttons or a list, in words: for agents and CRMs, which read text alone. Of
 * buttons the words are enough: a link can be a key, such as one that signs in.
 * @param text body of the message.
 */
export function shownText(text: string, content: MessageContent | null): string {
  if (content?.type === 'interactive') return interactiveText(text, content)
  return content?.type === 'template' ? templateText(text, content) : text
}

function templateText(text: string, { name, shown }: Template): string {
  if (shown === undefined) return `[template ${name}]`
  const { header, footer, buttons, cards = [], ...rest } = shown
  const titles = (some: typeof buttons) => some.map(({ title }) => title)
  return lines(
    ...partLines({ ...rest, text }, header, footer),
    buttonLine(titles(buttons)),
    ...cards.flatMap(({ buttons: own, ...card }) => [...partLines(card), buttonLine(titles(own))]),
  )
}

function interactiveText(text: string, content: Interactive): string {
  const { header, footer, button, buttons, sections, cards = [], ...rest } = content
  const titles = (some: typeof buttons, opener: string | null) => [
    ...some.map(({ title }) => title),
    ...(opener === null ? [] : [opener]),
  ]
  return lines(
    ...partLines({ ...rest, text }, header, footer),
    buttonLine(titles(buttons, button)),
    ...sections.flatMap((section) => [section.title ?? '', ...section.rows.map(({ title }) => `- ${title}`)]),
    ...cards.flatMap(({ button: opener, buttons: own, ...card }) => [
      ...partLines(card),
      buttonLine(titles(own, opener)),
    ]),
  )
}

const partLines = ({ header_media: file, text }: Part, header: string | null = null, footer: string | null = null) => [
  file === undefined ? '' : `[${file.filename ?? file.type}]`,
  ...[header ?? '', text ?? '', footer ?? ''],
]

const buttonLine = (titles: readonly string[]): string => titles.map((title) => `[${title}]`).join(' ')

const lines = (...all: readonly string[]): string => all.filter((line) => line !== '').join('\n')
