import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'
import type { Phone } from '../whatsapp/index.ts'
import type { Habits } from '../whatsapp/people.ts'
import { groupJid, lidJid, numberJid, parseAddress } from './address.ts'
import { hkdf, openGcm, sealGcm, uint } from './bytes.ts'
import type { Companion } from './companion.ts'
import * as contents from './contents.ts'
import type { Known } from './contents.ts'
import type { Files } from './files.ts'
import { memberJid, otherName, type Group } from './groups.ts'
import { bytesIn, childOf, node, nowSeconds, numberIn, SERVER, type Node } from './node.ts'
import { createCorrespondent, pad, unpad, Unreadable, type Bundle, type Correspondent, type Sealed } from './ratchet.ts'
import { createOwnPasskey, type OwnPasskey } from './own-passkey.ts'

type Content = proto.IMessage
type Arrived = ReturnType<Phone['received']>[number]

/** A message from a linked device on its way to a phone. */
interface Envelope {
  readonly id: string
  readonly from: Companion
  readonly author: Person
  readonly group: Group | undefined
  /** The other person in the chat. */
  readonly peer: Person
  /** How the phone’s owner is addressed, which is also how receipts name them. */
  readonly addressing: 'number' | 'lid'
  readonly encs: readonly Node[]
  readonly isPeerMessage: boolean
  readonly type: string
  readonly edit: string | undefined
}

/** A person: the account on the server, the phone, and the linked devices. */
export interface Person extends Phone {
  readonly habits: Habits
  readonly correspondent: Correspondent
  readonly companions: Companion[]
  readonly passkeys: OwnPasskey[]
  /** The people who have written to this person. */
  readonly writers: Set<string>
  readonly restrictedUntil: number | null
  /** Returns a new device number. Device numbers are never reused. */
  nextDevice(): number
  take(envelope: Envelope): void
  hear(known: Known, from: Person, group: Group | undefined): void
  noteReceipt(id: string, type: string): void
  /** Called when a linked device could not read a message of this phone. */
  sayAgain(device: Companion, id: string, retry: Node): void
  /** What the phone sends to a client once, after it was linked. */
  welcome(device: Companion): void
  tellCompanions(notice: Node): void
  hasSaid(id: string): boolean
  /** Uploads the file of a message again. @returns the answer for the client. */
  reupload(id: string, request: Node | undefined): Node[]
}

export interface AroundPeople {
  readonly files: Files
  person(number: string): Person
  somebody(jid: string): Person | undefined
  group(id: string): Group | undefined
  later(ms: number, act: () => void): void
  link(person: Person): Pick<Phone, 'scan' | 'enter'>
  /** Whether this number never sends receipts. */
  isSilent(number: string): boolean
  complain(what: string): void
}

const DEFAULTS: Habits = {
  ...{ isOnline: true, receipts: 'read', deliveredAfterMs: 3, readAfterMs: 3, repeatsReceipts: false },
  ...{ shows: 'number', name: '', scansWith: 'app', refreshTag: 'companion_reg_refresh' },
  ...{ passkey: 'none', compares: false, answersForHistory: false },
}

/** After it was linked, the library waits for a first new message, and accepts any. */
const { INITIAL_BOOTSTRAP } = proto.HistorySync.HistorySyncType
const { HISTORY_SYNC_NOTIFICATION, PEER_DATA_OPERATION_REQUEST_MESSAGE, PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } =
  proto.Message.ProtocolMessage.Type

const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType

const deviceName = ({ number, id }: Companion) => `${number}:${id}`
const newId = () => `AC${randomBytes(15).toString('hex').toUpperCase()}`
const FIRST_DEVICE = 3

