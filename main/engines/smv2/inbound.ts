import type { proto, WAMessage } from 'baileys'
import { cause, type Log } from '../../kernel/log.ts'
import type { EngineInstance, EngineSignal, EngineSink, MessageOrigin } from '../engine.ts'
import { addressOf, hiddenJid, numberJid } from './jid.ts'
import type { Library, LoadLibrary } from './library.ts'
import type { Link } from './link.ts'
import type { MessageFiles } from './message-files.ts'
import type { People } from './people.ts'
import type { DecryptedMessage } from './repository.ts'
import type { Session } from './session.ts'
import { senderOfStanza, senderOfMessage, type Sender } from './sender.ts'
import { parseMessage, type ParsedMessage } from './parse-message.ts'

interface InboundDeps {
  readonly log: Log
  readonly loadLibrary: LoadLibrary
  readonly people: People
  readonly files: MessageFiles
  readonly sink: EngineSink
  readonly linkOf: (instance: EngineInstance) => Link
}

type Credentials = Pick<Session, 'creds' | 'keys'>

/** One message with everything needed to publish it. */
interface InboundContext {
  readonly instance: EngineInstance
  readonly library: Library
  readonly credentials: Credentials
  /** Names a file of the message: the same each time the message is published. */
  readonly digest: string
}

export interface Inbound {
  /** Publishes a decrypted message to the rooms; resolves once it is durable. Idempotent. */
  publish(instance: EngineInstance, digest: string, message: DecryptedMessage): Promise<void>
  /** What nobody could decrypt, and nobody has sent again. */
  publishUnreadable(instance: EngineInstance, message: WAMessage): Promise<void>
}

/** What a decrypted message is in the words of the port. */
export function createInbound({ log, loadLibrary, people, files, sink, linkOf }: InboundDeps): Inbound {
  async function publishMessage(scene: InboundContext, speaker: Sender, message: proto.IMessage): Promise<void> {
    const words = parseMessage(scene.library, message)
    if (words.kind === 'nothing') return
    if (words.kind === 'resent') return resent(scene, speaker, words.messages)
    const signal = await signalOf(scene, speaker, words, message)
    if (signal) await sink(scene.instance.id, signal)
  }

  /** Only one's own phone is asked to send anything again, so nobody else's word counts. */
  async function resent(scene: InboundContext, { isFromMe }: Sender, messages: readonly Uint8Array[]): Promise<void> {
    if (!isFromMe) return
    for (const bytes of messages) {
      const info = scene.library.proto.WebMessageInfo.decode(bytes)
      const speaker = senderOfMessage(info, scene.credentials.creds.me)
      if (speaker && info.message) await publishMessage(scene, speaker, info.message)
    }
  }

  async function signalOf(
    scene: InboundContext,
    speaker: Sender,
    words: Exclude<ParsedMessage, { kind: 'nothing' | 'resent' }>,
    message: proto.IMessage,
  ): Promise<EngineSignal | undefined> {
    const who = await senderOf(scene, speaker)
    if (who.chat === '' || who.from === '') return undefined
    switch (words.kind) {
      case 'edited':
        return { kind: 'edited', text: words.text, ...who, engineMessageId: words.target }
      case 'deleted':
        return { kind: 'deleted', deletedBy: who.from, ...who, engineMessageId: words.target }
      case 'reaction':
        return { kind: 'reaction', emoji: words.emoji, ...who, engineMessageId: words.target }
      case 'received':
        return received(scene, speaker, who, words, message)
    }
  }

  async function senderOf({ instance, credentials }: InboundContext, speaker: Sender): Promise<MessageOrigin> {
    const { engineMessageId, isFromMe: fromMe, group, atMs } = speaker
    const name = (named: Sender['chat']) => (named ? people.nameOf(instance, credentials.keys, named) : '')
    const chat = group ?? (await name(speaker.chat))
    const other = group === null ? chat : await name(speaker.participant)
    const from = fromMe ? addressOf(credentials.creds.me?.id ?? '').user : other
    return { engineMessageId, chat, from, fromMe, atMs }
  }

  async function received(
    scene: InboundContext,
    speaker: Sender,
    who: MessageOrigin,
    { type, text, file, quoted, referral }: Extract<ParsedMessage, { kind: 'received' }>,
    message: proto.IMessage,
  ): Promise<EngineSignal> {
    const isGroup = speaker.group !== null
    const isHidden = !who.fromMe && isHiddenName(speaker, who.from)
    if (!who.fromMe && !isGroup) await people.seen(scene.instance, who.chat, isHidden)
    const media = file && (await files.fetch(scene.instance, scene.digest, file, mediaRetryRequest(speaker, message)))
    return {
      kind: 'received',
      ...who,
      ...{ type, text, isGroup, pushName: who.fromMe ? null : speaker.pushName, media },
      quotedEngineMessageId: quoted,
      participant: isGroup ? who.from : null,
      referral,
      fromLid: isHidden ? who.from : null,
    }
  }

  return {
    async publish(instance, digest, { stanza, plain }) {
      const library = await loadLibrary()
      const credentials = await linkOf(instance).credentials()
      const speaker = senderOfStanza(stanza, credentials?.creds.me)
      if (credentials === undefined || speaker === undefined) return
      const padded = Buffer.from(plain, 'base64')
      let message: proto.IMessage
      try {
        message = library.proto.Message.decode(library.unpadRandomMax16(padded))
      } catch (error) {
        // It will not read better tomorrow; the library has found the same.
        return log.warn({ event: 'smv2.message_malformed', instanceId: instance.id, cause: cause(error) })
      }
      await publishMessage({ instance, library, credentials, digest }, speaker, message)
    },

    async publishUnreadable(instance, message) {
      const credentials = await linkOf(instance).credentials()
      const speaker = senderOfMessage(message, credentials?.creds.me)
      if (credentials === undefined || speaker === undefined) return
      const scene = { instance, library: await loadLibrary(), credentials, digest: '' }
      const who = await senderOf(scene, speaker)
      const words = {
        kind: 'received',
        type: 'unavailable',
        text: '',
        file: null,
        quoted: null,
        referral: null,
      } as const
      if (who.chat !== '' && who.from !== '') await sink(instance.id, await received(scene, speaker, who, words, {}))
    },
  }
}

/** What stands for somebody is their hidden id, because nobody knows their number. */
function isHiddenName({ group, chat, participant }: Sender, name: string): boolean {
  const named = group === null ? chat : participant
  return named !== null && named.number === null && named.hiddenId === name
}

/** For the phone, which may have to be asked for the file again. */
const mediaRetryRequest = (
  { engineMessageId: id, isFromMe, group, chat, participant }: Sender,
  message: proto.IMessage,
) => {
  const jidOf = (named: Sender['chat']) => (named?.number ? numberJid(named.number) : hiddenJid(named?.hiddenId ?? ''))
  const author = group === null || isFromMe ? {} : { participant: jidOf(participant) }
  return { key: { remoteJid: group ?? jidOf(chat), id, fromMe: isFromMe, ...author }, message }
}
