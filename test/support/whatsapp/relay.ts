import type { MessageFault } from './faults.ts'
import type { GroupInside } from './groups.ts'
import { memberJid } from './groups.ts'
import type { DeviceInside } from './linked-device.ts'
import type { Network } from './network.ts'
import type { Envelope, PhoneInside } from './people.ts'
import { isAbsent } from './faults.ts'
import { contactToken } from './contact-salt.ts'
import {
  bytesIn,
  bytesOf,
  child,
  children,
  groupJid,
  lidJid,
  numberJid,
  readAddress,
  seconds,
  stanza,
  type Stanza,
} from './stanza.ts'

const STATUS = 'status@broadcast'

/** Accepts a message from a linked device: acknowledges it and delivers it to all recipients. */
export function relay(node: Stanza, from: DeviceInside, network: Network): void {
  if (node.attrs['to']?.endsWith('@newsletter')) return from.tell(network.channels.take(from.number, node))
  const fault = faultFor(node, from, network)
  const acknowledge = (error?: number) => from.tell(ack(node, error))
  const deliver = () => bring(node, from, network)
  switch (fault?.kind) {
    case undefined:
      acknowledge()
      return deliver()
    case 'lost':
      return from.end('dropped')
    case 'cut_before_ack':
      deliver()
      return from.end('dropped')
    case 'cut_after_ack':
      acknowledge()
      deliver()
      return network.later(0, () => from.end('dropped'))
    case 'held':
      return network.later(fault.ms, () => {
        acknowledge()
        deliver()
      })
    case 'refused':
      return acknowledge(fault.code)
    case 'refused_late':
      acknowledge()
      return network.later(fault.ms, () => acknowledge(fault.code))
  }
}

function ack({ attrs }: Stanza, error: number | undefined): Stanza {
  const { id, to, participant, recipient } = attrs
  return stanza('ack', { class: 'message', id, from: to, t: seconds(), participant, recipient, error })
}

/** While the account is restricted, new chats are refused. People who have written before can be answered. */
function faultFor(node: Stanza, from: DeviceInside, network: Network): MessageFault | undefined {
  const { to = '', category } = node.attrs
  if (category === 'peer' || to === STATUS) return undefined
  const { user, kind } = readAddress(to)
  if (kind === 'group') return network.faults.messageTo(user, { isGroup: true })
  if (network.faults.demandsCurrentForms && !isAddressedByLid(node, network)) return { kind: 'refused', code: 400 }
  const { number } = network.who(to)
  if (number === from.number) return undefined
  const sender = network.phone(from.number)
  const isCold = !sender.writers.has(number)
  if (isCold && sender.restrictedUntil !== null && sender.restrictedUntil > seconds())
    return { kind: 'refused', code: 463 }
  if (isCold && !showsToken(node, sender, network.who(to))) return { kind: 'refused', code: 463 }
  const fault = network.faults.messageTo(number)
  if (fault !== undefined) return fault
  return isCold && !sender.startsChatWith(number) ? { kind: 'refused', code: 463 } : undefined
}

/**
 * Whether the message contains a trust token or a token made with the salt of the account. A message that is sent
 * again contains neither.
 */
function showsToken(node: Stanza, { appState: { salt } }: PhoneInside, to: PhoneInside): boolean {
  if (salt === null || child(node, 'tctoken') !== undefined) return true
  return bytesOf(node, 'cstoken').equals(contactToken(salt, to.lid))
}

/**
 * Whether people are addressed by hidden id with their phone number; people without a hidden id are addressed by
 * number.
 */
function isAddressedByLid({ attrs }: Stanza, network: Network): boolean {
  const { to = '', peer_recipient_pn: beside } = attrs
  const { number, habits } = network.who(to)
  if (readAddress(to).kind === 'number') return habits.shows === 'number_only' && beside === undefined
  // A message that is sent again contains no second address.
  return beside === undefined || beside === numberJid(number)
}

