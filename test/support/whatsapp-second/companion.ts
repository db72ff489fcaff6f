import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import type { LinkedDevice } from '../whatsapp/index.ts'
import type { Bundle } from './ratchet.ts'
import type { Link } from './link.ts'
import { childOf, childrenOf, node, numberIn, bytesIn, nowSeconds, SERVER, type Node } from './node.ts'

type Refusal = NonNullable<Parameters<LinkedDevice['refuse']>[0]>
type Ending = Parameters<LinkedDevice['end']>[0]

/** The data that a client sends when it is linked. */
export interface Registration {
  readonly clientKey: Buffer
  readonly identity: Buffer
  readonly registrationId: number
  readonly signedPreKey: Bundle['signedPreKey']
}

/** A linked client from the server's view. */
export interface Companion extends LinkedDevice {
  readonly registration: Registration
  readonly keyIndex: number
  readonly refusal: Refusal | null
  readonly isRemoved: boolean
  /** Attaches a new connection, which replaces the previous one. */
  attach(link: Link): void
  detach(link: Link): void
  note(element: Node): void
  /** Kept until the client has acknowledged it. */
  enqueue(element: Node): void
  /** The client requests its backlog. */
  deliverBacklog(): void
  /** The client is ready for its backlog. */
  activate(): void
  settle(is: (waiting: Node) => boolean): readonly Node[]
  storeKeys(upload: Node): void
  rotateSignedKey(skey: Node): void
  bundle(): Bundle
  send(element: Node): void
  remove(): void
}

const BATCH_PATIENCE_MS = 1_000

export function createCompanion(number: string, id: number, keyIndex: number, registration: Registration): Companion {
  const waiting: Node[] = []
  const heard: Node[] = []
  const preKeys: { id: number; key: Buffer }[] = []
  let { signedPreKey } = registration
  let link: Link | undefined
  let state: 'away' | 'greeted' | 'previewed' | 'ready' = 'away'
  let refusal: Refusal | null = null
  let isRemoved = false
  let logins = 0
  let numberOfPost = 100

  const send = (element: Node) => link?.send(element)
  const finish = (last: Node) => {
    const ending = link
    ending?.send(last)
    ending?.close()
  }
  const companion: Companion = {
    ...{ number, id, keyIndex, registration, send },
    beat: () => send(node('ib', { from: SERVER })),
    bring(tag, from) {
      const id = randomBytes(16).toString('hex').toUpperCase()
      companion.enqueue(node(tag, { from, id, t: nowSeconds() }, []))
      return id
    },
    post(channel, content) {
      const id = randomBytes(16).toString('hex').toUpperCase()
      const place = { from: `${channel}@newsletter`, id, server_id: numberOfPost++, t: nowSeconds(), type: 'text' }
      const plain = node('plaintext', {}, Buffer.from(proto.Message.encode(content).finish()))
      companion.enqueue(node('message', place, [plain]))
      return id
    },
    get isOnline() {
      return state === 'ready' && link?.isOpen === true
    },
    get logins() {
      return logins
    },
    get waiting() {
      return [...waiting]
    },
    heard,
    get preKeysLeft() {
      return preKeys.length
    },
    get refusal() {
      return refusal
    },
    get isRemoved() {
      return isRemoved
    },
    attach(next) {
      if (link) finish(streamError(undefined, node('conflict', { type: 'replaced' })))
      link = next
      state = 'greeted'
      logins++
    },
    detach(left) {
      if (link !== left) return
      link = undefined
      state = 'away'
    },
    note: (element) => void heard.push(element),
    enqueue(element) {
      waiting.push(element)
      if (state === 'ready') send(element)
    },
    activate() {
      if (state !== 'greeted') return
      state = 'previewed'
      if (waiting.length === 0) return companion.deliverBacklog()
      const counts = { message: countOf(waiting, 'message'), receipt: countOf(waiting, 'receipt') }
      send(node('ib', { from: SERVER }, [node('offline_preview', { count: waiting.length, ...counts })]))
      // A client that does not request its backlog gets it after a while.
      setTimeout(() => companion.deliverBacklog(), BATCH_PATIENCE_MS).unref()
    },
    deliverBacklog() {
      if (state !== 'previewed') return
      for (const element of waiting) send({ ...element, attrs: { ...element.attrs, offline: '1' } })
      send(node('ib', { from: SERVER }, [node('offline', { count: waiting.length })]))
      state = 'ready'
    },
    settle(is) {
      const done = waiting.filter(is)
      for (const one of done) waiting.splice(waiting.indexOf(one), 1)
      return done
    },
    storeKeys(upload) {
      for (const key of childrenOf(childOf(upload, 'list'), 'key'))
        preKeys.push({ id: numberIn(key, 'id'), key: bytesIn(key, 'value') })
      const skey = childOf(upload, 'skey')
      if (skey) companion.rotateSignedKey(skey)
    },
    rotateSignedKey(skey) {
      signedPreKey = { id: numberIn(skey, 'id'), key: bytesIn(skey, 'value'), signature: bytesIn(skey, 'signature') }
    },
    bundle() {
      const preKey = preKeys.shift()
      const { identity, registrationId } = registration
      return { identity, registrationId, signedPreKey, ...(preKey && { preKey }) }
    },
    end(how) {
      if (how === 'dropped') return link?.drop()
      if (how === 'removed') isRemoved = true
      const last = lastWords(how)
      finish(last)
      link = undefined
      state = 'away'
    },
    freeze: () => link?.freeze(),
    thaw: () => link?.thaw(),
    refuse(next) {
      refusal = next
      if (!next || !link) return
      finish(failureOf(next))
      link = undefined
      state = 'away'
    },
    remove() {
      isRemoved = true
      link?.close()
    },
  }
  return companion
}

const countOf = (all: readonly Node[], tag: string) => all.filter((one) => one.tag === tag).length

export const streamError = (code: number | undefined, reason?: Node): Node =>
  node('stream:error', { code }, reason ? [reason] : undefined)

export const failureOf = ({ reason, expireSeconds }: Refusal): Node =>
  node('failure', {
    ...{ reason, location: 'fra' },
    ...(expireSeconds !== undefined && { code: 101, expire: expireSeconds, t: nowSeconds() }),
  })

function lastWords(how: Exclude<Ending, 'dropped'>): Node {
  switch (how) {
    case 'restart':
      return streamError(515)
    case 'unavailable':
      return streamError(503)
    case 'replaced':
      return streamError(undefined, node('conflict', { type: 'replaced' }))
    case 'removed':
      return streamError(401, node('conflict', { type: 'device_removed' }))
    case 'bad_session':
      return streamError(500)
    case 'codeless':
      return streamError(undefined, node('xml-not-well-formed'))
    case 'stream_end':
      return node('xmlstreamend')
    case 'no_multidevice':
      return node('ib', { from: SERVER }, [node('downgrade_webclient')])
  }
}
