import { getContentType, proto } from 'baileys'
import { seconds } from './stanza.ts'

/** After how long new messages of a chat disappear. */
interface Timer {
  readonly seconds: number
  readonly setAt: number
}

/** The timers of one phone, by the other side's phone number. */
export interface ChatTimers {
  of(number: string): number
  /** Reads a change of the timer from a message. */
  hear(number: string, content: proto.IMessage): void
  /** @returns the content with the timer of the chat, as this phone sends it. */
  mark(number: string, content: proto.IMessage): proto.IMessage
}

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type

export function createChatTimers(): ChatTimers {
  const timers = new Map<string, Timer>()
  return {
    of: (number) => timers.get(number)?.seconds ?? 0,
    hear(number, { protocolMessage: setting }) {
      if (setting?.type !== EPHEMERAL_SETTING) return
      const setAt = Number(setting.ephemeralSettingTimestamp ?? 0)
      if (setAt === 0) throw new Error('a timer that does not say when it was set')
      timers.set(number, { seconds: setting.ephemeralExpiration ?? 0, setAt })
    },
    mark(number, content) {
      const timer = timers.get(number)
      const { conversation, ...others } = content
      const whole = conversation ? { ...others, extendedTextMessage: { text: conversation } } : content
      const part = getContentType(whole)
      const said = part && whole[part]
      if (timer === undefined || timer.seconds === 0 || part === undefined || typeof said !== 'object') return content
      if (part === 'protocolMessage' || part === 'reactionMessage') return content
      const before = said !== null && 'contextInfo' in said ? said.contextInfo : {}
      const contextInfo = { ...before, expiration: timer.seconds, ephemeralSettingTimestamp: timer.setAt }
      return { ...whole, [part]: { ...said, contextInfo } }
    },
  }
}

export const timerSetting = (expiration: number): proto.IMessage => ({
  protocolMessage: {
    type: EPHEMERAL_SETTING,
    ephemeralExpiration: expiration,
    ephemeralSettingTimestamp: seconds(),
  },
})
