import { proto, unpadRandomMax16 } from 'baileys'
import { see, type Arrived } from './arrivals.ts'
import { memberJid, type GroupInside } from './groups.ts'
import { answerPeerRequest } from './own-phone.ts'
import type { Envelope, Phone, PhoneCore, PhoneInside, Surroundings } from './people.ts'
import { createConfirming } from './receipts.ts'
import type { Bundle } from './signal.ts'
import type { Known } from './speech.ts'
import { bigEndian, groupJid, numberJid, preKeyStanza, seconds, stanza, type Stanza } from './stanza.ts'

type Ear = Pick<Phone, 'go' | 'received' | 'copies' | 'unread' | 'confirm'> & Pick<PhoneInside, 'take' | 'hear'>

/**
 * How a phone receives messages: it decrypts them, shows each once, and sends receipts according to its owner's
 * habits.
 */
export function createEar(core: PhoneCore, around: Surroundings, self: () => PhoneInside): Ear {
  const { number, signal, known, writers, timers, inTurn } = core
  const arrived: Arrived[] = []
  const copies: Arrived[] = []
  const confirming = createConfirming(core, around, self)
  let mailbox: Envelope[] = []
  let unread = 0

  function take(envelope: Envelope): void {
    if (core.habits.isOnline) void inTurn(() => read(envelope))
    else mailbox.push(envelope)
  }

  async function read(envelope: Envelope): Promise<void> {
    const content = await decrypt(envelope).catch(() => undefined)
    if (content === undefined) {
      unread++
      // Asks for another copy with the keys for a new session, as WhatsApp does.
      return envelope.from.enqueue(retryReceipt(envelope, self(), signal.bundle()))
    }
    if (envelope.isPeerMessage) return answerPeerRequest(self(), envelope, content, around.cdn)
    const copied = content.deviceSentMessage?.message ?? (envelope.from.number === number ? content : undefined)
    if (copied) return show(envelope, copied, copies)
    const isKeyAlone = Object.keys(content).every((name) => WITHOUT_CONTENT.has(name))
    if (isKeyAlone) return
    show(envelope, content, arrived)
    confirming.expect(envelope)
  }

  async function decrypt({ sealed, from, group }: Envelope): Promise<proto.IMessage> {
    const peer = `${from.number}:${from.id}`
    const chat = group ? groupJid(group.id) : ''
    let content: proto.IMessage = {}
    for (const { type, bytes } of sealed) {
      const plain =
        type === 'skmsg' ? await signal.openFromGroup(chat, peer, bytes) : await signal.open(peer, { type, bytes })
      const part = present(proto.Message.decode(unpadRandomMax16(plain)))
      const key = part.senderKeyDistributionMessage?.axolotlSenderKeyDistributionMessage
      if (key) await signal.learnSenderKey(chat, peer, key)
      content = { ...content, ...part }
    }
    return content
  }

  function show({ id, from, group, peer }: Envelope, content: proto.IMessage, where: Arrived[]): void {
    const before = where.find((one) => one.id === id)
    if (before) {
      before.times++
      return
    }
    const chat = group?.id ?? peer
    if (!group) timers.hear(peer, content)
    where.push({ id, from: from.number, chat, device: from.id, content, times: 1, ...see(content, around.cdn) })
    const remoteJid = group ? groupJid(group.id) : numberJid(peer)
    remember({ remoteJid, id }, around.phone(from.number), group, { content, atSeconds: seconds() })
  }

  /** Stores the message, so that other messages can refer to it. */
  function remember(
    where: { readonly remoteJid: string; readonly id: string },
    from: PhoneInside,
    group: GroupInside | undefined,
    said: Pick<Known, 'content' | 'atSeconds'>,
  ): void {
    const isOwn = from.number === number
    const author = group ? memberJid(group, from) : numberJid(from.number)
    const key = { ...where, fromMe: isOwn, ...(group && !isOwn && { participant: author }) }
    known.set(where.id, { key, author, ...said })
    if (!isOwn) writers.add(from.number)
  }

  return {
    take,
    copies,
    get unread() {
      return unread
    },
    received: (from) => arrived.filter((one) => from === undefined || one.from === from),
    confirm: confirming.confirm,
    go(isOnline) {
      core.habits = { ...core.habits, isOnline }
      if (!isOnline) return
      const waiting = mailbox
      mailbox = []
      waiting.forEach(take)
    },
    hear(id, from, group, said) {
      const { content } = said
      remember({ remoteJid: group ? groupJid(group.id) : numberJid(from.number), id }, from, group, said)
      const chat = group?.id ?? from.number
      if (!group) timers.hear(from.number, content)
      arrived.push({ id, from: from.number, chat, device: 0, content, times: 1, ...see(content, around.cdn) })
    },
  }
}

const WITHOUT_CONTENT = new Set(['senderKeyDistributionMessage', 'messageContextInfo'])

/** Removes the null fields that the decoder adds. */
const present = (message: proto.IMessage): proto.IMessage =>
  Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null && value !== undefined))

function retryReceipt({ id, as, group }: Envelope, reader: PhoneInside, keys: Bundle): Stanza {
  const participant = group ? memberJid(group, reader) : undefined
  const { preKey, signedPreKey } = keys
  return stanza('receipt', { type: 'retry', from: group ? groupJid(group.id) : as, id, t: seconds(), participant }, [
    stanza('retry', { count: 1, id, t: seconds(), v: 1 }),
    stanza('registration', {}, bigEndian(keys.registrationId, 4)),
    stanza('keys', {}, [
      stanza('type', {}, Buffer.from([5])),
      stanza('identity', {}, keys.identity),
      ...(preKey ? [preKeyStanza('key', preKey)] : []),
      preKeyStanza('skey', signedPreKey),
    ]),
  ])
}
