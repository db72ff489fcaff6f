import type { MessageContent } from '../../contract/message-content.ts'
import { filledTemplate, type FilledTemplate } from '../template-content.ts'
import { recordsIn } from '../template-text.ts'
import type { Template } from '../templates.ts'

type Button = FilledTemplate['shown']['buttons'][number]

/**
 * A template message as the phone shows it, with its variables filled in.
 * @param given `template` of the message, already checked against the template.
 */
export function phoneTemplate(
  given: Readonly<Record<string, unknown>>,
  template: Pick<Template, 'components'>,
): { text: string | null; content: MessageContent } {
  const { text, shown } = filledTemplate(recordsIn(given['components']), template.components)
  const { buttons, cards, ...around } = shown
  const content: MessageContent = {
    ...{ type: 'interactive', kind: 'template', ...around, ...buttonsOf(buttons), sections: [] },
    ...(cards && { cards: cards.map(({ buttons: own, ...card }) => ({ ...card, ...buttonsOf(own) })) }),
  }
  return { text: text === '' ? null : text, content }
}

/** The first button that is not a quick reply, and the quick replies. */
function buttonsOf(buttons: readonly Button[]) {
  const opener = buttons.find(({ type }) => type !== 'quick_reply')
  return {
    ...{ button: opener?.title ?? null, url: opener?.url ?? null },
    buttons: buttons.flatMap(({ type, id, title }) => (type === 'quick_reply' ? [{ id: id ?? title, title }] : [])),
  }
}
