import type { proto, WAMessageKey } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { Random } from '../../kernel/ids.ts'
import type { DirectActs, MessageRef } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { refusalOf } from './close-codes.ts'
import type { Wrapping } from './outgoing-content.ts'
import { block, blocked } from './block.ts'
import { createChannels } from './channels.ts'
import { createChatList } from './chat-list.ts'
import { createCommunities } from './communities.ts'
import type { ChatTimers } from './chat-timers.ts'
import { askAbout } from './directory.ts'
import { createGroups, setGroupTimer } from './groups.ts'
import { createJoinRequests } from './join-requests.ts'
import type { LineEvents } from './line-events.ts'
import type { LineNetworks } from './line-networks.ts'
import { createOwnProfile } from './own-profile.ts'
import { createPrivacy } from './privacy.ts'
import { trustedToken } from './privacy-tokens.ts'
import { createPresence, type Presence } from './presence.ts'
import { noLink, type Link, type OpenLink } from './link.ts'
import type { Post } from './post.ts'
import type { MediaTransfer } from './media-transfer.ts'
import type { People } from './people.ts'
import { createGroupMembers } from './group-members.ts'
import { participantOf } from './group-metadata.ts'
import { addressOf, chatKeyOf, hiddenJid, isGroupJid, numberJid } from './jid.ts'
import type { SendQueue } from './send-queue.ts'
import { engineIdOf } from './sent.ts'
import type { DescribeFile } from './thumbnails.ts'

export interface DirectNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly people: People
  readonly chatTimers: Pick<ChatTimers, 'of' | 'set'>
  readonly lineEvents: Pick<LineEvents, 'callerOf'>
  readonly post: Post
  readonly queue: SendQueue
  readonly linkOf: (instance: EngineInstance) => Link
  readonly networks: Pick<LineNetworks, 'settings'>
  readonly transferOf: (instance: EngineInstance) => MediaTransfer
  readonly describeFile: DescribeFile
}

/**
 * Shorter than the time that the caller waits, so that nothing happens after the answer. It includes the wait in the queue.
 */
const ACT_MS = 18_000
const PICTURE_MS = 15_000
const STATUS = 'status@broadcast'
/** Of the text's background, as ARGB. */
const STATUS_COLOUR = 0xff1f6f5c
/** Asking about many numbers at once has had numbers banned. */
const CHECKED_AT_ONCE = 20
const BETWEEN_CHECKS_MS = 10_000

