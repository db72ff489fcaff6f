import { proto } from 'baileys'
import { groupJid, lidJid, numberJid, parseAddress } from './address.ts'
import { isSignedBy } from './bytes.ts'
import type { Companion } from './companion.ts'
import type { MessageFault } from './faults.ts'
import { memberJid, otherName, type Group } from './groups.ts'
import type { Network } from './network.ts'
import { bytesIn, childOf, childrenOf, node, nowSeconds, type Node } from './node.ts'
import type { Person } from './person.ts'
import type { Session } from './session.ts'

/** The recipient of a message, from its `to` attribute. */
interface Target {
  readonly group: Group | undefined
  readonly peer: Person
  readonly addressing: 'number' | 'lid'
  /** The number or group for which faults can be set. */
  readonly name: string
}

const REACHOUT = 463
const STALE_DEVICES = 479
const SOON_MS = 20

/** Accepts a message from a linked device: acknowledges it and delivers it to all recipients. */
export function relayMessage(session: Session, message: Node): void {
  const { network, link } = session
  const target = targetOf(session, message)
  if (!target) return network.complain(`a message to ${message.attrs['to'] ?? 'nobody'}`)
  check(session, message, target)
  const ack = (error?: number) => {
    const { id, to } = message.attrs
    link.send(node('ack', { class: 'message', id, from: to, t: nowSeconds(), error }))
  }
  const deliver = () => spread(session, message, target)
  const fault = network.faults.takeMessage(target.name) ?? faultOf(session, message, target)
  switch (fault?.kind) {
    case undefined:
      ack()
      return deliver()
    case 'lost':
      return link.drop()
    case 'cut_before_ack':
      deliver()
      return link.drop()
    case 'cut_after_ack':
      ack()
      deliver()
      return network.later(SOON_MS, () => link.drop())
    case 'held':
      return network.later(fault.ms, () => {
        ack()
        deliver()
      })
    case 'refused':
      return ack(fault.code)
    case 'refused_late':
      ack()
      return network.later(fault.ms, () => ack(fault.code))
  }
}

function targetOf({ network, person }: Session, { attrs }: Node): Target | undefined {
  const address = parseAddress(attrs['to'])
  if (address?.server === 'group') {
    const group = network.groups.get(address.user)
    return group && { group, peer: person, addressing: 'number', name: group.id }
  }
  // If a message is sent again to a device of the own account, the chat is in a separate attribute.
  const peer = network.somebody(attrs['recipient'] ?? attrs['to'])
  return peer && { group: undefined, peer, addressing: address?.server === 'lid' ? 'lid' : 'number', name: peer.number }
}

/** Some numbers have faults, depending on their last four digits. */
function faultOf({ network, person }: Session, message: Node, { group, peer }: Target): MessageFault | undefined {
  if (group) {
    if (!group.members.includes(person.number)) return { kind: 'refused', code: 403 }
    return group.isForAdmins && !group.admins.includes(person.number) ? { kind: 'refused', code: 403 } : undefined
  }
  if (message.attrs['category'] === 'peer') return undefined
  if (network.faults.demandsCurrentForms && isOldForm(message, peer)) return { kind: 'refused', code: 400 }
  if (peer === person) return undefined
  const isNew = !person.writers.has(peer.number)
  if (peer.number.endsWith('0463') || (person.restrictedUntil !== null && isNew))
    return { kind: 'refused', code: REACHOUT }
  if (peer.number.endsWith('0410')) return { kind: 'refused_late', code: STALE_DEVICES, ms: SOON_MS }
  return peer.number.endsWith('0504') ? { kind: 'held', ms: network.heldAckMs } : undefined
}

/**
 * Whether a message is addressed to a number although the person has a hidden id. For a message that is sent again to
 * the own account, the chat is in a separate attribute.
 */
const isOldForm = ({ attrs }: Node, { habits }: Person) =>
  parseAddress(attrs['to'])?.server === 'number' && habits.shows !== 'number_only' && attrs['recipient'] === undefined

