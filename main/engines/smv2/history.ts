import type { proto, WAMessage } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { EngineInstance } from '../engine.ts'
import type { HistoryPlace, HistorySource } from '../history.ts'
import type { Inbound } from './inbound.ts'
import type { ChatTimers } from './chat-timers.ts'
import { addressOf } from './jid.ts'
import type { LoadLibrary } from './library.ts'
import { noLink, type Link, type OpenLink } from './link.ts'
import type { People } from './people.ts'
import type { HistorySet } from './raw-line-event.ts'
import { historyChatsAfter, upsertHistoryChat, type HistoryChatRow } from './store.ts'

interface HistoryNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly seal: Seal
  readonly loadLibrary: LoadLibrary
  readonly people: People
  readonly inbound: Pick<Inbound, 'readPast'>
  readonly chatTimers: Pick<ChatTimers, 'learn'>
  readonly linkOf: (instance: EngineInstance) => Link
}

export interface History {
  readonly source: HistorySource
  /** The phone has sent a part of its history: on request, or because it was just linked. */
  arrived(instance: EngineInstance, set: HistorySet): Promise<void>
}

/** One question to a phone, whose answer comes in parts. */
interface Question {
  requestId: string | undefined
  readonly messages: WAMessage[]
  isComplete: boolean
  answered(): void
}

const ANSWER_MS = 30_000
const CHATS_AT_ONCE = 200
const ownerOf = (instanceId: string, jid: string) => `smv2:${instanceId}:history:${jid}`

/**
 * The past of a number. When it is linked, its phone names its chats and sends their latest messages; of those one per
 * chat is kept, sealed, because the phone answers only questions for what came before a message. Nothing of it is
 * shown until somebody asks for it.
 */