export function createPerson(number: string, lid: string, around: AroundPeople): Person {
  const correspondent = createCorrespondent()
  const companions: Companion[] = []
  const received: Arrived[] = []
  const copies: Arrived[] = []
  const known = new Map<string, Known>()
  const said = new Map<string, { readonly content: Content; readonly to: string; readonly atSeconds: number }>()
  const receipts = new Map<string, string[]>()
  const asked = new Map<string, number>()
  const pending: Envelope[] = []
  const passkeys: OwnPasskey[] = []
  /** The devices that have this phone’s key of a group. */
  const keyHolders = new Set<string>()
  const welcomed = new Set<Companion>()
  let habits = DEFAULTS
  let unread = 0
  let lastDevice = FIRST_DEVICE - 1
  let restrictedUntil: number | null = null

  // Incoming messages

  function read(envelope: Envelope): void {
    const { id, from, group } = envelope
    let content: Content = {}
    try {
      for (const enc of envelope.encs) content = { ...content, ...decipher(enc, from, group) }
    } catch (error) {
      if (!(error instanceof Unreadable)) around.complain(`${number} cannot read ${id}: ${String(error)}`)
      return askAgain(envelope)
    }
    const copy = content.deviceSentMessage
    const whole = { ...(copy?.message ?? content) }
    if (envelope.isPeerMessage) return answerPeer(from, id, whole)
    if (envelope.author.number === number) return keep(copies, envelope, whole)
    if (copy) around.complain(`${id} reached ${number} as if it were a copy of an own message`)
    keep(received, envelope, whole)
    sendReceipts(envelope)
  }

  function decipher(enc: Node, from: Companion, group: Group | undefined): Content {
    const type = enc.attrs['type'] ?? ''
    const peer = deviceName(from)
    const plain =
      type === 'skmsg'
        ? correspondent.senderKeys.open(group?.id ?? '', peer, bytesIn(enc))
        : correspondent.open(peer, { type: type as Sealed['type'], bytes: bytesIn(enc) })
    const { senderKeyDistributionMessage: key, ...content } = proto.Message.decode(unpad(plain))
    if (key && group)
      correspondent.senderKeys.accept(group.id, peer, Buffer.from(key.axolotlSenderKeyDistributionMessage ?? []))
    return content
  }

  function keep(list: Arrived[], envelope: Envelope, content: Content): void {
    const { id, from, group, author, peer } = envelope
    const before = list.find((one) => one.id === id)
    if (before) {
      before.times++
      return
    }
    checkStanza(envelope, content)
    const seen = contents.see(content, around.files)
    const chat = group?.id ?? peer.number
    list.push({ id, from: author.number, chat, device: from.id, ...seen, content, times: 1 })
    remember(id, author, group, peer, content, nowSeconds())
  }

  /** The parts of a message that a server can see must match its content. */
  function checkStanza({ id, type, edit, author, encs }: Envelope, content: Content): void {
    const meant = contents.stanzaTypeOf(content)
    if (type !== meant) around.complain(`${id} has type ${type}, and its content is ${meant}`)
    const isOwn = author.number === number || content.protocolMessage?.key?.fromMe !== false
    const expected = contents.editOf(content, isOwn)
    if (edit !== expected) around.complain(`${id} has edit ${edit ?? 'none'} and not ${expected ?? 'none'}`)
    const media = contents.mediaTypeOf(contents.unwrap(content))
    for (const enc of encs) {
      const named = enc.attrs['mediatype']
      if (named !== undefined && named !== media)
        around.complain(`${id} has mediatype ${named} and not ${media ?? 'none'}`)
    }
  }

  function remember(
    id: string,
    author: Person,
    group: Group | undefined,
    peer: Person,
    content: Content,
    at: number,
  ): void {
    const isOwn = author.number === number
    const writer = group ? memberJid(group, author) : numberJid(author.number)
    const chat = group ? groupJid(group.id) : numberJid(peer.number)
    known.set(id, { id, chat, isOwn, author: writer, isInGroup: group !== undefined, content, atSeconds: at })
  }

  /** Asks the sender to send an unreadable message again, with new keys. */
  function askAgain({ id, from, group, addressing }: Envelope): void {
    const count = (asked.get(id) ?? 0) + 1
    if (count > 5) return around.complain(`${number} gave up on ${id}`)
    asked.set(id, count)
    unread++
    const bundle = correspondent.bundle()
    const self = { number, lid }
    const names = group
      ? { from: groupJid(group.id), participant: memberJid(group, self) }
      : { from: addressing === 'lid' ? lidJid(lid) : numberJid(number) }
    from.enqueue(
      node('receipt', { ...names, id, type: 'retry', t: nowSeconds() }, [
        node('retry', { count, id, t: nowSeconds(), v: 1 }),
        node('registration', {}, uint(correspondent.registrationId, 4)),
        node('keys', {}, [node('type', {}, Buffer.from([5])), ...bundleNodes(bundle)]),
      ]),
    )
  }

  function sendReceipts(envelope: Envelope): void {
    if (habits.receipts === 'none' || around.isSilent(number)) return
    around.later(habits.deliveredAfterMs, () => {
      receipt(envelope, undefined)
      if (habits.receipts === 'read') around.later(habits.readAfterMs, () => receipt(envelope, 'read'))
    })
  }

  function receipt({ id, from, group, addressing }: Envelope, type: string | undefined): void {
    const names = group
      ? { from: groupJid(group.id), participant: memberJid(group, { number, lid }) }
      : { from: addressing === 'lid' ? lidJid(lid) : numberJid(number) }
    for (let times = habits.repeatsReceipts ? 2 : 1; times > 0; times--)
      from.enqueue(node('receipt', { ...names, id, t: nowSeconds(), type }))
  }

  // Outgoing messages

  const self = (): Person => person

  const otherOf = (to: string) => around.group(to) ?? around.person(to)

  function say(to: string, content: Content, atSeconds = nowSeconds(), id = newId(), shape: Shape = {}): string {
    const target = otherOf(to)
    const group = 'members' in target ? target : undefined
    const audience = group ? group.members.map(around.person) : [around.person(to)]
    const peer = group ? self() : around.person(to)
    said.set(id, { content, to, atSeconds })
    remember(id, self(), group, peer, content, atSeconds)
    const entry = known.get(id)
    for (const other of audience) if (entry && other.number !== number) other.hear(entry, self(), group)
    const listeners = new Set([...audience, self()])
    for (const other of listeners)
      for (const device of other.companions)
        device.enqueue(stanza(device, other, { id, to, content, atSeconds, group, shape }))
    return id
  }

  interface Utterance {
    readonly id: string
    readonly to: string
    readonly content: Content
    readonly atSeconds: number
    readonly group: Group | undefined
    readonly shape: Shape
    readonly count?: number
  }

  function stanza(device: Companion, owner: Person, utterance: Utterance): Node {
    const { id, content, atSeconds, shape } = utterance
    const attributes = {
      ...namesOf(owner, utterance),
      ...{
        id,
        t: atSeconds,
        type: contents.stanzaTypeOf(content),
        notify: habits.name === '' ? undefined : habits.name,
      },
      edit: contents.editOf(content, content.protocolMessage?.key?.fromMe !== false),
    }
    return node(
      'message',
      attributes,
      shape.instead && owner !== self() ? [...shape.instead] : encsOf(device, owner, utterance),
    )
  }

  function namesOf(owner: Person, { to, group }: Utterance) {
    if (group) {
      const me = { number, lid }
      const other = habits.shows === 'lid_only' ? {} : otherName(group, me)
      return {
        from: groupJid(group.id),
        participant: memberJid(group, me),
        ...other,
        addressing_mode: group.addressing,
      }
    }
    if (owner === self()) {
      const peer = around.person(to)
      return { from: numberJid(number), recipient: numberJid(to), peer_recipient_lid: lidJid(peer.lid) }
    }
    if (habits.shows === 'number_only') return { from: numberJid(number) }
    if (habits.shows === 'number') return { from: numberJid(number), sender_lid: lidJid(lid) }
    const hidden = { from: lidJid(lid), addressing_mode: 'lid' }
    return habits.shows === 'lid' ? { ...hidden, sender_pn: numberJid(number) } : hidden
  }

  function encsOf(device: Companion, owner: Person, { content, to, group, count }: Utterance): Node[] {
    const peer = deviceName(device)
    const mediatype = contents.mediaTypeOf(contents.unwrap(content))
    if (group && count === undefined) {
      const holder = `${group.id} ${peer}`
      const first = keyHolders.has(holder) ? [] : [enc(device, keyOf(group))]
      keyHolders.add(holder)
      const bytes = correspondent.senderKeys.seal(group.id, pad(proto.Message.encode(content).finish()))
      return [...first, node('enc', { v: 2, type: 'skmsg', mediatype }, bytes)]
    }
    const destinationJid = group ? groupJid(group.id) : numberJid(to)
    const isCopy = owner === self() && !group
    const whole: Content = isCopy ? { deviceSentMessage: { destinationJid, message: content } } : content
    return [enc(device, group ? { ...whole, ...keyOf(group) } : whole, { mediatype, count })]
  }

  const keyOf = (group: Group): Content => ({
    senderKeyDistributionMessage: {
      groupId: groupJid(group.id),
      axolotlSenderKeyDistributionMessage: correspondent.senderKeys.distribution(group.id),
    },
  })

  function enc(
    device: Companion,
    content: Content,
    more: Readonly<Record<string, string | number | undefined>> = {},
  ): Node {
    const peer = deviceName(device)
    if (!correspondent.knows(peer)) begin(device)
    const { type, bytes } = correspondent.seal(peer, pad(proto.Message.encode(content).finish()))
    return node('enc', { v: 2, type, ...more }, bytes)
  }

  function begin(device: Companion): void {
    correspondent.begin(deviceName(device), device.bundle())
    if (device.preKeysLeft >= PRE_KEYS_LOW) return
    const id = String(randomBytes(4).readUInt32BE())
    const count = node('count', { value: device.preKeysLeft })
    device.enqueue(node('notification', { type: 'encrypt', from: SERVER, id, t: nowSeconds() }, [count]))
  }

  // Messages between the phone and its own linked devices

  function tellPeer(device: Companion, content: Content): void {
    const attributes = { from: numberJid(number), id: newId(), t: nowSeconds(), type: 'text', category: 'peer' }
    device.enqueue(node('message', { ...attributes, push_priority: 'high' }, [enc(device, content)]))
  }

  function answerPeer(device: Companion, stanzaId: string, { protocolMessage }: Content): void {
    const request = protocolMessage?.peerDataOperationRequestMessage
    if (protocolMessage?.type !== PEER_DATA_OPERATION_REQUEST_MESSAGE || !request) return
    const results = (request.placeholderMessageResendRequest ?? []).map(({ messageKey }) => {
      const found = known.get(messageKey?.id ?? '')
      if (!found) return {}
      const info = { key: contents.keyOf(found), message: found.content, messageTimestamp: found.atSeconds }
      const webMessageInfoBytes = proto.WebMessageInfo.encode(info).finish()
      return { placeholderMessageResendResponse: { webMessageInfoBytes } }
    })
    const peerDataOperationRequestType = request.peerDataOperationRequestType ?? null
    tellPeer(device, {
      protocolMessage: {
        type: PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
        peerDataOperationRequestResponseMessage: {
          ...{ peerDataOperationRequestType, stanzaId, peerDataOperationResult: results },
        },
      },
    })
  }

  /** A linked device could not find a file, which the phone still has. */
  function reupload(id: string, request: Node | undefined): Node[] {
    const media = contents.mediaOf(known.get(id)?.content ?? {})
    if (!media?.mediaKey || !media.directPath) return [node('error', { code: NOT_FOUND })]
    const key = hkdf(media.mediaKey, 32, 'WhatsApp Media Retry Notification')
    const plain = openGcm(key, bytesIn(request, 'enc_iv'), bytesIn(request, 'enc_p'), Buffer.from(id))
    if (proto.ServerErrorReceipt.decode(plain).stanzaId !== id) around.complain(`${id} is asked for as another message`)
    const directPath = around.files.restore(media.directPath)
    const answer = proto.MediaRetryNotification.encode({ stanzaId: id, directPath, result: SUCCESS }).finish()
    const iv = randomBytes(12)
    const sealed = sealGcm(key, iv, answer, Buffer.from(id))
    return [node('encrypt', {}, [node('enc_p', {}, sealed), node('enc_iv', {}, iv)])]
  }

  const find = (id: string): Known => {
    const found = known.get(id)
    if (!found) throw new Error(`${number} does not know ${id}`)
    return found
  }
  const quotedIn = (options: { readonly quoted?: string } | undefined) =>
    options?.quoted === undefined ? undefined : find(options.quoted)
  const about = (id: string, content: Content) => {
    const { user } = parseAddress(find(id).chat) ?? { user: '' }
    return Promise.resolve(say(user, content))
  }

  const person: Person = {
    ...{ number, lid, correspondent, companions, copies, passkeys, writers: new Set<string>() },
    get habits() {
      return habits
    },
    get linked() {
      return companions
    },
    get device() {
      const last = companions.at(-1)
      if (!last) throw new Error(`nothing is linked to ${number}`)
      return last
    },
    get unread() {
      return unread
    },
    get restrictedUntil() {
      return restrictedUntil
    },
    get passkey() {
      const newest = passkeys.at(-1)
      if (!newest) throw new Error(`${number} has no passkey`)
      return newest
    },
    scan: (qr, how) => watched(around.link(person).scan(qr, how)),
    enter: (code) => watched(around.link(person).enter(code)),
    nextDevice: () => ++lastDevice,
    behave(changes) {
      habits = { ...habits, ...changes }
      const needsPasskey = habits.passkey === 'has' || habits.passkey === 'refuses'
      if (needsPasskey && passkeys.length === 0) person.createPasskey()
      if (habits.isOnline) for (const envelope of pending.splice(0)) read(envelope)
    },
    go: (isOnline) => person.behave({ isOnline }),
    createPasskey() {
      const made = createOwnPasskey()
      passkeys.push(made)
      return made
    },
    received: (from) => received.filter((one) => from === undefined || one.from === from),
    receiptsOf: (id) => receipts.get(id) ?? [],
    say: (to, words, options) =>
      Promise.resolve(say(to, contents.textOf(words, quotedIn(options)), options?.atSeconds)),
    sendFile: (to, file, options) =>
      Promise.resolve(say(to, contents.fileOf(around.files, file, quotedIn(options)), options?.atSeconds)),
    send: (to, content, options) => Promise.resolve(say(to, content, options?.atSeconds)),
    edit: (id, words) => about(id, contents.editTo(find(id), words)),
    remove: (id) => about(id, contents.deletionOf(find(id))),
    react: (id, emoji) => about(id, contents.reactionTo(find(id), emoji)),
    vote(id, choices) {
      return Promise.resolve().then(() => {
        const poll = find(id)
        const group = around.group(parseAddress(poll.chat)?.user ?? '')
        const voter = group ? memberJid(group, person) : numberJid(number)
        return about(id, contents.voteIn(poll, voter, choices))
      })
    },
    clickAd: (to, words, ad) =>
      Promise.resolve(say(to, contents.adClick(words, ad), nowSeconds(), newId(), { instead: [] })),
    withhold: (to, content, why) =>
      Promise.resolve(say(to, content, nowSeconds(), newId(), { instead: [node('unavailable', { type: why })] })),
    call(to) {
      const id = randomBytes(16).toString('hex').toUpperCase()
      const offer = { 'call-id': id, 'call-creator': numberJid(number), caller_pn: numberJid(number) }
      calls.set(id, to)
      ring(to, node('offer', offer, [node('audio', { enc: 'opus', rate: 16_000 })]))
      return id
    },
    hangUp(callId) {
      const names = { 'call-id': callId, 'call-creator': numberJid(number), reason: 'timeout' }
      ring(calls.get(callId) ?? '', node('terminate', names))
    },
    confirm(ids, as) {
      const [first = '', ...others] = ids
      const from = received.find(({ id }) => id === first)
      const device = around.person(from?.from ?? '').companions.find(({ id }) => id === from?.device)
      const list =
        others.length === 0
          ? undefined
          : [
              node(
                'list',
                {},
                others.map((id) => node('item', { id })),
              ),
            ]
      const type = as === 'delivered' ? undefined : as
      device?.enqueue(node('receipt', { from: numberJid(number), id: first, t: nowSeconds(), type }, list))
    },
    repeat(id) {
      const again = said.get(id)
      if (again) say(again.to, again.content, again.atSeconds, id)
    },
    loseSessions() {
      correspondent.forget()
      correspondent.senderKeys.forget()
    },
    trust(to) {
      const token = node('token', { jid: numberJid(to), t: nowSeconds(), type: 'trusted_contact' }, randomBytes(12))
      const names = { from: numberJid(number), sender_lid: lidJid(lid), id: newId(), t: nowSeconds() }
      around
        .person(to)
        .tellCompanions(node('notification', { ...names, type: 'privacy_token' }, [node('tokens', {}, [token])]))
    },
    restrict(untilSeconds) {
      restrictedUntil = untilSeconds
      const names = { from: SERVER, id: newId(), t: nowSeconds(), type: 'mex' }
      const data = { xwa2_notify_account_reachout_timelock: standing(restrictedUntil) }
      const update = node('update', { op_name: 'NotificationUserReachoutTimelockUpdate' }, JSON.stringify({ data }))
      person.tellCompanions(node('notification', names, [update]))
    },
    disappear: () => Promise.reject(new Error('this stand-in has no disappearing messages')),
    timerOf: () => 0,
    limitNewChats() {
      throw new Error('the second stand-in does not limit new chats')
    },
    about: null,
    blocked: [],
    editSealed: () => Promise.reject(new Error('this stand-in has no sealed edits')),
    get appState(): Person['appState'] {
      throw new Error('the second stand-in does not cover app state')
    },
    take(envelope) {
      if (habits.isOnline) read(envelope)
      else pending.push(envelope)
    },
    hear(entry, from, group) {
      person.writers.add(from.number)
      const chat = group ? entry.chat : numberJid(from.number)
      known.set(entry.id, { ...entry, chat, isOwn: false })
      const chatName = group?.id ?? from.number
      const before = received.find(({ id }) => id === entry.id)
      if (before) return
      const seen = contents.see(entry.content, around.files)
      received.push({
        id: entry.id,
        from: from.number,
        chat: chatName,
        device: 0,
        ...seen,
        content: entry.content,
        times: 1,
      })
    },
    noteReceipt: (id, type) => void receipts.set(id, [...(receipts.get(id) ?? []), type]),
    sayAgain(device, id, retry) {
      const again = said.get(id)
      if (!again) return around.complain(`${number} is asked again for ${id}, which it never said`)
      const keys = childOf(retry, 'keys')
      correspondent.begin(deviceName(device), keys ? bundleIn(retry, keys) : device.bundle())
      const target = otherOf(again.to)
      const group = 'members' in target ? target : undefined
      const count = Number(childOf(retry, 'retry')?.attrs['count'] ?? 1)
      const owner = around.person(device.number)
      device.enqueue(stanza(device, owner, { id, ...again, group, shape: {}, count }))
    },
    welcome(device) {
      if (welcomed.has(device)) return
      welcomed.add(device)
      const people = [...person.writers].map(around.person)
      const history = proto.HistorySync.encode({
        ...{ syncType: INITIAL_BOOTSTRAP, chunkOrder: 1, progress: 100 },
        pushnames: people.map((one) => ({ id: numberJid(one.number), pushname: one.habits.name })),
        phoneNumberToLidMappings: people.map((one) => ({ pnJid: numberJid(one.number), lidJid: lidJid(one.lid) })),
      }).finish()
      const historySyncNotification = {
        ...{ syncType: INITIAL_BOOTSTRAP, chunkOrder: 1, progress: 100 },
        initialHistBootstrapInlinePayload: deflateSync(history),
      }
      tellPeer(device, { protocolMessage: { type: HISTORY_SYNC_NOTIFICATION, historySyncNotification } })
    },
    tellCompanions(notice) {
      for (const device of companions) device.enqueue(notice)
    },
    hasSaid: (id) => said.has(id),
    reupload: (id, request) => reupload(id, request),
  }
  const calls = new Map<string, string>()
  const ring = (to: string, what: Node) =>
    around.person(to).tellCompanions(node('call', { from: numberJid(number), id: newId(), t: nowSeconds() }, [what]))
  return person
}