const copiesIn = (message: Node) => childrenOf(childOf(message, 'participants'), 'to')

/** The checks that every server can make without reading the message. */
function check({ network, companion, person }: Session, message: Node, { group }: Target): void {
  const { id = '', category, participant, device_fanout } = message.attrs
  const complain = (what: string) => network.complain(`message ${id}: ${what}`)
  if (category === 'peer' || participant !== undefined || device_fanout !== undefined) return
  const copies = copiesIn(message)
  const named = copies.map(({ attrs }) => attrs['jid'] ?? '')
  if (new Set(named).size !== named.length) complain('a device is addressed twice')
  for (const jid of named) {
    const address = parseAddress(jid)
    if (!address || (address.device !== 0 && !network.companion(address))) complain(`nobody has the device ${jid}`)
  }
  if (!group && copies.length === 0) complain('it is addressed to no device')
  const isFirst = copies.some((copy) => childOf(copy, 'enc')?.attrs['type'] === 'pkmsg')
  const vouched = childOf(message, 'device-identity')
  if (isFirst && !vouched) complain('a first message without the identity of the device')
  if (vouched && !isVouchedFor(bytesIn(vouched), companion, person))
    complain('the identity of the device is not vouched for')
}

/** Whether the account’s phone has signed the keys of this device, which every recipient can check. */
function isVouchedFor(bytes: Buffer, { registration }: Companion, { correspondent }: Person): boolean {
  const signed = proto.ADVSignedDeviceIdentity.decode(bytes)
  const [details, key] = [signed.details ?? new Uint8Array(), signed.accountSignatureKey ?? new Uint8Array()]
  const { identity } = registration
  const account = Buffer.concat([Buffer.from([6, 0]), details, identity])
  const device = Buffer.concat([Buffer.from([6, 1]), details, identity, key])
  return (
    correspondent.identity.public.equals(key) &&
    isSignedBy(key, account, signed.accountSignature ?? new Uint8Array()) &&
    isSignedBy(identity, device, signed.deviceSignature ?? new Uint8Array())
  )
}

function spread(session: Session, message: Node, target: Target): void {
  const { network, companion, person } = session
  const { id = '', participant, to } = message.attrs
  network.senders.set(id, companion)
  const shared = childrenOf(message, 'enc')
  const bring = (jid: string, encs: readonly Node[]) => {
    const owner = network.somebody(jid)
    const address = parseAddress(jid)
    if (!owner || !address) return
    if (address.device === 0) toPhone(session, message, target, owner, encs)
    else if (address.device !== companion.id || owner !== person)
      toDevice(session, message, target, owner, address.device, encs)
  }
  // The message is sent again, to a single device.
  if (participant !== undefined) return bring(participant, shared)
  const copies = new Map(copiesIn(message).map((copy) => [deviceKey(network, copy.attrs['jid']), copy]))
  const { group } = target
  if (!group) {
    for (const copy of copies.values()) bring(copy.attrs['jid'] ?? '', childrenOf(copy, 'enc'))
    if (copies.size === 0) bring(to ?? '', shared)
    return
  }
  for (const number of group.members) {
    const member = network.person(number)
    for (const device of [0, ...member.companions.map((one) => one.id)]) {
      const copy = copies.get(`${number}:${device}`)
      bring(numberJid(number, device), [...childrenOf(copy, 'enc'), ...shared])
    }
  }
}

function deviceKey(network: Network, jid: string | undefined): string {
  return `${network.somebody(jid)?.number ?? ''}:${parseAddress(jid)?.device ?? 0}`
}

function toPhone(
  { companion, person }: Session,
  message: Node,
  target: Target,
  owner: Person,
  encs: readonly Node[],
): void {
  const { id = '', category, type = '', edit } = message.attrs
  if (owner !== person) owner.writers.add(person.number)
  owner.take({
    ...{ id, from: companion, author: person, group: target.group, encs, type, edit },
    peer: owner === person ? target.peer : person,
    addressing: target.addressing,
    isPeerMessage: category === 'peer',
  })
}

