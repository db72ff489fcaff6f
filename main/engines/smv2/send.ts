import type { proto } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { MessageId, Random } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Departure, EngineInstance, ForwardedMessage, Outgoing, SendOutcome } from '../engine.ts'
import { contentOf, withContext, wrappingOf, type Enclosed } from './outgoing-content.ts'
import type { Forwards } from './forward.ts'
import { prepareForGroup } from './group-send.ts'
import { failureOf, newChatsUsedUp, NOT_ON_WHATSAPP, REACHOUT } from './failures.ts'
import { contextOfTimer, type ChatTimers } from './chat-timers.ts'
import { chatKeyOf, isGroupJid } from './jid.ts'
import type { Link, OpenLink } from './link.ts'
import { keysOf, MEDIA_KEY_BYTES } from './media-cipher.ts'
import type { MediaTransfer } from './media-transfer.ts'
import type { Post, PostOutcome } from './post.ts'
import type { People } from './people.ts'
import { contextOf } from './quotes.ts'
import type { SendQueue } from './send-queue.ts'
import { USED_UP, type NewChats } from './new-chats.ts'
import type { Restrictions } from './restrictions.ts'
import { engineIdOf } from './sent.ts'
import type { DescribeFile } from './thumbnails.ts'

interface SendNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly people: People
  readonly restrictions: Restrictions
  readonly newChats: Pick<NewChats, 'ask' | 'begun'>
  readonly chatTimers: Pick<ChatTimers, 'of'>
  readonly transferOf: (instance: EngineInstance) => MediaTransfer
  readonly describeFile: DescribeFile
  readonly post: Post
  readonly queue: SendQueue
  readonly forwards: Forwards
  readonly linkOf: (instance: EngineInstance) => Link
}

type Sendable = Exclude<Outgoing, { kind: 'cloud_api' }>
type Written = Exclude<Sendable, { kind: 'forward' }>
type Prepared = Enclosed & { readonly jid: string } & (
    | { readonly out: Written }
    /** Forwarded unchanged. */
    | { readonly out: ForwardedMessage; readonly message: proto.IMessage }
  )

