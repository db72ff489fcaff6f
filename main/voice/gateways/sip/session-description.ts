/* oxlint-disable typescript/no-unnecessary-type-conversion -- sdp-transform returns numbers where its types say string. */
import { isIP } from 'node:net'
import { parse } from 'sdp-transform'
import { FRAME_MS } from '../../audio.ts'
import { PCMA, PCMU, type G711 } from './g711.ts'

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

/** DTMF as RTP events (RFC 4733). */
export interface DigitEvents {
  readonly payloadType: number
  /** The events of its `fmtp`, such as `0-15`. */
  readonly events: string
}

/** The audio stream that the other side describes and that we can use. */
export interface RemoteAudio {
  /** null: the other side put the call on hold as in RFC 2543, without an address. */
  readonly address: string | null
  readonly port: number
  readonly codec: G711
  /** The payload type that the other side uses for the codec. */
  readonly payloadType: number
  readonly digits: DigitEvents | null
  readonly packetMs: number
  /** The direction that is allowed for us, opposite to the other side's. */
  readonly direction: Direction
  /** All media lines in order, for the answer. */
  readonly lines: readonly MediaLine[]
}

interface MediaLine {
  readonly type: string
  readonly protocol: string
  readonly formats: string
  readonly isAccepted: boolean
}

/** Our receiving address. */
export interface LocalAudio {
  readonly sessionId: number
  readonly version: number
  readonly address: string
  readonly port: number
}

type Media = ReturnType<typeof parse>['media'][number]

const NAMES: ReadonlyMap<string, G711> = new Map([
  ['PCMU', PCMU],
  ['PCMA', PCMA],
])
const nameOf = (codec: G711): string => (codec === PCMU ? 'PCMU' : 'PCMA')

export const DIGITS_OFFERED: DigitEvents = { payloadType: 101, events: '0-15' }

/** AVPF adds optional RTCP feedback (RFC 4585). Other profiles encrypt. */
const PROTOCOLS: ReadonlySet<string> = new Set(['RTP/AVP', 'RTP/AVPF'])
const HIGHEST_PORT = 65_535
const NO_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
const LONGEST_PACKET_MS = 60
const SHORTEST_PACKET_MS = 10

const MIRRORED = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
} as const satisfies Record<Direction, Direction>

/** Used when there is no address to send to. */
const WITHOUT_SENDING = {
  sendrecv: 'recvonly',
  sendonly: 'inactive',
  recvonly: 'recvonly',
  inactive: 'inactive',
} as const satisfies Record<Direction, Direction>

/** The remaining direction while we keep the other side on hold (RFC 3264, section 8.4). */
export const WITHOUT_RECEIVING = {
  sendrecv: 'sendonly',
  sendonly: 'sendonly',
  recvonly: 'inactive',
  inactive: 'inactive',
} as const satisfies Record<Direction, Direction>

export const maySend = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'sendonly'
export const mayReceive = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'recvonly'

/** @returns undefined if it has no audio stream that we can decode (RFC 3264, section 6). */
export function readAudio(sdp: string): RemoteAudio | undefined {
  const session = parse(sdp)
  const { media } = session
  if (media.some(({ type, protocol }) => !type || !protocol)) return undefined
  const at = media.findIndex((one) => isUsable(one))
  const audio = media[at]
  if (audio === undefined) return undefined
  const format = formatOf(audio)
  const address = (audio.connection ?? session.connection)?.ip
  if (format === undefined || address === undefined) return undefined
  const direction = MIRRORED[audio.direction ?? session.direction ?? 'sendrecv']
  const isWithoutAddress = NO_ADDRESS.has(String(address))
  return {
    ...format,
    address: isWithoutAddress ? null : String(address),
    port: audio.port,
    digits: digitsOf(audio),
    packetMs: packetMsOf(audio),
    direction: isWithoutAddress ? WITHOUT_SENDING[direction] : direction,
    lines: media.map(({ type, protocol, payloads }, i) => ({
      ...{ type, protocol, formats: String(payloads ?? '0'), isAccepted: i === at },
    })),
  }
}

function isUsable(media: Media): boolean {
  const { type, port, protocol } = media
  const isReachable = port > 0 && port <= HIGHEST_PORT
  return type === 'audio' && PROTOCOLS.has(protocol) && isReachable && formatOf(media) !== undefined
}

