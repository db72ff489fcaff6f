import { randomBytes } from 'node:crypto'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import type { EndReason } from '../../../contract/voice.ts'
import { parseAddress } from '../../../kernel/address-range.ts'
import { FRAME, FRAME_MS } from '../../audio.ts'
import { framesOfDigit, readDigit, type DigitFrame } from './digits.ts'
import { fromG711, toG711, type G711 } from './g711.ts'
import type { ControlResult } from '../../leg.ts'
import {
  DIGITS_OFFERED,
  formatsOffered,
  mayReceive,
  maySend,
  readAudio,
  writeAnswer,
  WITHOUT_RECEIVING,
  writeOffer,
  type Direction,
  type RemoteAudio,
} from './session-description.ts'

const TICKS_PER_MS = 8
const HEADER_BYTES = 12
const MARKER = 0x80
/** RFC 3389: describes background noise. */
const COMFORT_NOISE = 13
/** A longer gap was a pause and is not filled. */
const FILLED_AT_MOST = 5
/** Packets from one source before audio is sent to it (RFC 4961). */
const LEARNED_AFTER = 3
/** Limit of waiting digits: sixteen seconds. */
const DIGITS_AT_MOST = 64

const plainAddress = (ip: string): string => parseAddress(ip)?.toString() ?? ip

/** The peer's trunk. */
export interface TrunkSide {
  /** The address by which the trunk reaches this machine. */
  localAddress(): string
  /** Whether audio may be sent to this address. */
  permits(ip: string): boolean
}

interface Endpoint {
  readonly address: string
  readonly port: number
}

/** Replaces the browser's RTCPeerConnection in JsSIP: plain RTP with G.711, as trunks use it. */
export class RtpPeer {
  /** Set before JsSIP creates a peer. */
  static trunk: TrunkSide = { localAddress: () => '127.0.0.1', permits: () => false }

  readonly iceGatheringState = 'complete'
  readonly iceConnectionState = 'connected'
  signalingState = 'stable'
  localDescription: { type: string; sdp: string } | null = null
  readonly #address = RtpPeer.trunk.localAddress()
  readonly #permits = RtpPeer.trunk.permits
  readonly #ssrc = randomBytes(4).readUInt32BE()
  #socket: Socket | undefined
  #version = 0
  #described = ''
  #remote: RemoteAudio | undefined
  /** The last address that was named; kept during a hold. */
  #named: Endpoint | undefined
  /** The actual source of the audio, if it differs from the named address. */
  #learned: Endpoint | undefined
  #candidate: { readonly key: string; packets: number } | undefined
  #isNamedHeard = false
  /** Codecs by the payload types in our description. */
  #formats: ReadonlyMap<number, G711> = new Map()
  #digitsNumber: number | undefined
  #sequence = 1
  #timestamp = 0
  #isPaused = true
  #waiting = Buffer.alloc(0)
  #digits: (DigitFrame & { readonly done?: () => void })[] = []
  readonly #pressing = new Set<(result: ControlResult) => void>()
  #isHeld = false
  #digitTimestamp = 0
  #lastSequence: number | undefined
  #lastDigitTimestamp: number | undefined
  #lastLength = FRAME
  /** The accepted source of audio: the agreed address, otherwise the first one that sent any. */
  #source: string | undefined
  onSound: (pcm: Int16Array, lost: number) => void = () => {}
  /** The other side is present without audio: it is silent, or presses a digit. */
  onAlive: () => void = () => {}
  onDigit: (digit: string) => void = () => {}
  /** The other side's description contains nothing that we can decode, or an address that must not be reached. */
  onUnusable: (reason: EndReason) => void = () => {}

  addEventListener(): void {}
  removeEventListener(): void {}
  getSenders(): unknown[] {
    return []
  }
  getReceivers(): unknown[] {
    return []
  }
  addTrack(): void {}

