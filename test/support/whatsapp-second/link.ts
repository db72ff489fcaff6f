import type { proto } from 'baileys'
import type { WebSocket } from 'ws'
import { createFrames, createHandshake, frameOf, type Transport, type Trust } from './noise.ts'
import type { Node } from './node.ts'
import { decode, encode } from './wire.ts'

/** The connection of a client after its handshake. */
export interface Link {
  readonly clientKey: Buffer
  readonly payload: proto.ClientPayload
  /** The bytes that the client sent first, with which it asks for the same server as before. */
  readonly routing: Buffer | null
  readonly isOpen: boolean
  send(element: Node): void
  /** Closes the WebSocket, like a server that has given a reason. */
  close(): void
  /** Cuts the TCP connection. */
  drop(): void
  /** Blocks both directions until `thaw`. */
  freeze(): void
  thaw(): void
}

export interface Visitor {
  hear(element: Node): void
  gone(): void
}

export interface LinkWorld {
  readonly trust: Trust
  /** Called when the keys of the client are known. */
  greet(link: Link): Visitor
  cut(): void
  complain(what: string): void
}

/** Handles one WebSocket. */
export function serveLink(ws: WebSocket, { trust, greet, cut, complain }: LinkWorld): void {
  const frames = createFrames()
  const handshake = createHandshake(trust)
  let step: 'hello' | 'finish' | 'open' = 'hello'
  let transport: Transport | undefined
  let visitor: Visitor | undefined
  let isFrozen = false
  const held: (() => void)[] = []
  const whenThawed = (act: () => void) => {
    if (isFrozen) held.push(act)
    else act()
  }

  const send = (element: Node) =>
    whenThawed(() => {
      if (transport && ws.readyState === ws.OPEN) inPieces(ws, frameOf(transport.seal(encode(element))))
    })

  function take(frame: Buffer): void {
    if (step === 'open') {
      if (transport) visitor?.hear(decode(transport.open(frame)))
      return
    }
    if (step === 'hello') {
      ws.send(frameOf(handshake.answer(frame)))
      step = 'finish'
      return
    }
    const { clientKey, payload, transport: opened } = handshake.finish(frame)
    transport = opened
    step = 'open'
    visitor = greet({
      ...{ clientKey, payload, routing: frames.routing, send },
      get isOpen() {
        return ws.readyState === ws.OPEN
      },
      close: () => whenThawed(() => ws.close()),
      drop: cut,
      freeze: () => void (isFrozen = true),
      thaw() {
        isFrozen = false
        for (const act of held.splice(0)) act()
      },
    })
  }

  ws.on('message', (data: Buffer) =>
    whenThawed(() => {
      try {
        for (const frame of frames.add(data)) take(frame)
      } catch (error) {
        complain(`unreadable: ${String(error)}`)
        cut()
      }
    }),
  )
  ws.on('close', () => visitor?.gone())
  ws.on('error', () => {})
}

/** A real server does not promise that a frame arrives in one message, so half of all frames arrive in two. */
function inPieces(ws: WebSocket, frame: Buffer): void {
  if (frame.length % 2 === 0) return ws.send(frame)
  ws.send(frame.subarray(0, frame.length >> 1))
  ws.send(frame.subarray(frame.length >> 1))
}
