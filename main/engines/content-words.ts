import type { MessageContent } from '../contract/message-content.ts'

/** The words that a conversation shows for a message without text. */
export function wordsOf(content: MessageContent): string {
  switch (content.type) {
    case 'location': {
      const named = [content.name, content.address].filter((each) => each !== null)
      return named.length > 0 ? named.join(', ') : `${content.latitude}, ${content.longitude}`
    }
    case 'contacts':
      return content.contacts.map(({ name }) => name).join(', ')
    case 'order':
    case 'product':
      return content.title ?? ''
    case 'payment':
      return content.note ?? ''
    case 'group_invite':
    case 'channel_invite':
      return content.name ?? ''
    case 'event':
    case 'template':
      return content.name
    case 'poll':
    case 'poll_result':
      return content.question
    case 'button_reply':
    case 'list_reply':
    case 'flow_reply':
      return content.title
    case 'interactive':
      return content.header ?? content.button ?? ''
    case 'link':
      return content.url
    case 'poll_vote':
      return content.options.join(', ')
    case 'unavailable':
      return ''
  }
}