/** What a linked device can do besides sending messages. */
export function createDirect(needs: DirectNeeds): { readonly acts: DirectActs; readonly presence: Presence } {
  const { db, clock, random, people, chatTimers, lineEvents, post, queue, linkOf, networks } = needs
  const { transferOf, describeFile } = needs
  const checkedMono = new Map<string, number>()

  /** @throws ApiError not_ready */
  function openOf(instance: EngineInstance): OpenLink {
    const open = linkOf(instance).open()
    if (open) return open
    throw noLink()
  }

  /** @throws ApiError not_found */
  async function jidOf(instance: EngineInstance, number: string): Promise<string> {
    const jid = await people.addressOf(instance, openOf(instance), number)
    if (jid !== null) return jid
    throw new ApiError('not_found', `Nobody on WhatsApp has the number ${number}.`)
  }

  async function keyOf(
    instance: EngineInstance,
    { engineMessageId: id, chat, isOwn, participant: name }: MessageRef,
  ): Promise<WAMessageKey> {
    const key = { remoteJid: await jidOf(instance, chat), id, fromMe: isOwn }
    if (isOwn || name === null) return key
    const participant = await participantOf(openOf(instance), people, instance, { groupId: chat, name })
    if (participant === null) throw new ApiError('not_found', `Nobody on WhatsApp has the number ${name}.`)
    return { ...key, participant }
  }

  /** An act on a message is a message itself, and done once the network has taken it. */
  function act(
    instance: EngineInstance,
    target: MessageRef,
    messageFor: (key: WAMessageKey) => proto.IMessage,
    wrapping: Wrapping = {},
  ): Promise<string> {
    return inTurn(instance, chatKeyOf(target.chat), async () => {
      const key = await keyOf(instance, target)
      return { jid: key.remoteJid ?? '', message: messageFor(key), wrapping }
    })
  }

  /** Sends at the pace of messages. @returns its id on the network. */
  const inTurn = (
    instance: EngineInstance,
    chat: string,
    prepare: () => Promise<{ jid: string; message: proto.IMessage; wrapping: Wrapping }>,
  ): Promise<string> => withTurn(instance, chat, (signal) => postNow(instance, prepare, signal))

  async function withTurn<T>(
    instance: EngineInstance,
    chat: string,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    openOf(instance)
    const limit = new AbortController()
    const timer = startTimeout(clock, ACT_MS, () => limit.abort())
    try {
      const turn = await queue.turn(instance.id, chat, limit.signal)
      if (turn.kind === 'later') throw tooFast(turn.retryAfterSeconds)
      if (turn.kind === 'given_up') throw new Error('the act was given up while it waited for its turn')
      return await send(limit.signal).finally(turn.done)
    } finally {
      timer.cancel()
    }
  }

  async function postNow(
    instance: EngineInstance,
    prepare: () => Promise<{ jid: string; message: proto.IMessage; wrapping: Wrapping }>,
    signal: AbortSignal,
  ): Promise<string> {
    const open = openOf(instance)
    const prepared = await prepare()
    const engineId = newEngineId()
    const parcel = { ...prepared, engineId, messageId: null }
    const posted = await post(instance, open, linkOf(instance).liveness, parcel, signal)
    if (posted.kind === 'taken') return engineId
    if (posted.kind !== 'refused') throw new Error(`the act was not confirmed: ${posted.kind}`)
    throw new ApiError('invalid_state', `WhatsApp refused this (${posted.code}).`)
  }

  /** @throws ApiError not_found when nobody of them is on WhatsApp. */
  async function audienceOf(instance: EngineInstance, numbers: readonly string[]): Promise<string[]> {
    const open = openOf(instance)
    const found = [...(await people.check(instance, open, numbers)).values()].filter((number) => number !== null)
    if (found.length === 0) throw new ApiError('not_found', 'None of these numbers is on WhatsApp.')
    // The account's own phone shows it among its own posts.
    return [addressOf(open.session.creds.me?.id ?? '').user, ...found].map(numberJid)
  }

  /** The trusted contact token that a person gave to this account; undefined if they gave none. */
  async function tokenOf({ sock, session }: OpenLink, jid: string): Promise<Buffer | undefined> {
    const hidden = addressOf(jid).kind === 'hidden' ? jid : await sock.signalRepository.lidMapping.getLIDForPN(jid)
    return hidden ? trustedToken(session.keys, hiddenJid(addressOf(hidden).user), clock.now()) : undefined
  }

  /** Up to twenty in ten seconds; what was asked lately is not asked again. */
  function refuseHaste({ id }: EngineInstance): void {
    const waitMs = (checkedMono.get(id) ?? -Infinity) + BETWEEN_CHECKS_MS - clock.mono()
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1_000))
    checkedMono.set(id, clock.mono())
  }

  const newEngineId = () => engineIdOf(random.bytes(16).toString('hex'))
  const groupMembers = createGroupMembers({ clock })
  const groups = createGroups({ openOf, jidOf, people, groupMembers })
  const presence = createPresence({ openOf, jidOf, isOnlineByDefault: (id) => networks.settings(id).online })
  const acts: DirectActs = {
    async react(instance, target, emoji) {
      await act(instance, target, (key) => ({ reactionMessage: { key, text: emoji, senderTimestampMs: clock.now() } }))
    },
    async edit(instance, target, text) {
      const { Type } = openOf(instance).library.proto.Message.ProtocolMessage
      const edited = { type: Type.MESSAGE_EDIT, editedMessage: { conversation: text }, timestampMs: clock.now() }
      await act(instance, target, (key) => ({ protocolMessage: { key, ...edited } }), EDITS)
    },
    async remove(instance, target) {
      const { Type } = openOf(instance).library.proto.Message.ProtocolMessage
      await act(instance, target, (key) => ({ protocolMessage: { key, type: Type.REVOKE } }), DELETES)
    },
    async markRead(instance, target) {
      await openOf(instance).sock.readMessages([await keyOf(instance, target)])
    },

    async check(instance, numbers) {
      const open = openOf(instance)
      if (numbers.length > CHECKED_AT_ONCE) {
        throw new ApiError('validation_error', `numbers must be ${CHECKED_AT_ONCE} or fewer on the live network.`)
      }
      refuseHaste(instance)
      const found = await people.check(instance, open, numbers)
      return numbers.map((number) => {
        const canonical = found.get(number) ?? null
        return { number, exists: canonical !== null, canonical }
      })
    },
    async profile(instance, number) {
      const open = openOf(instance)
      const jid = await jidOf(instance, number)
      // The library would ask without the token, and people who show this to their contacts would seem to have none.
      const about = await askAbout(open, jid, await tokenOf(open, jid))
      const business = await open.sock.getBusinessProfile(jid)
      return { number, name: null, about, isBusiness: business !== undefined }
    },
    async avatar(instance, number) {
      const { sock } = openOf(instance)
      const jid = await jidOf(instance, number)
      try {
        return (await sock.profilePictureUrl(jid, 'image', PICTURE_MS)) ?? null
      } catch (error) {
        // There is none, or it is not shown to this account.
        if (HIDDEN.has(refusalOf(error) ?? 0)) return null
        throw error
      }
    },
    async rejectCall(instance, callId) {
      const caller = lineEvents.callerOf(instance, callId)
      if (caller === undefined) throw new ApiError('not_found', 'No call with this call_id is ringing.')
      const { sock, session } = openOf(instance)
      // The library's own waits for an answer that nobody documents, for 20 seconds.
      await sock.sendNode({
        tag: 'call',
        attrs: { from: session.creds.me?.id ?? '', to: caller, id: sock.generateMessageTag() },
        content: [{ tag: 'reject', attrs: { 'call-id': callId, 'call-creator': caller, count: '0' } }],
      })
    },
    async block(instance, number, isBlocked) {
      const jid = await jidOf(instance, number)
      await block(openOf(instance), jid, isBlocked)
    },
    async blocked(instance, page) {
      const open = openOf(instance)
      const nameOf = (hiddenId: string) => people.nameOf(instance, open.session.keys, { number: null, hiddenId })
      return blocked(open, nameOf, page)
    },
    async pinMessage(instance, target, seconds) {
      const { Type } = openOf(instance).library.proto.Message.PinInChatMessage
      const type = seconds === null ? Type.UNPIN_FOR_ALL : Type.PIN_FOR_ALL
      const messageContextInfo = { messageAddOnDurationInSecs: seconds ?? 0 }
      await act(
        instance,
        target,
        (key) => ({ pinInChatMessage: { key, type, senderTimestampMs: clock.now() }, messageContextInfo }),
        PINS,
      )
    },
    async postStatus(instance, text, audience) {
      const engineMessageId = await inTurn(instance, STATUS, async () => {
        const message = { extendedTextMessage: { text, backgroundArgb: STATUS_COLOUR } }
        return { jid: STATUS, message, wrapping: { statusJidList: await audienceOf(instance, audience) } }
      })
      return { engineMessageId }
    },
    async deleteStatus(instance, id, audience) {
      await inTurn(instance, STATUS, async () => {
        const statusJidList = await audienceOf(instance, audience)
        const { REVOKE: type } = openOf(instance).library.proto.Message.ProtocolMessage.Type
        const message = { protocolMessage: { key: { remoteJid: STATUS, fromMe: true, id }, type } }
        return { jid: STATUS, message, wrapping: { ...DELETES, statusJidList } }
      })
    },
    async chatTimer(instance, to) {
      const jid = await jidOf(instance, to)
      return (await chatTimers.of(openOf(instance), jid)).seconds
    },
    async setChatTimer(instance, to, seconds) {
      if (isGroupJid(to)) return setGroupTimer(openOf(instance), to, seconds)
      const { Type } = openOf(instance).library.proto.Message.ProtocolMessage
      const jid = await jidOf(instance, to)
      const setAtSeconds = Math.floor(clock.now() / 1_000)
      await inTurn(instance, chatKeyOf(to), async () => {
        const setting = { ephemeralExpiration: seconds, ephemeralSettingTimestamp: setAtSeconds }
        return { jid, message: { protocolMessage: { type: Type.EPHEMERAL_SETTING, ...setting } }, wrapping: {} }
      })
      await chatTimers.set(openOf(instance), jid, { seconds, setAtSeconds })
    },
    showTyping: presence.showTyping,
    setOnline: presence.setOnline,
    ...createOwnProfile({ openOf }),
    ...groups,
    ...createCommunities({ openOf, people, groupMembers, group: groups.group }),
    ...createJoinRequests({ openOf, people }),
    ...createChannels({
      ...{ openOf, transferOf, describeFile },
      inTurn: (instance, chat, act) => withTurn(instance, chat, () => act(newEngineId())),
    }),
    ...createPrivacy({ openOf }),
    ...createChatList({ db, openOf, jidOf, keyOf }),
  }
  return { acts, presence }
}

const EDITS: Wrapping = { additionalAttributes: { edit: '1' } }
const PINS: Wrapping = { additionalAttributes: { edit: '2' } }
const DELETES: Wrapping = { additionalAttributes: { edit: '7' } }
const HIDDEN: ReadonlySet<number> = new Set([401, 403, 404])

const tooFast = (seconds: number) =>
  new ApiError(
    'rate_limited',
    `This number, or this chat, has too many messages waiting to leave at a safe pace. Try again in ${seconds} s.`,
    { 'Retry-After': String(seconds) },
  )

const tooMany = (seconds: number) =>
  new ApiError(
    'rate_limited',
    `Numbers of this instance were checked a moment ago, and asking often has had numbers banned. Ask again in ${seconds} s.`,
    { 'Retry-After': String(seconds) },
  )