function bring(node: Stanza, from: DeviceInside, network: Network): void {
  const { to = '', category, participant } = node.attrs
  const sender = network.phone(from.number)
  const { user, kind } = to === STATUS ? { user: '', kind: 'status' } : readAddress(to)
  const group = kind === 'group' ? network.groups.get(user) : undefined
  const shared = children(node, 'enc')
  const each = children(child(node, 'participants'), 'to')
  const hand = (jid: string, sealed: Stanza[]) => {
    const addressed = { node, from, sender, network, group, isPeerMessage: category === 'peer' }
    handTo(jid, sealed, addressed)
  }
  if (group && participant === undefined) return bringToGroup(group, each, shared, network, hand)
  // A second attempt for one device, or a message only for the own phone.
  if (each.length === 0) return hand(participant ?? to, shared)
  // The recipients share one content, and only these devices get it.
  for (const { attrs, content } of each) {
    const own = Array.isArray(content) ? content : []
    hand(attrs['jid'] ?? '', to === STATUS ? [...own, ...shared] : own)
  }
}

function bringToGroup(
  group: GroupInside,
  each: Stanza[],
  shared: Stanza[],
  network: Network,
  hand: (jid: string, sealed: Stanza[]) => void,
): void {
  const keys = new Map(
    each.map(({ attrs, content }) => {
      const { device } = readAddress(attrs['jid'] ?? '')
      const { number } = network.who(attrs['jid'] ?? '')
      return [`${number}:${device}`, Array.isArray(content) ? content : []]
    }),
  )
  for (const member of group.members.map(network.phone))
    for (const device of [0, ...member.devices.map(({ id }) => id)])
      hand(numberJid(member.number, device), [...(keys.get(`${member.number}:${device}`) ?? []), ...shared])
}

interface Addressed {
  readonly node: Stanza
  readonly from: DeviceInside
  readonly sender: PhoneInside
  readonly network: Network
  readonly group: GroupInside | undefined
  readonly isPeerMessage: boolean
}

function handTo(jid: string, sealed: Stanza[], addressed: Addressed): void {
  const { from, network, node } = addressed
  const person = network.who(jid)
  const { device: id } = readAddress(jid)
  if (isAbsent(person.number) || sealed.length === 0) return
  if (id === 0) return person.take(envelopeFor(person, sealed, addressed))
  const device = person.devices.find((one) => one.id === id)
  // In groups, clients sometimes address a copy to the sending device itself. It is ignored.
  if (device === undefined || device === from) return
  device.enqueue(stanza('message', forwarded(node, person, addressed), sealed))
}

function envelopeFor(person: PhoneInside, sealed: Stanza[], addressed: Addressed): Envelope {
  const { node, from, group, isPeerMessage, network } = addressed
  const { to = '', id = '' } = node.attrs
  const isCopy = person.number === from.number
  return {
    id,
    from,
    group,
    isPeerMessage,
    as: to.replace(/:\d+@/, '@'),
    peer: isCopy && group === undefined && to !== STATUS ? network.who(to).number : from.number,
    sealed: sealed.map((enc) => ({
      type: enc.attrs['type'] as Envelope['sealed'][number]['type'],
      bytes: bytesIn(enc),
    })),
  }
}

function forwarded(node: Stanza, person: PhoneInside, { from, sender, group, network }: Addressed) {
  const { to = '', id, type, edit } = node.attrs
  const common = { id, type, edit, t: seconds(), notify: sender.habits.name || undefined }
  const number = numberJid(from.number, from.id)
  const lid = lidJid(sender.lid, from.id)
  if (group) {
    const shared = { ...common, from: groupJid(group.id), addressing_mode: group.addressing }
    const participant = memberJid(group, sender).replace('@', `:${from.id}@`)
    return group.addressing === 'lid'
      ? { ...shared, participant, participant_pn: number }
      : { ...shared, participant, participant_lid: lid }
  }
  if (to === STATUS) return { ...common, from: STATUS, participant: number }
  if (person.number !== from.number) return { ...common, from: number, sender_lid: lid }
  const peer = network.who(to)
  return { ...common, from: number, recipient: numberJid(peer.number), peer_recipient_lid: lidJid(peer.lid) }
}
