import { isoTime } from '../../contract/request.ts'
import type { MessageErrorShape } from '../../contract/shapes.ts'

/** The account may not write to people who have not written to it. */
export const REACHOUT = 463

const FAILURES: Readonly<Record<number, Pick<MessageErrorShape, 'code' | 'message'>>> = {
  [REACHOUT]: {
    code: 'reachout_restricted',
    message:
      'WhatsApp does not accept messages from this number to new people for now. People who have written before can be answered. Do not repeat this: each attempt extends the restriction.',
  },
  479: {
    code: 'engine_rejected',
    message: 'WhatsApp refused the message, mostly because the recipient has changed a device. Send it again later.',
  },
}

/** What an error code of the network says of a message. */
export function failureOf(code: number): MessageErrorShape {
  const known = FAILURES[code] ?? { code: 'engine_rejected', message: `WhatsApp refused the message (${code}).` }
  return { ...known, provider_code: code }
}

export const NOT_ON_WHATSAPP: MessageErrorShape = {
  code: 'not_on_whatsapp',
  message: 'This number is not on WhatsApp. Check the number.',
  provider_code: null,
}

/** It was not sent: WhatsApp would refuse it. */
export function newChatsUsedUp({ untilMs }: { readonly untilMs: number | null }): MessageErrorShape {
  const until = untilMs === null ? '' : ` until ${isoTime(untilMs)}`
  return {
    code: 'reachout_restricted',
    message: `This number has started all the new chats that WhatsApp allows it${until}. You can write to people who have written before.`,
    provider_code: null,
  }
}
