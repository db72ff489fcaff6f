import { proto } from 'baileys'
import type { Link } from './link.ts'
import type { Bundle } from './signal.ts'
import { newMessageId } from './speech.ts'
import { bytesOf, child, children, numberOf, seconds, stanza, type Stanza } from './stanza.ts'

/** The ways in which the network ends a connection. */
export type Ending =
  | 'restart'
  | 'unavailable'
  | 'replaced'
  | 'removed'
  | 'bad_session'
  | 'codeless'
  | 'stream_end'
  | 'no_multidevice'
  | 'dropped'

/** Why a login is refused: the reason code of a `<failure>`, and for a temporary ban its duration in seconds. */
export interface Refusal {
  readonly reason: number
  readonly expireSeconds?: number
}

/**
 * A client that is linked to an account, from the network's view. It exists independently of the client's
 * connections.
 */
export interface LinkedDevice {
  /** The phone number of the account. */
  readonly number: string
  /** The number of the device; the phone is 0. */
  readonly id: number
  /** Logged in, and its backlog was completely sent. */
  readonly isOnline: boolean
  /** How many times it logged in. */
  readonly logins: number
  /** Stanzas that were sent and not acknowledged. They are all sent again after the next login. */
  readonly waiting: readonly Stanza[]
  /** Everything that the device sent, oldest first. */
  readonly heard: readonly Stanza[]
  /** The number of its unused one-time keys. */
  readonly preKeysLeft: number
  /** Ends its connection. It may log in again, except after `removed`. */
  end(how: Ending): void
  /** Sends something without meaning, like the answer to a keep-alive. */
  beat(): void
  /**
   * Sends a post of a channel that the account follows, unencrypted as from the real server. @returns the id of the
   * post.
   */
  post(channel: string, content: proto.IMessage): string
  /** Sends an element with this name, and keeps it until it is acknowledged, like all others. @returns its id. */
  bring(tag: string, from: string): string
  /** Blocks both directions while the connection stays open. */
  freeze(): void
  thaw(): void
  /** Refuses its logins from now on and ends its connection; null allows logins again. */
  refuse(refusal: Refusal | null): void
}

/** Adds what only the simulated network uses. */
export interface DeviceInside extends LinkedDevice {
  readonly clientKey: Buffer
  readonly keyIndex: number
  readonly refusal: Refusal | null
  readonly isRemoved: boolean
  /** Called after the login, before the backlog was sent. */
  attach(link: Link): void
  detach(link: Link): void
  note(node: Stanza): void
  /** Sent as soon as the device is online, and kept until it is acknowledged. */
  enqueue(node: Stanza): void
  /** Sent if the device is connected, otherwise discarded. */
  tell(node: Stanza): void
  /** The device is ready for its backlog. */
  becomeActive(): void
  /** @returns the stanzas that were acknowledged. */
  settle(what: { tag: string; id: string; type?: string | undefined; participant?: string | undefined }): Stanza[]
  /** Stores the keys that an `iq encrypt set` uploads. */
  storeKeys(node: Stanza): void
  /** Called after a logout: the device may never log in again. */
  forget(): void
  /** The device's keys for a first message, including a one-time key while there are any. */
  bundle(): Bundle
}

export interface Registration {
  readonly clientKey: Buffer
  readonly identity: Buffer
  readonly registrationId: number
  readonly signedPreKey: Bundle['signedPreKey']
}

/** With fewer one-time keys than this, the client is asked to upload more. */
const FEW_KEYS = 5

