import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { FRAME } from '../../main/voice/audio.ts'
import { RtpPeer } from '../../main/voice/gateways/sip/rtp-peer.ts'
import { until } from './sip-calls.ts'

/** Offers and answers as RFC 3264 has them, and the RTP that follows from them. */

const ADDRESS = '127.0.0.1'

interface OfferOptions {
  readonly session?: readonly string[]
  readonly media: readonly string[]
}

const offerOf = ({ session = [`c=IN IP4 ${ADDRESS}`], media }: OfferOptions) => ({
  type: 'offer',
  sdp: ['v=0', `o=- 7 1 IN IP4 ${ADDRESS}`, 's=-', ...session, 't=0 0', ...media, ''].join('\r\n'),
})

function newPeer(permits: (ip: string) => boolean = () => true) {
  RtpPeer.trunk = { localAddress: () => ADDRESS, permits }
  const peer = new RtpPeer()
  onTestFinished(() => peer.close())
  return peer
}

async function answerTo(peer: RtpPeer, offer: OfferOptions): Promise<string> {
  await peer.setRemoteDescription(offerOf(offer))
  const { sdp } = await peer.createAnswer()
  return sdp
}

const linesOf = (sdp: string, type: string) =>
  sdp.split('\r\n').flatMap((line) => (line.startsWith(`${type}=`) ? [line.slice(2)] : []))
const portOf = (sdp: string) => Number(/^m=audio (\d+)/m.exec(sdp)?.[1])

/** A telephone's socket: it keeps what it receives, and sends RTP. */
async function telephone(address = ADDRESS) {
  const socket = createSocket('udp4').bind(0, address)
  const packets: { readonly packet: Buffer; readonly from: RemoteInfo }[] = []
  socket.on('message', (packet, from) => packets.push({ packet, from }))
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  let sequence = 1
  return {
    ...{ packets, port: socket.address().port },
    send(to: number, payloadType: number, { payload = Buffer.alloc(160, 0xff), timestamp = 0, ssrc = 1 } = {}) {
      const head = Buffer.alloc(12)
      head.writeUInt16BE(0x80_00 | payloadType, 0)
      head.writeUInt16BE(sequence++, 2)
      head.writeUInt32BE(timestamp, 4)
      head.writeUInt32BE(ssrc, 8)
      socket.send(Buffer.concat([head, payload]), to, ADDRESS)
    },
  }
}

const silence = new Int16Array(FRAME)
const typeOf = ({ packet }: { readonly packet: Buffer }) => (packet[1] ?? 0) & 0x7f
const settle = () => systemClock.sleep(60)

describe('an SDP answer', () => {
  test('has a line for each line of the offer and refuses all but one with port 0', async () => {
    const sdp = await answerTo(newPeer(), {
      media: [
        'm=video 5004 RTP/AVP 31 34',
        'm=audio 5008 RTP/SAVP 0',
        'm=audio 5006 RTP/AVP 0',
        'm=application 5010 udp wb',
        'm=audio 5012 RTP/AVP 8',
      ],
    })
    const [video, encrypted, audio, application, second, ...more] = linesOf(sdp, 'm')
    expect(video).toBe('video 0 RTP/AVP 31 34')
    expect(encrypted).toBe('audio 0 RTP/SAVP 0')
    expect(audio).toMatch(/^audio [1-9]\d+ RTP\/AVP 0$/)
    expect(application).toBe('application 0 udp wb')
    expect(second).toBe('audio 0 RTP/AVP 8')
    expect(more).toEqual([])
  })

  test('repeats the payload types of the offer for codecs and telephone events', async () => {
    const sdp = await answerTo(newPeer(), {
      media: [
        'm=audio 5006 RTP/AVPF 96 107 0 110',
        ...['a=rtpmap:96 opus/48000/2', 'a=rtpmap:107 PCMA/8000', 'a=rtpmap:110 telephone-event/8000'],
        ...['a=fmtp:110 0-16', 'a=ptime:30'],
      ],
    })
    expect(linesOf(sdp, 'm')[0]).toMatch(/^audio \d+ RTP\/AVPF 107 110$/)
    expect(linesOf(sdp, 'a')).toEqual([
      ...['rtpmap:107 PCMA/8000', 'rtpmap:110 telephone-event/8000', 'fmtp:110 0-16', 'ptime:30', 'sendrecv'],
    ])
  })

  test.each([
    ...([
      ['sendrecv', 'sendrecv'],
      ['sendonly', 'recvonly'],
      ['recvonly', 'sendonly'],
      ['inactive', 'inactive'],
    ] as const),
  ])('to %s is %s, also if the direction is given for the session', async (theirs, ours) => {
    const media = 'm=audio 5006 RTP/AVP 0'
    expect(linesOf(await answerTo(newPeer(), { media: [media, `a=${theirs}`] }), 'a')).toContain(ours)
    const session = [`c=IN IP4 ${ADDRESS}`, `a=${theirs}`]
    expect(linesOf(await answerTo(newPeer(), { session, media: [media] }), 'a')).toContain(ours)
  })

  test('raises its version with each change only', async () => {
    const peer = newPeer()
    const media = 'm=audio 5006 RTP/AVP 0'
    const origin = async (...more: string[]) => linesOf(await answerTo(peer, { media: [media, ...more] }), 'o')[0]
    const versions = [await origin(), await origin(), await origin('a=sendonly'), await origin()]
    expect(versions.map((line) => Number(line?.split(' ')[2]))).toEqual([1, 1, 2, 3])
    expect(new Set(versions.map((line) => line?.split(' ')[1])).size).toBe(1)
  })

  test.each([
    ['encrypted sound', ['m=audio 5006 RTP/SAVP 0']],
    ['no sound', ['m=video 5006 RTP/AVP 31']],
    ['a line that is none', ['m=audio 5006 RTP/AVP 0', 'm=?']],
    ['nothing', []],
  ])('is not sent for %s, and the call is unchanged', async (_, media) => {
    const peer = newPeer()
    await answerTo(peer, { media: ['m=audio 5006 RTP/AVP 0'] })
    expect(peer.accepts(offerOf({ media }).sdp)).toBe(false)
    await expect(peer.setRemoteDescription(offerOf({ media }))).rejects.toThrow()
    expect(linesOf((await peer.createAnswer()).sdp, 'm')[0]).toMatch(/RTP\/AVP 0$/)
  })
})