/** Prevents an unhandled rejection, because a test may look at a failed link only later. */
function watched<T>(linking: Promise<T>): Promise<T> {
  linking.catch(() => {})
  return linking
}

/** Elements that a linked device gets instead of the encrypted content. */
interface Shape {
  readonly instead?: readonly Node[]
}

const PRE_KEYS_LOW = 20

/** How the server says whether an account may begin new chats. */
export const standing = (untilSeconds: number | null) => ({
  is_active: untilSeconds !== null,
  time_enforcement_ends: untilSeconds === null ? '0' : String(untilSeconds),
  enforcement_type: untilSeconds === null ? 'DEFAULT' : 'BIZ_QUALITY',
})

/** The keys for a first message, as elements of a stanza. */
export function bundleNodes({ identity, signedPreKey, preKey }: Bundle): Node[] {
  const keyNode = (tag: string, { id, key }: { id: number; key: Buffer }, more: Node[] = []) =>
    node(tag, {}, [node('id', {}, uint(id, 3)), node('value', {}, key), ...more])
  return [
    node('identity', {}, identity),
    ...(preKey ? [keyNode('key', preKey)] : []),
    keyNode('skey', signedPreKey, [node('signature', {}, signedPreKey.signature)]),
  ]
}

function bundleIn(retry: Node, keys: Node): Bundle {
  const preKey = childOf(keys, 'key')
  const signed = childOf(keys, 'skey')
  return {
    registrationId: numberIn(retry, 'registration'),
    identity: bytesIn(keys, 'identity'),
    signedPreKey: {
      id: numberIn(signed, 'id'),
      key: bytesIn(signed, 'value'),
      signature: bytesIn(signed, 'signature'),
    },
    ...(preKey && { preKey: { id: numberIn(preKey, 'id'), key: bytesIn(preKey, 'value') } }),
  }
}
