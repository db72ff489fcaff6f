import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import type { EndReason } from '../../../contract/voice.ts'
import { parseAddress } from '../../../kernel/address-range.ts'
import { FRAME, FRAME_MS } from '../../audio.ts'
import { fromG711, PCMA, PCMU, toG711, type G711 } from './g711.ts'

const TICKS_PER_FRAME = 8 * FRAME_MS
const HEADER_BYTES = 12
const HIGHEST_PORT = 65_535
/** Whoever puts the call on hold names no address (RFC 3264). */
const ON_HOLD: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
/** A longer gap was a pause. */
const FILLED_AT_MOST = 5

const plainAddress = (ip: string): string => parseAddress(ip)?.toString() ?? ip

/** The trunk that a peer is for. */
export interface TrunkSide {
  /** The address by which the trunk reaches this machine. */
  localAddress(): string
  /** Whether sound may be sent to this address. */
  permits(ip: string): boolean
}

/** Stands where JsSIP expects a browser's RTCPeerConnection: plain RTP with G.711, which trunks speak. */
export class RtpPeer {
  /** Set before a peer is made: JsSIP makes them. */
  static trunk: TrunkSide = { localAddress: () => '127.0.0.1', permits: () => false }

  readonly iceGatheringState = 'complete'
  readonly iceConnectionState = 'connected'
  signalingState = 'stable'
  localDescription: { type: string; sdp: string } | null = null
  readonly #address = RtpPeer.trunk.localAddress()
  readonly #permits = RtpPeer.trunk.permits
  #socket: Socket | undefined
  #remote: { address: string; port: number; codec: G711; isOnHold: boolean } | undefined
  #sequence = 1
  #timestamp = 0
  readonly #ssrc = (process.pid * 65_537) >>> 0
  #lastSequence: number | undefined
  /** Whose sound is taken: the address that was agreed on, else the first that sent any. */
  #source: string | undefined
  onSound: (pcm: Int16Array, lost: number) => void = () => {}
  /** The other side offers or answers nothing that we can decode, or an address that must not be reached. */
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
    return { type: 'offer', sdp: await this.#describe([PCMU, PCMA]) }
  }

  async createAnswer(): Promise<{ type: string; sdp: string }> {
    return { type: 'answer', sdp: await this.#describe([this.#remote?.codec ?? PCMU]) }
  }

  async setLocalDescription(description: { type: string; sdp: string }): Promise<void> {
    this.localDescription = description
    this.signalingState = description.type === 'offer' ? 'have-local-offer' : 'stable'
  }

  async setRemoteDescription({ type, sdp }: { type: string; sdp: string }): Promise<void> {
    const media = /^m=audio (\d+) RTP\/AVP ([\d ]+)/m.exec(sdp)
    const port = Number(media?.[1] ?? 0)
    const types = (media?.[2] ?? '').split(' ')
    const codec = types.map((one) => (one === '0' ? PCMU : one === '8' ? PCMA : null)).find((one) => one !== null)
    const address = [...sdp.matchAll(/^c=IN IP[46] (\S+)/gm)].at(-1)?.[1]
    if (codec === undefined || port === 0 || port > HIGHEST_PORT || address === undefined) {
      this.onUnusable('codec_not_supported')
      throw new Error('The other side offers no G.711.')
    }
    const isOnHold = ON_HOLD.has(address)
    // A name is refused as well: its addresses may change between the check and the first packet.
    if (!isOnHold && (isIP(address) === 0 || !this.#permits(address))) {
      this.onUnusable('no_media_connection')
      throw new Error('The other side wants its sound at an address that is not public.')
    }
    if (address !== this.#remote?.address) this.#source = undefined
    this.#remote = { address, port, codec, isOnHold }
    this.signalingState = type === 'offer' ? 'have-remote-offer' : 'stable'
  }

  async #describe(codecs: readonly G711[]): Promise<string> {
    const { port } = (await this.#open()).address()
    const version = this.#address.includes(':') ? 'IP6' : 'IP4'
    const names = { 0: 'PCMU', 8: 'PCMA' }
    return [
      'v=0',
      `o=- ${this.#ssrc} 1 IN ${version} ${this.#address}`,
      's=-',
      `c=IN ${version} ${this.#address}`,
      't=0 0',
      `m=audio ${port} RTP/AVP ${codecs.map(({ payloadType }) => payloadType).join(' ')}`,
      ...codecs.map(({ payloadType }) => `a=rtpmap:${payloadType} ${names[payloadType]}/8000`),
      `a=ptime:${FRAME_MS}`,
      'a=sendrecv',
      '',
    ].join('\r\n')
  }

  async #open(): Promise<Socket> {
    if (this.#socket !== undefined) return this.#socket
    const socket = createSocket(this.#address.includes(':') ? 'udp6' : 'udp4')
    this.#socket = socket
    socket.on('message', (packet, from) => this.#receive(packet, from))
    // A port that nobody listens on any more: the call ends by SIP.
    socket.on('error', () => {})
    socket.bind(0, this.#address)
    await once(socket, 'listening')
    return socket
  }

  /**
   * Anybody can send to our port, and plain RTP says nothing about who did. Some trunks send from other addresses than
   * they name, so these are heard as long as the named one is silent.
   */
  #isFromThem({ address, port }: RemoteInfo): boolean {
    const isAgreed = plainAddress(address) === plainAddress(this.#remote?.address ?? '')
    const source = isAgreed ? 'agreed' : `${address} ${port}`
    if (this.#source === source) return true
    if (this.#source !== undefined && !isAgreed) return false
    this.#source = source
    // The numbers of somebody else say nothing about theirs.
    this.#lastSequence = undefined
    return true
  }

  #receive(packet: Buffer, from: RemoteInfo): void {
    const codec = [PCMU, PCMA].find(({ payloadType }) => payloadType === ((packet[1] ?? 0) & 0x7f))
    if (packet.length <= HEADER_BYTES || packet[0] === undefined || packet[0] >> 6 !== 2 || codec === undefined) return
    if (!this.#isFromThem(from)) return
    const sequence = packet.readUInt16BE(2)
    const gap = this.#lastSequence === undefined ? 1 : (sequence - this.#lastSequence) & 0xff_ff
    if (gap === 0 || gap > 0x80_00) return
    this.#lastSequence = sequence
    const lost = gap - 1
    for (let i = 0; i < lost && lost <= FILLED_AT_MOST; i++) this.onSound(new Int16Array(FRAME), 0)
    this.onSound(fromG711(packet.subarray(HEADER_BYTES + 4 * (packet[0] & 0x0f)), codec), lost)
  }

  send(pcm: Int16Array): void {
    if (this.#remote === undefined || this.#remote.isOnHold || this.#socket === undefined) return
    const { address, port, codec } = this.#remote
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt8(0x80, 0)
    header.writeUInt8(codec.payloadType | (this.#sequence === 1 ? 0x80 : 0), 1)
    header.writeUInt16BE(this.#sequence, 2)
    header.writeUInt32BE(this.#timestamp, 4)
    header.writeUInt32BE(this.#ssrc, 8)
    this.#sequence = (this.#sequence + 1) & 0xff_ff
    this.#timestamp = (this.#timestamp + TICKS_PER_FRAME) >>> 0
    this.#socket.send(Buffer.concat([header, toG711(pcm, codec)]), port, address, () => {})
  }

  close(): void {
    this.signalingState = 'closed'
    this.#socket?.close()
    this.#socket = undefined
  }
}
