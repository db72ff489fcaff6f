import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { MediaStreamTrack, RTCPeerConnection } from 'werift'
import { systemClock } from '../../main/kernel/clock.ts'
import { FRAME } from '../../main/voice/audio.ts'
import { withPermittedCandidates } from '../../main/voice/gateways/sdp.ts'
import { RtpPeer } from '../../main/voice/gateways/sip/rtp-peer.ts'
import { createWebRtcLeg } from '../../main/voice/gateways/webrtc.ts'
import type { LegEvents } from '../../main/voice/leg.ts'
import { until } from './sip-calls.ts'

/** Counts the packets that reach it. */
async function trap() {
  const socket = createSocket('udp4')
  let packets = 0
  socket.on('message', () => packets++)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { port: socket.address().port, packets: () => packets }
}

async function offerOfBrowser() {
  const peer = new RTCPeerConnection({ iceServers: [] })
  onTestFinished(() => void peer.close().catch(() => {}))
  peer.addTransceiver(new MediaStreamTrack({ kind: 'audio' }), { direction: 'sendrecv' })
  await peer.setLocalDescription(await peer.createOffer())
  if (peer.iceGatheringState !== 'complete') await peer.iceGatheringStateChange.watch((state) => state === 'complete')
  return { peer, sdp: peer.localDescription?.sdp ?? '' }
}

/** The offer with other candidates than its own. */
const withCandidates = (sdp: string, candidates: readonly string[]): string => {
  const lines = sdp.split('\r\n').filter((line) => !/^a=(candidate|end-of-candidates)/.test(line))
  return [...lines.filter((line) => line !== ''), ...candidates.map((one) => `a=candidate:${one}`), ''].join('\r\n')
}

function answering(offer: string, permits: (ip: string) => boolean) {
  const leg = createWebRtcLeg({ offer, mustSend: true, permits })
  onTestFinished(() => leg.hangUp('agent_hung_up'))
  const { promise: answer, resolve } = Promise.withResolvers<string>()
  let isConnected = false
  leg.start({
    onLocalSdp: resolve,
    onConnected: () => (isConnected = true),
    onRinging() {},
    onEnded() {},
  } as Partial<LegEvents> as LegEvents)
  return { answer, isConnected: () => isConnected }
}

test('X-10 an offer causes no packet to an address that is not public', async () => {
  const { sdp } = await offerOfBrowser()
  const control = await trap()
  const open = answering(withCandidates(sdp, [`1 1 udp 1 127.0.0.1 ${control.port} typ host`]), () => true)
  await open.answer
  await until(() => control.packets() > 0, 'A packet to a permitted address')

  const inside = await trap()
  const hosts = ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '127.1', '2130706433', 'a1b2c3d4.local', '0.0.0.0']
  const candidates = hosts.flatMap((host) => [
    `1 1 udp 2122260223 ${host} ${inside.port} typ host`,
    `2 1 UDP 2122260223 ${host} ${inside.port} typ srflx raddr 8.8.8.8 rport 1`,
    `3 1 tcp 1 ${host} ${inside.port} typ host tcptype passive`,
  ])
  const { answer } = answering(withCandidates(sdp, candidates), () => false)
  await answer
  // A check is sent every 20 ms, and repeated.
  await systemClock.sleep(1_500)
  expect(inside.packets()).toBe(0)
})

test('finds a candidate behind a hidden line break', () => {
  const permits = (ip: string) => ip === '8.8.8.8'
  const line = (ip: string) => `a=candidate:1 1 udp 1 ${ip} 9 typ host`
  for (const gap of ['\r', '\n', '\r\n', '\n ', '\r\r'])
    expect(withPermittedCandidates(`a=mid:0${gap}${line('10.0.0.1')}\r\n${line('8.8.8.8')}`, permits)).toBe(
      `a=mid:0${gap === '\r\r' ? '\r\n' : ''}\r\n${line('8.8.8.8')}`,
    )
})

test('keeps a few of a thousand public candidates', () => {
  const sdp = Array.from({ length: 1_005 }, (_, i) => `a=candidate:${i} 1 udp 1 8.8.8.8 ${i + 1} typ host`).join('\r\n')
  expect(withPermittedCandidates(sdp, () => true).split('\r\n')).toHaveLength(8)
})

test('reaches a person on this network without candidates', async () => {
  const { peer, sdp } = await offerOfBrowser()
  const { answer, isConnected } = answering(sdp, () => false)
  await peer.setRemoteDescription({ type: 'answer', sdp: await answer })
  await until(isConnected, 'The connection')
})

test.each(['127.0.0.1', 'localhost', '127.1', '169.254.169.254'])(
  'does not send a trunk’s sound to %s',
  async (host) => {
    const inside = await trap()
    RtpPeer.trunk = { localAddress: () => '127.0.0.1', permits: (ip) => ip === '8.8.8.8' }
    const peer = new RtpPeer()
    onTestFinished(() => peer.close())
    const reasons: string[] = []
    peer.onUnusable = (reason) => reasons.push(reason)
    const offer = { type: 'offer', sdp: `c=IN IP4 ${host}\r\nm=audio ${inside.port} RTP/AVP 0\r\n` }
    await expect(peer.setRemoteDescription(offer)).rejects.toThrow('not public')
    await peer.createOffer()
    for (let i = 0; i < 10; i++) peer.send(new Int16Array(FRAME))
    await systemClock.sleep(50)
    expect([reasons, inside.packets()]).toEqual([['no_media_connection'], 0])
  },
)

test('lets a trunk put a call on hold without an address', async () => {
  RtpPeer.trunk = { localAddress: () => '127.0.0.1', permits: () => false }
  const peer = new RtpPeer()
  onTestFinished(() => peer.close())
  await peer.setRemoteDescription({ type: 'offer', sdp: 'c=IN IP4 0.0.0.0\r\nm=audio 9 RTP/AVP 0\r\n' })
  await peer.createAnswer()
  peer.send(new Int16Array(FRAME))
  expect(peer.signalingState).toBe('have-remote-offer')
})

test('refuses an offer with a data channel', async () => {
  const peer = new RTCPeerConnection({ iceServers: [] })
  onTestFinished(() => void peer.close().catch(() => {}))
  peer.addTransceiver(new MediaStreamTrack({ kind: 'audio' }), { direction: 'sendrecv' })
  peer.createDataChannel('more')
  await peer.setLocalDescription(await peer.createOffer())
  const offer = peer.localDescription?.sdp ?? ''
  expect(offer).toContain('m=application')
  const leg = createWebRtcLeg({ offer, mustSend: true, permits: () => true })
  const reasons: string[] = []
  let answers = 0
  leg.start({
    onLocalSdp: () => answers++,
    onEnded: (reason) => reasons.push(reason),
  } as Partial<LegEvents> as LegEvents)
  await until(() => reasons.length > 0 || answers > 0, 'The end')
  expect([reasons, answers]).toEqual([['codec_not_supported'], 0])
})