/** Sends over a linked device. Every send ends in one of the outcomes of the port. */
export function createSend(needs: SendNeeds) {
  const { clock, random, log, people, restrictions, newChats, chatTimers } = needs
  const { transferOf, describeFile, post, queue, forwards, linkOf } = needs

  return async function send(
    instance: EngineInstance,
    messageId: MessageId,
    out: Outgoing,
    departure: Departure,
  ): Promise<SendOutcome> {
    const link = linkOf(instance)
    if (link.open() === undefined) return NOT_READY
    if (out.kind === 'cloud_api') return { kind: 'invalid', message: 'cloud_api is for the official engine' }
    // Before anything else: numbers are looked up and files uploaded at the same pace.
    const turn = await queue.turn(instance.id, chatKeyOf(out.to), departure.signal)
    if (turn.kind === 'later') return tooFast(turn.retryAfterSeconds)
    if (turn.kind === 'given_up') return STOPPED
    // It may have been lost, or replaced, meanwhile.
    const open = link.open()
    try {
      return open === undefined ? NOT_READY : await sendNow(instance, link, open, messageId, out, departure)
    } finally {
      turn.done()
    }
  }

  async function sendNow(
    instance: EngineInstance,
    link: Link,
    open: OpenLink,
    messageId: MessageId,
    out: Sendable,
    departure: Departure,
  ): Promise<SendOutcome> {
    const { signal } = departure
    try {
      const prepared = await unlessAborted(prepare(instance, open, out, signal), signal)
      return 'jid' in prepared ? await leave(instance, link, open, messageId, prepared, departure) : prepared
    } catch (error) {
      // Nothing is encrypted before it leaves, so nothing has left.
      log.info({ event: 'smv2.not_sent', instanceId: instance.id, cause: cause(error) })
      return LOST
    }
  }

  async function prepare(
    instance: EngineInstance,
    open: OpenLink,
    wanted: Sendable,
    signal: AbortSignal,
  ): Promise<SendOutcome | Prepared> {
    const jid = await people.addressOf(instance, open, wanted.to)
    if (jid === null) return { kind: 'refused', error: NOT_ON_WHATSAPP }
    const held = await heldBack(instance, open, jid)
    if (held !== null) return held
    const toGroup = isGroupJid(jid) ? await prepareForGroup(open, wanted) : null
    if (toGroup?.kind === 'invalid') return toGroup
    const { out, mentionedJid } = toGroup ?? { out: wanted, mentionedJid: [] }
    const timer = contextOfTimer(await chatTimers.of(open, jid))
    if (out.kind === 'forward') return prepareForward(instance, open, { jid, out, timer }, signal)
    const context = {
      ...timer,
      ...(out.quoted && (await contextOf(open, people, instance, jid, out.quoted))),
      ...(mentionedJid.length > 0 && { mentionedJid: [...mentionedJid] }),
    }
    return withFile(instance, open, { jid, out, context }, signal)
  }

  async function prepareForward(
    instance: EngineInstance,
    open: OpenLink,
    { jid, out, timer }: { jid: string; out: ForwardedMessage; timer: proto.IContextInfo },
    signal: AbortSignal,
  ): Promise<SendOutcome | Prepared> {
    const found = await forwards(open.library, instance, out)
    if (found === undefined) return NOT_KEPT
    const context = { ...timer, ...found.context }
    if (found.kind === 'message') {
      const message = withContext(open.library, found.message, context)
      return { jid, out, message, context: {}, file: null }
    }
    return withFile(instance, open, { jid, out: found.out, context }, signal)
  }

  async function withFile(
    instance: EngineInstance,
    open: OpenLink,
    { jid, out, context }: { jid: string; out: Written; context: proto.IContextInfo },
    signal: AbortSignal,
  ): Promise<SendOutcome | Prepared> {
    if (out.kind !== 'media') return { jid, out, context, file: null }
    const { mediaType, mimeType, content } = out
    const describing = describeFile(instance.accountId, mediaType, mimeType, content)
    // If the upload fails first, nothing else handles a failure of this.
    describing.catch(() => {})
    const keys = await keysOf(mediaType, content, random.bytes(MEDIA_KEY_BYTES))
    const place = await transferOf(instance).upload(open, instance.accountId, keys, content, signal)
    if (!place) return NOT_UPLOADED
    return { jid, out, context, file: { ...keys, ...place, facts: await describing } }
  }

  /** Each further try makes the restriction longer, so none is made that is known to be refused. */
  async function heldBack(instance: EngineInstance, open: OpenLink, jid: string): Promise<SendOutcome | null> {
    const restriction = restrictions.of(instance.id)
    if (restriction === null || isGroupJid(jid) || (await people.isWarm(instance, open, jid))) return null
    return { kind: 'refused', error: restriction.kind === USED_UP ? newChatsUsedUp(restriction) : failureOf(REACHOUT) }
  }

  /** Counting only: a failure here must not affect the message. */
  async function begun(instance: EngineInstance, open: OpenLink, jid: string): Promise<void> {
    if (isGroupJid(jid) || (await people.isWarm(instance, open, jid))) return
    await newChats.begun(instance, open, jid)
  }

  async function leave(
    instance: EngineInstance,
    link: Link,
    open: OpenLink,
    messageId: MessageId,
    prepared: Prepared,
    { signal, leave: mark }: Departure,
  ): Promise<SendOutcome> {
    const engineId = engineIdOf(messageId)
    const { jid, out } = prepared
    const message =
      'message' in prepared ? prepared.message : await contentOf(open.library, prepared.out, prepared, clock.now())
    const parcel = { jid, engineId, messageId, message, wrapping: wrappingOf(out), leave: mark }
    const posted = await post(instance, open, link.liveness, parcel, signal)
    if (posted.kind === 'unknown' && link.open() === open && link.liveness.unanswered()) link.renew()
    if (posted.kind === 'taken')
      begun(instance, open, jid).catch((error: unknown) =>
        log.warn({ event: 'smv2.new_chat_not_counted', instanceId: instance.id, cause: cause(error) }),
      )
    return outcomeOf(instance, open, engineId, posted)
  }

  function outcomeOf(instance: EngineInstance, open: OpenLink, engineId: string, posted: PostOutcome): SendOutcome {
    switch (posted.kind) {
      case 'taken':
        return { kind: 'accepted', engineMessageId: engineId, status: 'sent' }
      case 'refused': {
        const error = failureOf(posted.code)
        if (posted.code !== REACHOUT) return { kind: 'refused', error }
        return { kind: 'refused', error, journal: (tx) => restricted(instance, open, tx) }
      }
      case 'not_left':
        return { kind: 'nothing_sent', message: `The message was not sent: ${posted.reason}` }
      case 'unknown':
        return { kind: 'unknown', message: 'WhatsApp has not confirmed the message' }
    }
  }

  async function restricted(
    instance: EngineInstance,
    open: OpenLink,
    tx: Parameters<Restrictions['begin']>[0],
  ): Promise<void> {
    const { id } = instance
    await restrictions.begin(tx, id)
    tx.afterCommit(() => {
      void newChats.ask(instance, open)
      // The library would ask by itself and does not: its branch for this code is never reached. The answer comes as an
      // event of the link.
      open.sock.fetchAccountReachoutTimelock().catch((error: unknown) => {
        log.info({ event: 'smv2.restriction_unknown', instanceId: id, cause: cause(error) })
      })
    })
  }
}

function unlessAborted<T>(act: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(new Error('it was given up'))
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  // A caller that gave up is not notified.
  act.catch(() => {})
  return Promise.race([act, promise]).finally(() => signal.removeEventListener('abort', abort))
}

const NOT_READY: SendOutcome = { kind: 'not_ready', message: 'The connection to WhatsApp is being restored' }
const STOPPED: SendOutcome = { kind: 'nothing_sent', message: 'The message was still waiting in the queue' }
const tooFast = (retryAfterSeconds: number): SendOutcome => ({
  kind: 'nothing_sent',
  message: 'This number, or this chat, has too many messages waiting to leave at a safe pace',
  retryAfterSeconds,
})
const LOST: SendOutcome = {
  kind: 'nothing_sent',
  message: 'The connection to WhatsApp did not respond, and the message was not sent',
}
const NOT_KEPT: SendOutcome = {
  kind: 'invalid',
  message: 'The content of this message is no longer kept here, so it cannot be forwarded. Send it as a new message.',
}
const NOT_UPLOADED: SendOutcome = { kind: 'nothing_sent', message: 'The file could not be uploaded to WhatsApp' }
