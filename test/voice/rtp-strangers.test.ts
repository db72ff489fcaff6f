import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { FRAME } from '../../main/voice/audio.ts'
import { RtpPeer } from '../../main/voice/gateways/sip/rtp-peer.ts'
import { until } from './sip-calls.ts'

describe('sound of a trunk', () => {
  const offer = (address: string, port: number) => ({
    type: 'offer',
    sdp: `c=IN IP4 ${address}\r\nm=audio ${port} RTP/AVP 0\r\n`,
  })

  async function peerOf(address: string) {
    RtpPeer.trunk = { localAddress: () => '127.0.0.1', permits: () => true }
    const peer = new RtpPeer()
    onTestFinished(() => peer.close())
    let frames = 0
    peer.onSound = () => frames++
    await peer.setRemoteDescription(offer(address, 4_000))
    const { sdp } = await peer.createAnswer()
    return { peer, heard: () => frames, port: Number(/m=audio (\d+)/.exec(sdp)?.[1]) }
  }

  /** @returns sends a packet of RTP from a socket of its own. */
  async function sender(port: number) {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    onTestFinished(() => void socket.close())
    return (sequence: number) => {
      const packet = Buffer.alloc(172, 0xff)
      packet.writeUInt16BE(0x80_00, 0)
      packet.writeUInt16BE(sequence, 2)
      socket.send(packet, port, '127.0.0.1')
    }
  }

  test('refuses a port that does not exist', async () => {
    const reasons: string[] = []
    RtpPeer.trunk = { localAddress: () => '127.0.0.1', permits: () => true }
    const peer = new RtpPeer()
    onTestFinished(() => peer.close())
    peer.onUnusable = (reason) => reasons.push(reason)
    await expect(peer.setRemoteDescription(offer('127.0.0.1', 99_999_999))).rejects.toThrow()
    await peer.createOffer()
    peer.send(new Int16Array(FRAME))
    expect(reasons).toEqual(['codec_not_supported'])
  })

  test('follows the first sender if it is not at the named address, and nobody after it', async () => {
    const { heard, port } = await peerOf('192.0.2.1')
    const [first, stranger] = [await sender(port), await sender(port)]
    first(1)
    await until(() => heard() === 1, 'The first')
    stranger(20_000)
    await systemClock.sleep(100)
    first(2)
    await until(() => heard() === 2, 'The second of the first')
  })

  test('switches to the named address as soon as it sends', async () => {
    const { peer, heard, port } = await peerOf('192.0.2.1')
    const [stranger, trunk] = [await sender(port), await sender(port)]
    stranger(30_000)
    await until(() => heard() === 1, 'The stranger')
    await peer.setRemoteDescription(offer('127.0.0.1', 4_000))
    trunk(1)
    await until(() => heard() === 2, 'The trunk')
  })
})
