import { createHash } from 'node:crypto'
import type { proto, WAMessage } from 'baileys'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { EngineInstance, EngineSignal, EngineSink, MessageOrigin } from '../engine.ts'
import type { HistoryMessage } from '../history.ts'
import { timerIn, type ChatTimers } from './chat-timers.ts'
import { addressOf, hiddenJid, numberJid } from './jid.ts'
import type { Library, LoadLibrary } from './library.ts'
import type { Link } from './link.ts'
import type { MessageFiles } from './message-files.ts'
import { openEdit, type MessageSecrets } from './message-secrets.ts'
import type { People } from './people.ts'
import type { DecryptedMessage } from './repository.ts'
import type { Session } from './session.ts'
import { senderOfStanza, senderOfMessage, type Sender } from './sender.ts'
import { parseMessage, unavailable, type ParsedMessage } from './parse-message.ts'
import { addressesOf, pollOf, readVote, type Polls } from './polls.ts'
import type { Sent } from './sent.ts'
import { isUnknownKind } from './unwrap.ts'

interface InboundDeps {
  readonly db: Pick<Db, 'commit'>
  readonly log: Log
  readonly loadLibrary: LoadLibrary
  readonly people: People
  readonly files: MessageFiles
  readonly polls: Polls
  readonly sent: Pick<Sent, 'messageOf'>
  readonly secrets: MessageSecrets
  readonly chatTimers: Pick<ChatTimers, 'learn'>
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
  /** As it was decrypted; null for what came otherwise. */
  readonly decrypted: DecryptedMessage | null
}

type Words<K extends ParsedMessage['kind']> = Extract<ParsedMessage, { kind: K }>

export interface Inbound {
  /** Publishes a decrypted message to the rooms; resolves once it is durable. Idempotent. */
  publish(instance: EngineInstance, digest: string, message: DecryptedMessage): Promise<void>
  /** A message of before, with its file left on the network; null: nobody said anything. */
  readPast(instance: EngineInstance, info: WAMessage): Promise<HistoryMessage | null>
  /** What nobody could decrypt, and nobody has sent again. */
  publishUnreadable(instance: EngineInstance, message: WAMessage): Promise<void>
  /** What the network keeps from linked devices. @param kind its own word for why. */
  publishUnavailable(instance: EngineInstance, stanza: Readonly<Record<string, string>>, kind: string): Promise<void>
}