const numbersOf = ({ payloads }: Media): number[] =>
  String(payloads ?? '')
    .split(' ')
    .map(Number)

/** The first of their codecs that we support: they are listed in order of preference. */
function formatOf(media: Media): Pick<RemoteAudio, 'codec' | 'payloadType'> | undefined {
  for (const payloadType of numbersOf(media)) {
    const codec = codecOf(media, payloadType)
    if (codec !== undefined) return { codec, payloadType }
  }
  return undefined
}

function codecOf({ rtp }: Media, payloadType: number): G711 | undefined {
  const named = rtp.find(({ payload }) => payload === payloadType)
  if (named === undefined) return [PCMU, PCMA].find((codec) => codec.payloadType === payloadType)
  return named.rate === 8_000 ? NAMES.get(String(named.codec).toUpperCase()) : undefined
}

function digitsOf(media: Media): DigitEvents | null {
  const offered = new Set(numbersOf(media))
  const named = media.rtp.find(
    ({ payload, codec, rate }) =>
      offered.has(payload) && String(codec).toLowerCase() === 'telephone-event' && rate === 8_000,
  )
  if (named === undefined) return null
  const events = String(media.fmtp.find(({ payload }) => payload === named.payload)?.config ?? '')
  return { payloadType: named.payload, events: /^[\d,-]+$/.test(events) ? events : DIGITS_OFFERED.events }
}

function packetMsOf({ ptime, maxptime }: Media): number {
  const wanted = Math.min(Number(ptime) || FRAME_MS, Number(maxptime) || LONGEST_PACKET_MS)
  const whole = Math.floor(wanted / SHORTEST_PACKET_MS) * SHORTEST_PACKET_MS
  return Math.max(SHORTEST_PACKET_MS, Math.min(LONGEST_PACKET_MS, whole))
}

/** One media line for each of theirs, in the same order; refused ones have port 0. */
export function writeAnswer(remote: RemoteAudio, local: LocalAudio): string {
  const { codec, payloadType, digits, packetMs, direction } = remote
  const numbers = [payloadType, ...(digits === null ? [] : [digits.payloadType])].join(' ')
  const media = remote.lines.flatMap(({ type, protocol, formats, isAccepted }) =>
    isAccepted
      ? [
          `m=${type} ${local.port} ${protocol} ${numbers}`,
          ...formatLines([[payloadType, codec]], digits),
          `a=ptime:${packetMs}`,
          `a=${direction}`,
        ]
      : [`m=${type} 0 ${protocol} ${formats}`],
  )
  return write(local, media)
}

/** @param before the current agreement, whose payload types keep their meaning (RFC 3264, section 8.3.2). */
export function writeOffer(local: LocalAudio, before: RemoteAudio | undefined, direction: Direction): string {
  const digits = before?.digits ?? DIGITS_OFFERED
  const formats = formatsOffered(before)
  return write(local, [
    `m=audio ${local.port} RTP/AVP ${[...formats.map(([number]) => number), digits.payloadType].join(' ')}`,
    ...formatLines(formats, digits),
    `a=ptime:${before?.packetMs ?? FRAME_MS}`,
    `a=${direction}`,
  ])
}

/** The payload types in our offer. */
export function formatsOffered(before: RemoteAudio | undefined): readonly (readonly [number, G711])[] {
  const agreed = before === undefined ? [] : [[before.payloadType, before.codec] as const]
  const others = [PCMU, PCMA].filter((codec) => codec !== before?.codec)
  return [...agreed, ...others.map((codec) => [codec.payloadType, codec] as const)]
}

const formatLines = (formats: readonly (readonly [number, G711])[], digits: DigitEvents | null): string[] => [
  ...formats.map(([number, codec]) => `a=rtpmap:${number} ${nameOf(codec)}/8000`),
  ...(digits === null
    ? []
    : [`a=rtpmap:${digits.payloadType} telephone-event/8000`, `a=fmtp:${digits.payloadType} ${digits.events}`]),
]

function write({ sessionId, version, address }: LocalAudio, media: readonly string[]): string {
  const family = isIP(address) === 6 ? 'IP6' : 'IP4'
  return [
    ...['v=0', `o=- ${sessionId} ${version} IN ${family} ${address}`, 's=-', `c=IN ${family} ${address}`, 't=0 0'],
    ...media,
    '',
  ].join('\r\n')
}