describe('sound', () => {
  test('goes to the address of its own media line', async () => {
    const [peer, phone] = [newPeer(), await telephone()]
    await answerTo(peer, {
      session: ['c=IN IP4 192.0.2.9'],
      media: [`m=audio ${phone.port} RTP/AVP 0`, `c=IN IP4 ${ADDRESS}`, 'm=video 9 RTP/AVP 31', 'c=IN IP4 192.0.2.8'],
    })
    peer.send(silence)
    await until(() => phone.packets.length === 1, 'A packet')
  })

  test.each([
    ['sendonly', ['a=sendonly'], ADDRESS, 'recvonly'],
    ['inactive', ['a=inactive'], ADDRESS, 'inactive'],
    ['no address', [], '0.0.0.0', 'recvonly'],
  ])('stops on hold by %s and resumes after it', async (_, attributes, address, ours) => {
    const [peer, phone] = [newPeer(), await telephone()]
    const media = `m=audio ${phone.port} RTP/AVP 0`
    await answerTo(peer, { media: [media] })
    peer.send(silence)
    await until(() => phone.packets.length === 1, 'A packet before')
    const held = await answerTo(peer, { session: [`c=IN IP4 ${address}`], media: [media, ...attributes] })
    expect(linesOf(held, 'a')).toContain(ours)
    expect(peer.isSoundExpected()).toBe(false)
    for (let i = 0; i < 5; i++) peer.send(silence)
    await settle()
    expect(phone.packets).toHaveLength(1)
    await answerTo(peer, { media: [media] })
    expect(peer.isSoundExpected()).toBe(true)
    peer.send(silence)
    await until(() => phone.packets.length === 2, 'A packet after')
    const [before, after] = phone.packets.map(({ packet }) => packet)
    expect(after?.readUInt16BE(2)).toBe((before?.readUInt16BE(2) ?? 0) + 1)
    expect((after?.readUInt32BE(4) ?? 0) - (before?.readUInt32BE(4) ?? 0)).toBe(6 * 160)
  })

  test.each([
    [['a=ptime:30'], [240, 240]],
    [
      ['a=ptime:40', 'a=maxptime:20'],
      [160, 160, 160],
    ],
    [[], [160, 160, 160]],
  ])('with %o is sent in packets of %o bytes', async (attributes, lengths) => {
    const [peer, phone] = [newPeer(), await telephone()]
    await answerTo(peer, { media: [`m=audio ${phone.port} RTP/AVP 0`, ...attributes] })
    for (let i = 0; i < 3; i++) peer.send(silence)
    await until(() => phone.packets.length === lengths.length, 'All packets')
    expect(phone.packets.map(({ packet }) => packet.length - 12)).toEqual(lengths)
  })

  test('uses the payload type of the other side and plays no other', async () => {
    const [peer, phone] = [newPeer(), await telephone()]
    let frames = 0
    peer.onSound = () => frames++
    const sdp = await answerTo(peer, { media: [`m=audio ${phone.port} RTP/AVP 107`, 'a=rtpmap:107 PCMU/8000'] })
    peer.send(silence)
    await until(() => phone.packets.length === 1, 'A packet')
    expect(phone.packets.map(typeOf)).toEqual([107])
    for (const payloadType of [0, 8, 96, 13]) phone.send(portOf(sdp), payloadType)
    phone.send(portOf(sdp), 107)
    await until(() => frames > 0, 'Sound')
    expect(frames).toBe(1)
  })

  test('goes to the source of three packets if none came from the named address', async () => {
    const [peer, named, real] = [newPeer(), await telephone(), await telephone()]
    const sdp = await answerTo(peer, { media: [`m=audio ${named.port} RTP/AVP 0`] })
    let frames = 0
    peer.onSound = () => frames++
    for (const ssrc of [1, 2, 3, 3]) real.send(portOf(sdp), 0, { ssrc })
    await until(() => frames === 4, 'Sound')
    peer.send(silence)
    await until(() => named.packets.length === 1, 'A packet where they named')
    real.send(portOf(sdp), 0, { ssrc: 3 })
    await until(() => frames === 5, 'More sound')
    peer.send(silence)
    await until(() => real.packets.length === 1, 'A packet where it comes from')
    expect(named.packets).toHaveLength(1)
  })

  test('does not follow a stranger after sound from the named address, or to a forbidden address', async () => {
    const [peer, named, stranger] = [newPeer(), await telephone(), await telephone()]
    const sdp = await answerTo(peer, { media: [`m=audio ${named.port} RTP/AVP 0`] })
    let frames = 0
    peer.onSound = () => frames++
    named.send(portOf(sdp), 0)
    await until(() => frames === 1, 'Their sound')
    for (let i = 0; i < 10; i++) stranger.send(portOf(sdp), 0)
    await settle()
    peer.send(silence)
    await until(() => named.packets.length === 1, 'A packet where they named')

    const guarded = newPeer((ip) => ip === '192.0.2.1')
    const offer = { session: ['c=IN IP4 192.0.2.1'], media: ['m=audio 5006 RTP/AVP 0'] }
    const port = portOf(await answerTo(guarded, offer))
    let heard = 0
    guarded.onSound = () => heard++
    const outsider = await telephone()
    for (let i = 0; i < 5; i++) outsider.send(port, 0)
    await until(() => heard === 5, 'The sound of the outsider')
    guarded.send(silence)
    await settle()
    expect(outsider.packets).toEqual([])
  })
})