function toDevice(
  { companion, person, network }: Session,
  message: Node,
  { group, peer, addressing }: Target,
  owner: Person,
  device: number,
  encs: readonly Node[],
): void {
  const { id, type, edit } = message.attrs
  const notify = person.habits.name === '' ? undefined : person.habits.name
  const names = group
    ? {
        from: groupJid(group.id),
        participant: memberJid(group, person, companion.id),
        ...otherName(group, person),
        addressing_mode: group.addressing,
      }
    : addressing === 'lid'
      ? { from: lidJid(person.lid, companion.id), sender_pn: numberJid(person.number), addressing_mode: 'lid' }
      : { from: numberJid(person.number, companion.id), sender_lid: lidJid(person.lid) }
  const isCopy = !group && owner === person
  const recipient = addressing === 'lid' ? lidJid(peer.lid) : numberJid(peer.number)
  const own = { from: names.from, recipient, peer_recipient_lid: addressing === 'lid' ? undefined : lidJid(peer.lid) }
  const attributes = { ...(isCopy ? own : names), id, t: nowSeconds(), type, edit, notify }
  const vouched = childOf(message, 'device-identity')
  const content = [...encs, ...(vouched ? [vouched] : [])]
  network
    .person(owner.number)
    .companions.find((one) => one.id === device)
    ?.enqueue(node('message', attributes, content))
}

/**
 * Handles a receipt from a linked device: removes the confirmed message from its queue, and forwards the receipt to
 * the author.
 */
export function relayReceipt(session: Session, receipt: Node): void {
  const { network, companion, link, person } = session
  const { id = '', to, participant, type } = receipt.attrs
  link.send(node('ack', { class: 'receipt', id, from: to, type, participant, t: nowSeconds() }))
  if (type === 'server-error') return reupload(session, receipt)
  const ids = [id, ...childrenOf(childOf(receipt, 'list'), 'item').map(({ attrs }) => attrs['id'] ?? '')]
  if (type !== 'retry') companion.settle((one) => one.tag === 'message' && ids.includes(one.attrs['id'] ?? ''))
  if (type === 'peer_msg' || type === 'hist_sync' || type === 'sender' || type === 'read-self') return
  const author = network.somebody(participant ?? to)
  if (!author) return network.complain(`a receipt to ${to ?? 'nobody'}`)
  for (const one of ids) {
    if (type === 'retry' && author.hasSaid(one)) author.sayAgain(companion, one, receipt)
    else if (author.hasSaid(one)) author.noteReceipt(one, type ?? 'delivered')
    else if (network.senders.has(one)) forward(session, receipt, one)
    else if (author !== person) network.complain(`a receipt for ${one}, which ${author.number} never sent`)
  }
}

/** Forwards the receipt to the linked device that sent the message. */
function forward({ network, companion, person }: Session, receipt: Node, id: string): void {
  const sender = network.senders.get(id)
  const { to, type } = receipt.attrs
  const group = network.groups.get(parseAddress(to)?.user ?? '')
  const isByLid = parseAddress(to)?.server === 'lid'
  const names = group
    ? { from: to, participant: memberJid(group, person, companion.id) }
    : { from: isByLid ? lidJid(person.lid, companion.id) : numberJid(person.number, companion.id) }
  const shown = type === 'inactive' ? undefined : type
  const content = Array.isArray(receipt.content) && type === 'retry' ? receipt.content : undefined
  sender?.enqueue(node('receipt', { ...names, id, t: nowSeconds(), type: shown }, content))
}

/** A file is missing on the server, but the own phone still has it. */
function reupload({ network, companion, person }: Session, receipt: Node): void {
  const rmr = childOf(receipt, 'rmr')
  const answer = person.reupload(receipt.attrs['id'] ?? '', childOf(receipt, 'encrypt'))
  const names = { from: numberJid(person.number), id: receipt.attrs['id'], type: 'mediaretry', t: nowSeconds() }
  if (rmr) companion.enqueue(node('notification', names, [...answer, node('rmr', rmr.attrs)]))
  else network.complain('a file is asked for again without a message')
}