/** What a decrypted message is in the words of the port. */
export function createInbound(deps: InboundDeps): Inbound {
  const { db, log, loadLibrary, people, polls, files, sent, secrets, chatTimers, sink, linkOf } = deps

  async function publishMessage(scene: InboundContext, speaker: Sender, message: proto.IMessage): Promise<void> {
    await learnTimer(scene, speaker, message)
    const words = parseMessage(scene.library, message)
    if (words.kind === 'nothing') return
    if (words.kind === 'resent') return resent(scene, speaker, words.messages)
    if (words.kind === 'received') return publishReceived(scene, speaker, words, message)
    const signal = await signalOf(scene, speaker, words)
    if (signal) await sink(scene.instance.id, signal)
  }

  /** A group has it among its rules. */
  async function learnTimer(scene: InboundContext, { group, chat, atMs }: Sender, message: proto.IMessage) {
    const timer = group === null && chat ? timerIn(scene.library, message, atMs) : undefined
    if (timer && chat) await chatTimers.learn(scene.instance, scene.credentials.keys, chat, timer)
  }

  function follow(instance: EngineInstance, mediaId: string, { engineMessageId }: MessageOrigin): void {
    files.follow(instance, mediaId, engineMessageId).catch((error: unknown) => {
      log.warn({ event: 'smv2.file_not_followed', instanceId: instance.id, cause: cause(error) })
    })
  }

  async function publishReceived(
    scene: InboundContext,
    speaker: Sender,
    words: Words<'received'>,
    message: proto.IMessage = {},
  ): Promise<void> {
    const who = await senderOf(scene, speaker)
    if (who.chat === '' || who.from === '') return
    const { instance, library } = scene
    const isPoll = words.content?.type === 'poll'
    if (isPoll) {
      const creator = speaker.isFromMe ? null : (speaker.participant ?? speaker.chat)
      await db.commit((tx) => polls.keep(tx, library, instance.id, who.engineMessageId, message, creator))
    }
    const signal = await received(scene, speaker, who, words, message)
    await sink(instance.id, signal)
    if (signal.media?.pending) follow(instance, signal.media.id, signal)
    if (!isPoll) return
    for (const vote of await polls.waiting(instance.id, who.engineMessageId)) {
      await publish(instance, vote.digest, vote.message)
      await polls.forget(vote)
    }
  }

  /** Only the account's own phone is asked to resend messages, so answers of others are ignored. */
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
    words: Words<'edited' | 'sealed_edit' | 'deleted' | 'reaction' | 'vote'>,
  ): Promise<EngineSignal | undefined> {
    const who = await senderOf(scene, speaker)
    if (who.chat === '' || who.from === '') return undefined
    switch (words.kind) {
      case 'edited':
        return { kind: 'edited', text: words.text, ...who, engineMessageId: words.target }
      case 'sealed_edit':
        return editedSealed(scene, speaker, who, words)
      case 'deleted':
        return { kind: 'deleted', deletedBy: who.from, ...who, engineMessageId: words.target }
      case 'reaction':
        return { kind: 'reaction', emoji: words.emoji, ...who, engineMessageId: words.target }
      case 'vote':
        return voted(scene, speaker, who, words)
    }
  }

  /** @returns undefined where the message is not known, and for an edit that is not by its author. */
  async function editedSealed(
    { instance, library, credentials }: InboundContext,
    speaker: Sender,
    who: MessageOrigin,
    { target, sealed }: Words<'sealed_edit'>,
  ): Promise<EngineSignal | undefined> {
    const me = namesOfMe(credentials.creds.me)
    const editor = speaker.isFromMe ? me : (speaker.participant ?? speaker.chat ?? me)
    const editors = await addressesOf(credentials.keys, editor)
    for (const { secret, author } of await secrets.find(instance.id, target, credentials.creds.me)) {
      const authors = await addressesOf(credentials.keys, author ?? me)
      const isByAuthor = authors.some((address) => editors.includes(address))
      const plain = isByAuthor ? openEdit({ ...sealed, target, secret, authors, editors }) : undefined
      const text = plain && editedText(library, plain)
      if (text !== undefined) return { kind: 'edited', text, ...who, engineMessageId: target }
    }
    log.warn({ event: 'smv2.edit_unreadable', instanceId: instance.id })
    return undefined
  }

  /** @returns undefined for a vote that nobody can read, and for one that waits for its poll. */
  async function voted(
    scene: InboundContext,
    speaker: Sender,
    who: MessageOrigin,
    { target, vote, atMs }: Words<'vote'>,
  ): Promise<EngineSignal | undefined> {
    const { instance, library, credentials, digest, decrypted } = scene
    const ours = () => sent.messageOf(instance.id, target).then((message) => message && pollOf(library, message, null))
    const poll = (await polls.find(instance.id, target)) ?? (await ours())
    if (poll === undefined) {
      if (decrypted) await polls.wait(instance.id, target, digest, decrypted)
      return undefined
    }
    const me = namesOfMe(credentials.creds.me)
    const voter = speaker.isFromMe ? me : (speaker.participant ?? speaker.chat ?? me)
    const [creators, voters] = await Promise.all([
      addressesOf(credentials.keys, poll.creator ?? me),
      addressesOf(credentials.keys, voter),
    ])
    const options = readVote(library, poll, target, vote, { creators, voters })
    if (options === undefined) {
      log.warn({ event: 'smv2.vote_unreadable', instanceId: instance.id })
      return undefined
    }
    // The phone's own time tells two votes of one second apart; a clock that is far off does not count.
    const votedAtMs = atMs !== null && Math.abs(atMs - who.atMs) < CLOCK_ERROR_MS ? atMs : who.atMs
    return { kind: 'vote', options, ...who, engineMessageId: target, atMs: votedAtMs }
  }

  async function senderOf({ instance, credentials }: InboundContext, speaker: Sender): Promise<MessageOrigin> {
    const { engineMessageId, isFromMe: fromMe, group, atMs } = speaker
    const name = (named: Sender['chat']) => (named ? people.nameOf(instance, credentials.keys, named) : '')
    const chat = group ?? (await name(speaker.chat))
    const other = group === null ? chat : speaker.participant ? await name(speaker.participant) : group
    const from = fromMe ? addressOf(credentials.creds.me?.id ?? '').user : other
    return { engineMessageId, chat, from, fromMe, atMs }
  }

  async function received(
    scene: InboundContext,
    speaker: Sender,
    who: MessageOrigin,
    words: Words<'received'>,
    message: proto.IMessage,
  ): Promise<HistoryMessage> {
    const { file } = words
    const isGroup = speaker.group !== null
    if (!who.fromMe && !isGroup) await people.seen(scene.instance, who.chat, isHiddenName(speaker, who.from))
    const media = file && (await files.fetch(scene.instance, scene.digest, file, mediaRetryRequest(speaker, message)))
    return signalFor(speaker, who, words, media)
  }

  function signalFor(
    speaker: Sender,
    who: MessageOrigin,
    { type, text, quoted, referral, content, viewOnce, forwarded }: Words<'received'>,
    media: HistoryMessage['media'],
  ): HistoryMessage {
    const isGroup = speaker.group !== null
    const isHidden = !who.fromMe && isHiddenName(speaker, who.from)
    return {
      kind: 'received',
      ...who,
      ...{ type, text, isGroup, pushName: who.fromMe ? null : speaker.pushName, media },
      quotedEngineMessageId: quoted,
      participant: isGroup && speaker.participant !== null ? who.from : null,
      referral,
      fromLid: isHidden ? who.from : null,
      content,
      viewOnce,
      forwarded,
    }
  }

  async function publish(instance: EngineInstance, digest: string, decrypted: DecryptedMessage): Promise<void> {
    const { stanza, plain } = decrypted
    const library = await loadLibrary()
    const credentials = await linkOf(instance).credentials()
    const speaker = senderOfStanza(stanza, credentials?.creds.me)
    if (credentials === undefined || speaker === undefined) return
    const scene = { instance, library, credentials, digest, decrypted }
    const padded = Buffer.from(plain, 'base64')
    let bytes: Uint8Array
    let message: proto.IMessage
    try {
      bytes = library.unpadRandomMax16(padded)
      message = library.proto.Message.decode(bytes)
    } catch (error) {
      // Malformed: retrying cannot help. The library has refused it as well.
      log.warn({ event: 'smv2.message_malformed', instanceId: instance.id, cause: cause(error) })
      return publishReceived(scene, speaker, unavailable('malformed'))
    }
    // The account's own devices exchange much that no person has written.
    const isBetweenDevices = stanza['category'] === 'peer'
    if (!isBetweenDevices && isUnknownKind(library, message, bytes))
      return publishReceived(scene, speaker, unavailable('unsupported'))
    await publishMessage(scene, speaker, message)
  }

  async function publishWithout(
    instance: EngineInstance,
    words: Words<'received'>,
    senderFor: (credentials: Credentials) => Sender | undefined,
  ): Promise<void> {
    const credentials = await linkOf(instance).credentials()
    const speaker = credentials && senderFor(credentials)
    if (credentials === undefined || speaker === undefined) return
    const scene = { instance, library: await loadLibrary(), credentials, digest: '', decrypted: null }
    await publishReceived(scene, speaker, words)
  }

  async function readPast(instance: EngineInstance, info: WAMessage): Promise<HistoryMessage | null> {
    const library = await loadLibrary()
    const credentials = await linkOf(instance).credentials()
    const speaker = credentials && senderOfMessage(info, credentials.creds.me)
    if (credentials === undefined || speaker === undefined || !info.message) return null
    const words = parseMessage(library, info.message)
    if (words.kind !== 'received') return null
    const who = await senderOf({ instance, library, credentials, digest: '', decrypted: null }, speaker)
    if (who.chat === '' || who.from === '') return null
    // Derived from the message, so that it is the same each time the message is read.
    const mediaId = createHash('sha256').update(`past ${who.chat} ${who.engineMessageId}`).digest('hex')
    const request = mediaRetryRequest(speaker, info.message)
    const media = words.file && (await files.keepForLater(instance, mediaId, words.file, request))
    return signalFor(speaker, who, words, media)
  }

  return {
    publish,
    readPast,
    publishUnreadable: (instance, message) =>
      publishWithout(instance, unavailable('undecryptable'), ({ creds }) => senderOfMessage(message, creds.me)),
    publishUnavailable: (instance, stanza, kind) =>
      publishWithout(
        instance,
        unavailable(kind.startsWith('view_once') ? 'view_once' : 'unsupported', kind),
        ({ creds }) => senderOfStanza(stanza, creds.me),
      ),
  }
}

/** Some phones seal the new message, others a note that it takes the place of the old one. */
function editedText(library: Library, plain: Buffer): string | undefined {
  try {
    const words = parseMessage(library, library.proto.Message.decode(plain))
    return words.kind === 'received' || words.kind === 'edited' ? words.text : undefined
  } catch {
    return undefined
  }
}

const CLOCK_ERROR_MS = 86_400_000

const namesOfMe = (me: Credentials['creds']['me']) => ({
  number: addressOf(me?.id ?? '').user || null,
  hiddenId: addressOf(me?.lid ?? '').user || null,
})

/** The person is named by their hidden id, because their number is not known. */
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
  const author = participant === null || isFromMe ? {} : { participant: jidOf(participant) }
  return { key: { remoteJid: group ?? jidOf(chat), id, fromMe: isFromMe, ...author }, message }
}
