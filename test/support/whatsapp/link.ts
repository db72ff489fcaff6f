import type { Duplex } from 'node:stream'
import { decodeBinaryNode, encodeBinaryNode, proto } from 'baileys'
import type { WebSocket } from 'ws'
import { createFrames, frame } from './framing.ts'
import { answerHello, type Handshake, type NoiseIdentity, type Transport } from './noise.ts'
import type { Stanza } from './stanza.ts'

/** The data that a client sends at the end of the handshake. */
export interface Introduction {
  /** The client's Noise key, which identifies an installation. */
  readonly clientKey: Buffer
  readonly payload: proto.ClientPayload
}

/** One connection of a client, from the handshake to its end. */
export interface Link {
  send(node: Stanza): void
  /** Closes every layer in order. */
  close(): void
  /** Cuts the connection without closing it; data that is being sent is lost. */
  drop(): void
  /** Neither reads nor writes, like a peer that has disappeared while its connection stays open. */
  freeze(): void
  thaw(): void
  readonly isOpen: boolean
}

interface Listening {
  /** Called after the handshake. @returns the handler for the stanzas. */
  introduced(link: Link, introduction: Introduction): (node: Stanza) => Promise<void> | void
  closed(link: Link): void
}

interface HandshakeFaults {
  readonly identity: NoiseIdentity
  /** Sent instead of the server's hello; empty sends nothing. */
  readonly instead?: Buffer | undefined
}

/** The server side of the protocol on a WebSocket. */
export function acceptLink(
  webSocket: WebSocket,
  socket: Duplex,
  { identity, instead }: HandshakeFaults,
  on: Listening,
): Link {
  const frames = createFrames()
  let handshake: Handshake | undefined
  let transport: Transport | undefined
  let hear: ReturnType<Listening['introduced']> | undefined
  let isFrozen = false
  let held: Stanza[] = []
  let order = Promise.resolve()

  const link: Link = {
    send(node) {
      if (isFrozen) return void held.push(node)
      if (transport && link.isOpen) webSocket.send(frame(transport.seal(encodeBinaryNode(node))))
    },
    close: () => webSocket.close(),
    drop: () => void socket.destroy(),
    freeze() {
      isFrozen = true
      socket.pause()
    },
    thaw() {
      isFrozen = false
      socket.resume()
      const waiting = held
      held = []
      for (const node of waiting) link.send(node)
    },
    get isOpen() {
      return webSocket.readyState === webSocket.OPEN
    },
  }

  function shakeHands(message: Buffer): void {
    if (handshake === undefined) {
      handshake = answerHello(message, frames.prologue, identity)
      const answer = instead ?? handshake.hello
      if (answer.length > 0) webSocket.send(frame(answer))
      return
    }
    const { clientKey, payload, transport: agreed } = handshake.finish(message)
    transport = agreed
    hear = on.introduced(link, { clientKey, payload: proto.ClientPayload.decode(payload) })
  }

  /** Handles one frame after another: decoding is asynchronous, but the order must be kept. */
  function take(message: Buffer): void {
    if (transport === undefined) return shakeHands(message)
    const plain = transport.open(message)
    order = order.then(async () => {
      await hear?.(await decodeBinaryNode(plain))
    })
    order.catch((error: unknown) => {
      // An error of the stand-in must fail the test and must not look like a network fault.
      queueMicrotask(() => {
        throw error
      })
    })
  }

  webSocket.on('message', (data: Buffer) => {
    try {
      for (const message of frames.push(data)) take(message)
    } catch {
      link.drop()
    }
  })
  // The tests cut connections, so errors are expected.
  webSocket.on('error', () => {})
  webSocket.on('close', () => on.closed(link))
  return link
}