export function createHistory(needs: HistoryNeeds): History {
  const { db, clock, seal, loadLibrary, people, inbound, chatTimers, linkOf } = needs
  const questions = new Map<InstanceId, Question>()

  /** @throws ApiError not_ready */
  function openOf(instance: EngineInstance): OpenLink {
    const open = linkOf(instance).open()
    if (open) return open
    throw noLink()
  }

  function collect(
    id: InstanceId,
    { messages, chats, progress, peerDataRequestSessionId: requestId }: HistorySet,
  ): void {
    const question = questions.get(id)
    if (question === undefined) return
    if (question.requestId !== undefined && requestId && requestId !== question.requestId) return
    question.messages.push(...messages)
    question.isComplete = chats.some((chat) => chat.endOfHistoryTransferType === NO_MORE)
    if ((progress ?? 100) >= 100) question.answered()
  }

  /** The newest message of each chat, and what the chat is called. */
  async function keep({ id: instanceId }: EngineInstance, { messages, contacts }: HistorySet): Promise<void> {
    const { proto } = await loadLibrary()
    const newest = new Map<string, WAMessage>()
    for (const message of messages) {
      const jid = message.key.remoteJid ?? ''
      const before = newest.get(jid)
      if (message.message && isChat(jid) && (before === undefined || atOf(message) > atOf(before)))
        newest.set(jid, message)
    }
    const rows = new Map<string, { name: string | null; at: number | null; sealed: Buffer | null }>()
    for (const { id: jid, name, notify } of contacts) {
      const known = name ?? notify
      if (isChat(jid) && known) rows.set(jid, { name: known, at: null, sealed: null })
    }
    for (const [jid, message] of newest) {
      const bytes = Buffer.from(proto.WebMessageInfo.encode(message).finish())
      const sealed = seal.seal(bytes, ownerOf(instanceId, jid))
      rows.set(jid, { name: rows.get(jid)?.name ?? null, at: atOf(message), sealed })
    }
    const all = [...rows]
    for (let from = 0; from < all.length; from += CHATS_AT_ONCE) {
      await db.commit(async (tx) => {
        for (const [jid, row] of all.slice(from, from + CHATS_AT_ONCE))
          await tx.run(upsertHistoryChat, { instanceId, jid, ...row })
      })
    }
  }

  /** Of chats whose messages disappear. */
  async function learnTimers(instance: EngineInstance, { chats }: HistorySet): Promise<void> {
    const credentials = await linkOf(instance).credentials()
    if (credentials === undefined) return
    for (const { id = '', ephemeralExpiration: seconds, ephemeralSettingTimestamp: setAt } of chats) {
      const { user, kind } = addressOf(id ?? '')
      if (!seconds || (kind !== 'number' && kind !== 'hidden')) continue
      const name = kind === 'hidden' ? { number: null, hiddenId: user } : { number: user, hiddenId: null }
      await chatTimers.learn(instance, credentials.keys, name, { seconds, setAtSeconds: Number(setAt ?? 0) })
    }
  }

  async function toChat(instance: EngineInstance, { jid, name, sealed }: HistoryChatRow) {
    const credentials = await linkOf(instance).credentials()
    const { user, kind } = addressOf(jid)
    const named = kind === 'hidden' ? { number: null, hiddenId: user } : { number: user, hiddenId: null }
    const chat =
      kind === 'group' || credentials === undefined ? jid : await people.nameOf(instance, credentials.keys, named)
    if (sealed === null) return { key: jid, chat, name, place: null, message: null }
    const { proto } = await loadLibrary()
    const info = proto.WebMessageInfo.decode(seal.openBytes(sealed, ownerOf(instance.id, jid))) as WAMessage
    return { key: jid, chat, name, place: placeOf(info, chat), message: await inbound.readPast(instance, info) }
  }

  async function ask(
    instance: EngineInstance,
    place: HistoryPlace,
    count: number,
    signal: AbortSignal,
  ): Promise<Question> {
    const { sock } = openOf(instance)
    const remoteJid = place.address ?? (await people.addressOf(instance, openOf(instance), place.chat))
    if (remoteJid === null) throw new ApiError('not_found', `Nobody on WhatsApp has the number ${place.chat}.`)
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const question: Question = {
      requestId: undefined,
      messages: [],
      isComplete: false,
      answered: () => resolve(undefined),
    }
    const giveUp = () => reject(new Error('The phone did not answer.'))
    const limit = startTimeout(clock, ANSWER_MS, giveUp)
    signal.addEventListener('abort', giveUp)
    questions.set(instance.id, question)
    try {
      const key = { remoteJid, id: place.engineMessageId, fromMe: place.isOwn }
      question.requestId = await Promise.race([sock.fetchMessageHistory(count, key, place.atMs), promise])
      await promise
      return question
    } finally {
      limit.cancel()
      signal.removeEventListener('abort', giveUp)
      questions.delete(instance.id)
    }
  }

  return {
    async arrived(instance, set) {
      const { proto } = await loadLibrary()
      if (set.syncType === proto.HistorySync.HistorySyncType.ON_DEMAND) collect(instance.id, set)
      else {
        await keep(instance, set)
        await learnTimers(instance, set)
      }
    },
    source: {
      async chats(instance, after, limit) {
        const rows = await db.read(historyChatsAfter, { instanceId: instance.id, after, limit })
        return Promise.all(rows.map((row) => toChat(instance, row)))
      },
      async before(instance, place, count, signal) {
        const { messages: infos, isComplete } = await ask(instance, place, count, signal)
        const newestFirst = infos.toSorted((a, b) => atOf(b) - atOf(a))
        const read = await Promise.all(newestFirst.map((info) => inbound.readPast(instance, info)))
        const last = newestFirst.at(-1)
        return {
          messages: read.filter((message) => message !== null),
          oldest: last === undefined ? null : { ...placeOf(last, place.chat), address: place.address },
          isComplete: isComplete || last === undefined,
        }
      },
    },
  }
}

/** COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY. */
const NO_MORE: proto.Conversation.EndOfHistoryTransferType = 1

const atOf = ({ messageTimestamp }: WAMessage): number => Number(messageTimestamp ?? 0) * 1_000
const isChat = (jid: string) => addressOf(jid).kind !== 'other'

const placeOf = (info: WAMessage, chat: string): HistoryPlace => ({
  ...{ chat, address: info.key.remoteJid ?? null, engineMessageId: info.key.id ?? '' },
  ...{ isOwn: info.key.fromMe === true, atMs: atOf(info) },
})