export function createLinkedDevice(
  account: { readonly number: string },
  place: { readonly id: number; readonly keyIndex: number },
  registration: Registration,
): DeviceInside {
  let link: Link | undefined
  let isActive = false
  let logins = 0
  let refusal: Refusal | null = null
  let isRemoved = false
  let waiting: Stanza[] = []
  let { signedPreKey } = registration
  const preKeys: { id: number; key: Buffer }[] = []
  const heard: Stanza[] = []

  function end(how: Ending): void {
    if (how === 'removed') isRemoved = true
    if (how === 'dropped') link?.drop()
    else {
      link?.send(GOODBYES[how])
      link?.close()
    }
  }

  const device: DeviceInside = {
    number: account.number,
    id: place.id,
    keyIndex: place.keyIndex,
    clientKey: registration.clientKey,
    get isOnline() {
      return link !== undefined && isActive
    },
    get logins() {
      return logins
    },
    get waiting() {
      return waiting
    },
    get preKeysLeft() {
      return preKeys.length
    },
    get refusal() {
      return refusal
    },
    get isRemoved() {
      return isRemoved
    },
    heard,
    end,
    beat: () => link?.send(stanza('ib', { from: 's.whatsapp.net' })),
    post(channel, content) {
      const id = newMessageId()
      const attributes = { from: `${channel}@newsletter`, id, t: seconds(), type: 'text', server_id: '101' }
      const plaintext = stanza('plaintext', {}, Buffer.from(proto.Message.encode(content).finish()))
      device.enqueue(stanza('message', attributes, [plaintext]))
      return id
    },
    bring(tag, from) {
      const id = newMessageId()
      device.enqueue(stanza(tag, { from, id, t: seconds() }, [stanza('plaintext', {}, Buffer.from('anything'))]))
      return id
    },
    freeze: () => link?.freeze(),
    thaw: () => link?.thaw(),
    refuse(next) {
      refusal = next
      if (next === null) return
      link?.send(failure(next))
      link?.close()
    },
    attach(next) {
      const previous = link
      if (previous !== undefined) end('replaced')
      link = next
      isActive = false
      logins++
    },
    detach(gone) {
      if (link !== gone) return
      link = undefined
      isActive = false
    },
    forget: () => void (isRemoved = true),
    note: (node) => void heard.push(node),
    enqueue(node) {
      waiting.push(node)
      if (isActive) link?.send(node)
    },
    tell: (node) => link?.send(node),
    becomeActive() {
      waiting.forEach((node, index) => link?.send({ ...node, attrs: { ...node.attrs, offline: String(index) } }))
      link?.send(stanza('ib', { from: 's.whatsapp.net' }, [stanza('offline', { count: waiting.length })]))
      isActive = true
    },
    settle(what) {
      const isMeant = ({ tag, attrs }: Stanza) =>
        tag === what.tag &&
        attrs['id'] === what.id &&
        (tag === 'message' || (attrs['type'] === what.type && attrs['participant'] === what.participant))
      const settled = waiting.filter(isMeant)
      waiting = waiting.filter((node) => !isMeant(node))
      return settled
    },
    storeKeys(node) {
      for (const key of children(child(node, 'list'), 'key'))
        preKeys.push({ id: numberOf(key, 'id'), key: bytesOf(key, 'value') })
      signedPreKey = readSignedPreKey(child(node, 'skey') ?? child(child(node, 'rotate'), 'skey')) ?? signedPreKey
    },
    bundle() {
      const preKey = preKeys.shift()
      if (preKeys.length === FEW_KEYS) device.enqueue(keysRunLow(preKeys.length))
      return {
        registrationId: registration.registrationId,
        identity: registration.identity,
        signedPreKey,
        preKey,
      }
    },
  }
  return device
}

const streamError = (attributes: Record<string, string>, content?: Stanza[]) =>
  stanza('stream:error', attributes, content)

const GOODBYES: Readonly<Record<Exclude<Ending, 'dropped'>, Stanza>> = {
  restart: streamError({ code: '515' }),
  unavailable: streamError({ code: '503' }),
  replaced: streamError({}, [stanza('conflict', { type: 'replaced' })]),
  removed: streamError({ code: '401' }, [stanza('conflict', { type: 'device_removed' })]),
  bad_session: streamError({ code: '500' }),
  codeless: streamError({}, [stanza('xml-not-well-formed')]),
  stream_end: stanza('xmlstreamend'),
  no_multidevice: stanza('ib', {}, [stanza('downgrade_webclient')]),
}

export const failure = ({ reason, expireSeconds }: Refusal): Stanza =>
  stanza('failure', { reason, expire: expireSeconds, location: 'lla' })

function readSignedPreKey(node: Stanza | undefined): Bundle['signedPreKey'] | undefined {
  if (node === undefined) return undefined
  return { id: numberOf(node, 'id'), key: bytesOf(node, 'value'), signature: bytesOf(node, 'signature') }
}

let notices = 0
const keysRunLow = (left: number): Stanza =>
  stanza('notification', { type: 'encrypt', from: 's.whatsapp.net', id: `keys-${++notices}` }, [
    stanza('count', { value: left }),
  ])