describe('digits', () => {
  const media = (port: number) => [`m=audio ${port} RTP/AVP 0 96`, 'a=rtpmap:96 telephone-event/8000', 'a=fmtp:96 0-15']

  test('pressed by the other side are read once, even if packets are repeated', async () => {
    const [peer, phone] = [newPeer(), await telephone()]
    const pressed: string[] = []
    peer.onDigit = (digit) => pressed.push(digit)
    let frames = 0
    peer.onSound = (_, lost) => (frames += 1 + lost)
    const port = portOf(await answerTo(peer, { media: media(phone.port) }))
    phone.send(port, 0)
    for (const [event, timestamp] of [
      [5, 160],
      [5, 2_000],
      [11, 4_000],
      [16, 6_000],
    ] as const)
      for (const flags of [0, 0, 0x80, 0x80, 0x80])
        phone.send(port, 96, { payload: Buffer.from([event, flags | 10, 3, 32]), timestamp })
    phone.send(port, 0)
    await until(() => frames === 2, 'The sound around them, with nothing lost')
    expect(pressed).toEqual(['5', '5', '#'])
  })

  test('pressed by us are events of 160 ms that end three times, between sound', async () => {
    const [peer, phone] = [newPeer(), await telephone()]
    await answerTo(peer, { media: media(phone.port) })
    peer.send(silence)
    let result: unknown
    void peer.sendDigits('7').then((given) => (result = given))
    for (let i = 0; i < 9; i++) peer.send(silence)
    await until(() => phone.packets.length === 12, 'All packets')
    const events = phone.packets.filter((one) => typeOf(one) === 96).map(({ packet }) => packet)
    expect(phone.packets.map(typeOf)).toEqual([0, ...Array.from({ length: 10 }, () => 96), 0])
    expect(events.map((packet) => packet[12])).toEqual(events.map(() => 7))
    expect(new Set(events.map((packet) => packet.readUInt32BE(4))).size).toBe(1)
    const durations = events.map((packet) => packet.readUInt16BE(14))
    expect(durations).toEqual([160, 320, 480, 640, 800, 960, 1_120, 1_280, 1_280, 1_280])
    expect(events.map((packet) => (packet[13] ?? 0) >> 7)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    expect(events.map((packet) => (packet[1] ?? 0) >> 7)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    const sequences = phone.packets.map(({ packet }) => packet.readUInt16BE(2))
    expect(sequences).toEqual(sequences.map((_, i) => (sequences[0] ?? 0) + i))
    expect(result).toBeUndefined()
    // The pause after it belongs to the digit.
    for (let i = 0; i < 4; i++) peer.send(silence)
    await until(() => result !== undefined, 'The end of the digit')
    expect(result).toEqual({ ok: true })
  })

  test('are not sent to a side that accepts none', async () => {
    const peer = newPeer()
    await answerTo(peer, { media: ['m=audio 5006 RTP/AVP 0'] })
    expect(await peer.sendDigits('1')).toEqual({ ok: false, why: 'no_digits' })
  })
})
