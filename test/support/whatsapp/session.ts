import { randomBytes, createCipheriv, hkdfSync } from 'node:crypto'
import { proto } from 'baileys'
import type { Introduction, Link } from './link.ts'
import { failure, type DeviceInside } from './linked-device.ts'
import type { Network } from './network.ts'
import { answerQuery } from './queries.ts'
import { relay } from './relay.ts'
import type { Bundle } from './signal.ts'
import {
  bytesOf,
  child,
  children,
  lidJid,
  numberJid,
  numberOf,
  readAddress,
  seconds,
  stanza,
  type Stanza,
} from './stanza.ts'

/** One connection, after its client has introduced itself. */
export interface Session {
  hear(node: Stanza): void
  gone(): void
}

const NOBODY: Session = { hear: () => {}, gone: () => {} }

/** Lets a linked device log in, sends a QR code to a new client, or refuses the connection. */
export function openSession(link: Link, introduction: Introduction, network: Network): Session {
  const { payload } = introduction
  if ((payload.userAgent?.appVersion?.tertiary ?? 0) < network.faults.oldestVersion)
    return refuse(link, { reason: 405 })
  if (payload.devicePairingData) return network.pairings.greet(link, introduction)

  const person = network.phone(String(payload.username))
  const device = person.devices.find(({ id }) => id === payload.device)
  if (!device?.clientKey.equals(introduction.clientKey) || device.isRemoved) return refuse(link, { reason: 401 })
  if (device.refusal !== null) return refuse(link, device.refusal)

  device.attach(link)
  link.send(stanza('success', { t: seconds(), lid: lidJid(person.lid, device.id), location: 'lla' }))
  if (device.logins === 1) person.welcome(device)
  return {
    hear(node) {
      device.note(node)
      HEARERS[node.tag]?.(node, device, network)
      if (device.isRemoved) link.close()
    },
    gone: () => device.detach(link),
  }
}

function refuse(link: Link, refusal: Parameters<typeof failure>[0]): Session {
  link.send(failure(refusal))
  link.close()
  return NOBODY
}

type Hear = (node: Stanza, device: DeviceInside, network: Network) => void

const HEARERS: Readonly<Record<string, Hear>> = {
  iq(node, device, network) {
    if (node.attrs['type'] !== 'result') answerQuery(node, { device, network })
  },
  message: relay,
  receipt: hearReceipt,
  ack: hearAck,
  call: (node, device) => {
    device.tell(stanza('ack', { class: 'call', id: node.attrs['id'], from: node.attrs['to'] }))
  },
}

/** The client has processed something, or refuses it permanently. Either way, it is not sent again. */
function hearAck({ attrs }: Stanza, device: DeviceInside): void {
  const { class: tag = '', id = '', type, participant } = attrs
  device.settle({ tag, id, type, participant })
}

function hearReceipt(node: Stanza, device: DeviceInside, network: Network): void {
  const { id = '', to = '', type, participant, recipient } = node.attrs
  const isConfirmation = type !== 'retry' && type !== 'server-error'
  if (isConfirmation && network.faults.losesReceipt()) return device.end('dropped')
  device.tell(stanza('ack', { class: 'receipt', id, from: to, type, participant, recipient, t: seconds() }))
  if (type === 'server-error') return uploadAgain(node, device, network)
  if (type === 'retry') return sayAgain(node, device, network)
  const ids = [id, ...children(child(node, 'list'), 'item').map(({ attrs }) => attrs['id'] ?? '')]
  for (const one of ids) {
    device.settle({ tag: 'message', id: one })
    if (type !== 'sender' && type !== 'peer_msg' && type !== 'hist_sync')
      authorOf(participant ?? to, network)?.noteReceipt(one, type ?? 'delivered')
  }
}

const authorOf = (jid: string, network: Network) => (readAddress(jid).kind === 'group' ? undefined : network.who(jid))

/** The client could not read a message and asks the author for another copy. */
function sayAgain(node: Stanza, device: DeviceInside, network: Network): void {
  const { id = '', to = '', participant } = node.attrs
  const count = Number(child(node, 'retry')?.attrs['count'] ?? 1)
  device.settle({ tag: 'message', id })
  const author = authorOf(participant ?? to, network)
  author?.sayAgain(device, id, bundleIn(node), count)
}

function bundleIn(node: Stanza): Bundle | undefined {
  const keys = child(node, 'keys')
  const signed = child(keys, 'skey')
  if (keys === undefined || signed === undefined) return undefined
  const one = child(keys, 'key')
  return {
    registrationId: numberOf(node, 'registration'),
    identity: bytesOf(keys, 'identity'),
    signedPreKey: {
      id: numberOf(signed, 'id'),
      key: bytesOf(signed, 'value'),
      signature: bytesOf(signed, 'signature'),
    },
    preKey: one && { id: numberOf(one, 'id'), key: bytesOf(one, 'value') },
  }
}

/** The client could not find a file, and asks its own phone to upload it again. */
function uploadAgain(node: Stanza, device: DeviceInside, network: Network): void {
  const { id = '' } = node.attrs
  const asked = child(node, 'rmr')
  const content = network.phone(device.number).known.get(id)?.content ?? {}
  const media =
    content.imageMessage ??
    content.videoMessage ??
    content.audioMessage ??
    content.documentMessage ??
    content.stickerMessage
  if (!media?.directPath || !media.mediaKey) return
  const { SUCCESS } = proto.MediaRetryNotification.ResultType
  const directPath = network.cdn.restore(media.directPath)
  const answer = proto.MediaRetryNotification.encode({ stanzaId: id, directPath, result: SUCCESS }).finish()
  device.enqueue(
    stanza('notification', { type: 'mediaretry', id, from: numberJid(device.number), t: seconds() }, [
      sealRetry(answer, media.mediaKey, id),
      stanza('rmr', { ...asked?.attrs }),
    ]),
  )
}

function sealRetry(answer: Uint8Array, mediaKey: Uint8Array, id: string): Stanza {
  const key = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), 'WhatsApp Media Retry Notification', 32))
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(id))
  const sealed = Buffer.concat([cipher.update(answer), cipher.final(), cipher.getAuthTag()])
  return stanza('encrypt', {}, [stanza('enc_p', {}, sealed), stanza('enc_iv', {}, iv)])
}