  async createOffer(): Promise<{ type: string; sdp: string }> {
    return { type: 'offer', sdp: await this.offerHold(this.#isHeld) }
  }

  /** Our offer to put the other side on hold or resume. Nothing changes until it is accepted: `agreeOnHold`. */
  async offerHold(isHeld: boolean): Promise<string> {
    const before = this.#remote
    this.#formats = new Map(formatsOffered(before))
    this.#digitsNumber = (before?.digits ?? DIGITS_OFFERED).payloadType
    const direction = isHeld ? WITHOUT_RECEIVING[before?.direction ?? 'sendrecv'] : 'sendrecv'
    return this.#describe((local) => writeOffer(local, before, direction))
  }

  /** @returns false if the answer cannot be used; nothing is changed then. */
  async agreeOnHold(isHeld: boolean, answer: string): Promise<boolean> {
    if (!this.accepts(answer)) return false
    await this.setRemoteDescription({ type: 'answer', sdp: answer })
    this.#isHeld = isHeld
    // Packets sent meanwhile do not count as lost.
    this.#lastSequence = undefined
    return true
  }

  /** Whether we keep the other side on hold. */
  isHeld(): boolean {
    return this.#isHeld
  }

  /** The direction that is allowed for us. */
  #direction({ direction }: RemoteAudio): Direction {
    return this.#isHeld ? WITHOUT_RECEIVING[direction] : direction
  }

  async createAnswer(): Promise<{ type: string; sdp: string }> {
    const remote = this.#remote
    if (remote === undefined) throw new Error('There is no offer to answer.')
    this.#formats = new Map([[remote.payloadType, remote.codec]])
    this.#digitsNumber = remote.digits?.payloadType
    const answered = { ...remote, direction: this.#direction(remote) }
    return { type: 'answer', sdp: await this.#describe((local) => writeAnswer(answered, local)) }
  }

  async setLocalDescription(description: { type: string; sdp: string }): Promise<void> {
    this.localDescription = description
    this.signalingState = description.type === 'offer' ? 'have-local-offer' : 'stable'
  }

  async setRemoteDescription({ type, sdp }: { type: string; sdp: string }): Promise<void> {
    const remote = readAudio(sdp)
    const unusable = this.#whyUnusable(remote)
    if (remote === undefined || unusable !== null) {
      this.onUnusable(unusable ?? 'codec_not_supported')
      throw new Error('The other side offers no G.711, or wants it at an address that is not public.')
    }
    const { address, port } = remote
    if (address !== null) this.#setNamed({ address, port })
    this.#remote = remote
    this.signalingState = type === 'offer' ? 'have-remote-offer' : 'stable'
  }

  /** Whether this session description can be used; otherwise the call continues with the previous one. */
  accepts(sdp: string): boolean {
    return this.#whyUnusable(readAudio(sdp)) === null
  }

  /** Whether the other side should be sending audio; not while on hold. */
  isSoundExpected(): boolean {
    return this.#remote !== undefined && this.#direction(this.#remote) === 'sendrecv'
  }

  #whyUnusable(remote: RemoteAudio | undefined): EndReason | null {
    if (remote === undefined) return 'codec_not_supported'
    const { address } = remote
    // Names are refused too, because their addresses may change between the check and the first packet.
    return address === null || (isIP(address) !== 0 && this.#permits(address)) ? null : 'no_media_connection'
  }

  #setNamed(named: Endpoint): void {
    const before = this.#named
    this.#named = named
    if (before?.address === named.address && before.port === named.port) return
    this.#learned = undefined
    this.#candidate = undefined
    this.#isNamedHeard = false
    if (before?.address !== named.address) this.#source = undefined
  }

  /** The version increases with every change (RFC 3264, section 8). */
  async #describe(write: (local: Parameters<typeof writeAnswer>[1]) => string): Promise<string> {
    const { port } = (await this.#open()).address()
    const local = { sessionId: this.#ssrc, address: this.#address, port }
    const unversioned = write({ ...local, version: 0 })
    if (unversioned !== this.#described) this.#version++
    this.#described = unversioned
    return write({ ...local, version: this.#version })
  }

  async #open(): Promise<Socket> {
    if (this.#socket !== undefined) return this.#socket
    const socket = createSocket(this.#address.includes(':') ? 'udp6' : 'udp4')
    this.#socket = socket
    socket.on('message', (packet, from) => this.#receive(packet, from))
    // Nobody listens on the remote port any longer; the call ends by SIP.
    socket.on('error', () => {})
    socket.bind(0, this.#address)
    await once(socket, 'listening')
    return socket
  }

  /**
   * Anybody can send to our port, and plain RTP does not authenticate the sender. Some trunks send from other
   * addresses than they name, so these are accepted while the named one is silent.
   */
  #isFromThem({ address, port }: RemoteInfo): boolean {
    const isAgreed = plainAddress(address) === plainAddress(this.#named?.address ?? '')
    const source = isAgreed ? 'agreed' : `${address} ${port}`
    if (this.#source === source) return true
    if (this.#source !== undefined && !isAgreed) return false
    this.#source = source
    this.#learned = undefined
    // Sequence numbers of another source say nothing about this one.
    this.#lastSequence = undefined
    return true
  }

  /**
   * Behind a router, the other side receives audio only at the address it sends from. One source is learned, and only
   * while nothing comes from the named address.
   */
  #learn({ address, port }: RemoteInfo, ssrc: number): void {
    if (plainAddress(address) === plainAddress(this.#named?.address ?? '') && port === this.#named?.port) {
      this.#isNamedHeard = true
      this.#learned = undefined
      return
    }
    if (this.#isNamedHeard || this.#learned !== undefined) return
    const key = `${address} ${port} ${ssrc}`
    if (this.#candidate?.key !== key) this.#candidate = { key, packets: 0 }
    if (++this.#candidate.packets >= LEARNED_AFTER && this.#permits(plainAddress(address)))
      this.#learned = { address, port }
  }

  #receive(packet: Buffer, from: RemoteInfo): void {
    const [first = 0, second = 0] = packet
    if (packet.length <= HEADER_BYTES || first >> 6 !== 2) return
    const payloadType = second & 0x7f
    const codec = this.#formats.get(payloadType)
    const isOfUse = codec !== undefined || payloadType === this.#digitsNumber || payloadType === COMFORT_NOISE
    if (
      !isOfUse ||
      (this.#remote !== undefined && !mayReceive(this.#direction(this.#remote))) ||
      !this.#isFromThem(from)
    )
      return
    const sequence = packet.readUInt16BE(2)
    const gap = this.#lastSequence === undefined ? 1 : (sequence - this.#lastSequence) & 0xff_ff
    if (gap === 0 || gap > 0x80_00) return
    this.#lastSequence = sequence
    if (payloadType !== COMFORT_NOISE) this.#learn(from, packet.readUInt32BE(8))
    const payload = packet.subarray(HEADER_BYTES + 4 * (first & 0x0f))
    if (codec === undefined) return this.#receiveOther(payloadType, packet.readUInt32BE(4), payload)
    const lost = gap - 1
    for (let i = 0; i < lost && lost <= FILLED_AT_MOST; i++) this.onSound(new Int16Array(this.#lastLength), 0)
    const pcm = fromG711(payload, codec)
    this.#lastLength = pcm.length
    this.onSound(pcm, lost)
  }

  #receiveOther(payloadType: number, timestamp: number, payload: Buffer): void {
    this.onAlive()
    if (payloadType !== this.#digitsNumber || timestamp === this.#lastDigitTimestamp) return
    const digit = readDigit(payload)
    if (digit === undefined) return
    // All packets of a digit have the timestamp of its start.
    this.#lastDigitTimestamp = timestamp
    this.onDigit(digit)
  }

  /** Sends digits after those that are being sent. Resolves when all are sent. */
  async sendDigits(digits: string): Promise<ControlResult> {
    const remote = this.#remote
    if (remote === undefined) return { ok: false, why: 'not_running' }
    if (remote.digits === null) return { ok: false, why: 'no_digits' }
    if (this.#isHeld || !maySend(remote.direction)) return { ok: false, why: 'on_hold' }
    if (this.#digits.filter(({ isFirst }) => isFirst).length + digits.length > DIGITS_AT_MOST)
      return { ok: false, why: 'busy' }
    const { promise, resolve } = Promise.withResolvers<ControlResult>()
    const settle = (result: ControlResult) => {
      this.#pressing.delete(settle)
      resolve(result)
    }
    this.#pressing.add(settle)
    const frames = Array.from(digits).flatMap((digit) => framesOfDigit(digit))
    const last = frames.pop()
    this.#digits.push(...frames)
    if (last !== undefined) this.#digits.push({ ...last, done: () => settle({ ok: true }) })
    return promise
  }

  #dropDigits(result: ControlResult): void {
    this.#digits = []
    for (const settle of this.#pressing) settle(result)
  }

  /** Sends 20 ms of audio. */
  send(pcm: Int16Array): void {
    const remote = this.#remote
    if (remote === undefined) return
    const startedAt = this.#timestamp
    this.#timestamp = (this.#timestamp + TICKS_PER_MS * FRAME_MS) >>> 0
    if (!maySend(this.#direction(remote))) {
      this.#isPaused = true
      this.#waiting = Buffer.alloc(0)
      // After the hold, these digits would answer a different question.
      this.#dropDigits({ ok: false, why: 'on_hold' })
      return
    }
    const digit = this.#digits.shift()
    if (digit !== undefined && digit.payloads.length > 0) this.#sendEvents(remote, digit, startedAt)
    else this.#sendSound(remote, pcm)
    digit?.done?.()
  }

  #sendEvents({ digits }: RemoteAudio, { payloads, isFirst }: DigitFrame, startedAt: number): void {
    if (isFirst) this.#digitTimestamp = startedAt
    this.#waiting = Buffer.alloc(0)
    if (digits === null) return
    for (const payload of payloads)
      this.#sendPacket(digits.payloadType | (isFirst ? MARKER : 0), this.#digitTimestamp, payload)
    this.#isPaused = true
  }

  #sendSound({ codec, payloadType, packetMs }: RemoteAudio, pcm: Int16Array): void {
    this.#waiting = Buffer.concat([this.#waiting, toG711(pcm, codec)])
    const bytes = packetMs * TICKS_PER_MS
    while (this.#waiting.length >= bytes) {
      const timestamp = (this.#timestamp - this.#waiting.length) >>> 0
      this.#sendPacket(payloadType | (this.#isPaused ? MARKER : 0), timestamp, this.#waiting.subarray(0, bytes))
      this.#isPaused = false
      this.#waiting = this.#waiting.subarray(bytes)
    }
  }

  #sendPacket(second: number, timestamp: number, payload: Buffer): void {
    const to = this.#learned ?? this.#named
    if (to === undefined || this.#socket === undefined) return
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt8(0x80, 0)
    header.writeUInt8(second, 1)
    header.writeUInt16BE(this.#sequence, 2)
    header.writeUInt32BE(timestamp, 4)
    header.writeUInt32BE(this.#ssrc, 8)
    this.#sequence = (this.#sequence + 1) & 0xff_ff
    this.#socket.send(Buffer.concat([header, payload]), to.port, to.address, () => {})
  }

  close(): void {
    this.signalingState = 'closed'
    this.#dropDigits({ ok: false, why: 'not_running' })
    this.#socket?.close()
    this.#socket = undefined
  }
}
