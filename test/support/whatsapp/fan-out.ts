import { encodeWAMessage, type proto } from 'baileys'
import type { GroupInside } from './groups.ts'
import type { DeviceInside } from './linked-device.ts'
import type { PhoneInside } from './people.ts'
import { editAttribute, stanzaType } from './speech.ts'
import { groupJid, lidJid, numberJid, stanza, type Stanza } from './stanza.ts'

/** A message of a phone, on its way to linked devices. */
export interface Utterance {
  readonly id: string
  readonly from: PhoneInside
  readonly to: { readonly person: PhoneInside } | { readonly group: GroupInside }
  readonly content: proto.IMessage
  readonly atSeconds: number
  /** The number of this attempt, if the device could not read an earlier one. */
  readonly count?: number
}

const deviceName = (device: DeviceInside) => `${device.number}:${device.id}`

/** The stanza with which a linked device of a recipient gets the message. */
export async function toRecipient(said: Utterance, device: DeviceInside): Promise<Stanza> {
  const enc = 'group' in said.to ? await sealedForGroup(said, said.to.group, device) : [await sealed(said, device)]
  return stanza('message', attributesFor(said), [...enc, ...notesOn(said.content)])
}

/** A stanza without content: the device must ask its own phone for the message. */
export const withoutContent = (said: Utterance): Stanza => stanza('message', attributesFor(said), [])

/** A stanza without content, and with the reason why none will follow. */
export const withheld = (said: Utterance, why: string): Stanza =>
  stanza('message', attributesFor(said), [stanza('unavailable', { type: why })])

/** The stanza with which a linked device of the author's own account gets the message. */
export async function toOwnDevice(said: Utterance, device: DeviceInside): Promise<Stanza> {
  const { from, to, content } = said
  const chat = 'group' in to ? groupJid(to.group.id) : numberJid(to.person.number)
  const wrapped = { ...said, content: { deviceSentMessage: { destinationJid: chat, message: content } } }
  if ('group' in to) return toRecipient({ ...said, content }, device)
  const addressed = { from: numberJid(from.number), recipient: chat, peer_recipient_lid: lidJid(to.person.lid) }
  return stanza('message', { ...common(said), ...addressed }, [await sealed(wrapped, device)])
}

const common = ({ id, atSeconds, content, from }: Utterance) => ({
  id,
  t: atSeconds,
  type: stanzaType(content),
  notify: from.habits.name === '' ? undefined : from.habits.name,
  edit: editAttribute(content),
})

function attributesFor(said: Utterance): Record<string, string | number | undefined> {
  const { from, to } = said
  if ('group' in to) return { ...common(said), ...asParticipant(from, to.group) }
  switch (from.habits.shows) {
    case 'number':
      return { ...common(said), from: numberJid(from.number), sender_lid: lidJid(from.lid) }
    case 'number_only':
      return { ...common(said), from: numberJid(from.number) }
    case 'lid':
      return {
        ...common(said),
        from: lidJid(from.lid),
        sender_pn: numberJid(from.number),
        addressing_mode: 'lid',
      }
    case 'lid_only':
      return { ...common(said), from: lidJid(from.lid), addressing_mode: 'lid' }
  }
}

function asParticipant(from: PhoneInside, group: GroupInside): Record<string, string> {
  const shared = { from: groupJid(group.id), addressing_mode: group.addressing }
  return group.addressing === 'lid'
    ? { ...shared, participant: lidJid(from.lid), participant_pn: numberJid(from.number) }
    : { ...shared, participant: numberJid(from.number), participant_lid: lidJid(from.lid) }
}

async function sealed(said: Utterance, device: DeviceInside): Promise<Stanza> {
  const { signal } = said.from
  const peer = deviceName(device)
  if (!signal.knows(peer)) await signal.meet(peer, device.bundle())
  const { type, bytes } = await signal.seal(peer, encodeWAMessage(said.content))
  return stanza('enc', { v: 2, type, count: said.count, mediatype: mediaType(said.content) }, bytes)
}

/** A device that does not have the sender's key yet gets it first, encrypted for that device. */
async function sealedForGroup(said: Utterance, group: GroupInside, device: DeviceInside): Promise<Stanza[]> {
  const { signal } = said.from
  const id = groupJid(group.id)
  // The sender key as it was before this message, because a later one cannot decrypt it.
  const { key, bytes } = await group.sealOnce(said.id, async () => ({
    key: await signal.senderKey(id),
    bytes: await signal.sealForGroup(id, encodeWAMessage(said.content)),
  }))
  const skmsg = stanza('enc', { v: 2, type: 'skmsg', mediatype: mediaType(said.content) }, bytes)
  const isNew = group.giveKey(said.from.number, deviceName(device))
  if (!isNew && said.count === undefined) return [skmsg]
  const senderKeyDistributionMessage = { groupId: id, axolotlSenderKeyDistributionMessage: key }
  return [await sealed({ ...said, content: { senderKeyDistributionMessage } }, device), skmsg]
}

/** Marks a vote as a vote. */
const notesOn = ({ pollUpdateMessage }: proto.IMessage): Stanza[] =>
  pollUpdateMessage ? [stanza('meta', { polltype: 'vote' })] : []

function mediaType(content: proto.IMessage): string | undefined {
  if (content.imageMessage) return 'image'
  if (content.videoMessage) return 'video'
  if (content.audioMessage) return content.audioMessage.ptt ? 'ptt' : 'audio'
  if (content.documentMessage) return 'document'
  return content.stickerMessage ? 'sticker' : undefined
}
