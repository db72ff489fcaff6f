import type { proto, SignalDataSet, SignalKeyStore } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { EngineInstance } from '../instance.ts'
import { getGroup } from './group-metadata.ts'
import { addressOf, isGroupJid } from './jid.ts'
import type { Library } from './library.ts'
import type { OpenLink } from './link.ts'
import type { People, PersonName } from './people.ts'
import { unwrap } from './unwrap.ts'

/** After which time new messages of a chat disappear, and since when. */
interface ChatTimer {
  /** 0: they stay. */
  readonly seconds: number
  /** When it was set, according to its sender; 0: unknown. */
  readonly setAtSeconds: number
}

/** What is no key of the library is stored with them. */
const TYPE = 'chat-timer'
const OFF: ChatTimer = { seconds: 0, setAtSeconds: 0 }
const DAY_SECONDS = 86_400
/** Longer than any client offers. */
const MOST_SECONDS = 400 * DAY_SECONDS

export type ChatTimers = ReturnType<typeof createChatTimers>

/**
 * Disappearing messages. In a chat with one person both sides keep the timer themselves, from what the other one says; a
 * group has it among its rules.
 */
export function createChatTimers({ clock, people }: { clock: Pick<Clock, 'now'>; people: Pick<People, 'nameOf'> }) {
  async function store(keys: SignalKeyStore, chat: string, timer: ChatTimer): Promise<void> {
    const before = (await stored(keys, [chat]))[chat]
    if (before !== undefined && (timer.setAtSeconds < before.setAtSeconds || isSame(timer, before))) return
    await keys.set({ [TYPE]: { [chat]: timer } } as unknown as SignalDataSet)
  }

  /** From anybody: a time in the future would keep the chat from ever being changed. */
  function plausible({ seconds, setAtSeconds }: ChatTimer): ChatTimer | undefined {
    if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > MOST_SECONDS) return undefined
    const nowSeconds = Math.floor(clock.now() / 1_000)
    return { seconds, setAtSeconds: Math.min(Math.max(0, setAtSeconds || 0), nowSeconds + DAY_SECONDS) }
  }

  return {
    /** Of a chat with one person. @param timer as it was said there. */
    async learn(instance: EngineInstance, keys: SignalKeyStore, chat: PersonName, timer: ChatTimer): Promise<void> {
      const known = plausible(timer)
      const name = known && (await people.nameOf(instance, keys, chat))
      if (known && name) await store(keys, name, known)
    },
    /** @param jid of a person or a group. */
    async of(open: OpenLink, jid: string): Promise<ChatTimer> {
      if (isGroupJid(jid)) {
        const { ephemeralDuration = 0 } = await getGroup(open, jid)
        return { seconds: ephemeralDuration, setAtSeconds: 0 }
      }
      const { user } = addressOf(jid)
      // It may have been set while nobody knew their number.
      const hidden = await open.sock.signalRepository.lidMapping.getLIDForPN(jid)
      const names = [user, ...(hidden ? [addressOf(hidden).user] : [])]
      const found = await stored(open.session.keys, names)
      return names
        .flatMap((name) => found[name] ?? [])
        .reduce((newest, one) => (one.setAtSeconds >= newest.setAtSeconds ? one : newest), OFF)
    },
    /** This account has set it. */
    set: ({ session }: OpenLink, jid: string, timer: ChatTimer) => store(session.keys, addressOf(jid).user, timer),
  }
}

/**
 * What a message says of the timer of its chat. A message without a timer does not change it: older clients leave it out.
 */
export function timerIn(library: Library, message: proto.IMessage, atMs: number): ChatTimer | undefined {
  const { content } = unwrap(library, message)
  const { protocolMessage: setting } = content ?? {}
  if (setting?.type === library.proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING) {
    const setAtSeconds = Number(setting.ephemeralSettingTimestamp ?? 0) || Math.floor(atMs / 1_000)
    return { seconds: setting.ephemeralExpiration ?? 0, setAtSeconds }
  }
  const type = content && library.getContentType(content)
  const said = type && content[type]
  const context = typeof said === 'object' && said !== null && 'contextInfo' in said ? said.contextInfo : null
  if (!context?.expiration) return undefined
  return { seconds: context.expiration, setAtSeconds: Number(context.ephemeralSettingTimestamp ?? 0) }
}

/** As a message carries it. */
export const contextOfTimer = ({ seconds, setAtSeconds }: ChatTimer): proto.IContextInfo =>
  seconds === 0 ? {} : { expiration: seconds, ...(setAtSeconds > 0 && { ephemeralSettingTimestamp: setAtSeconds }) }

const isSame = (one: ChatTimer, other: ChatTimer) =>
  one.seconds === other.seconds && one.setAtSeconds === other.setAtSeconds

const stored = (keys: SignalKeyStore, chats: readonly string[]) =>
  (keys.get as (type: string, ids: readonly string[]) => Promise<Partial<Record<string, ChatTimer>>>)(TYPE, chats)
