import { LIMITS } from '../../contract/limits.ts'
import type { MediaType } from '../../contract/shapes.ts'
import type { SimulatedRequest, OutboundAnswer } from '../../kernel/outbound.ts'
import { sampleMp4 } from './samples/mp4.ts'
import { sampleOgg } from './samples/ogg.ts'
import { samplePdf } from './samples/pdf.ts'
import { samplePng } from './samples/png.ts'
import { sampleWebp } from './samples/webp.ts'

/** The host of the sample files, answered inside the service. */
export const MEDIA_HOST = 'media.sandbox'

export interface Sample {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Buffer
}

const SOURCES = {
  image: { name: 'image.png', mimeType: 'image/png', make: samplePng },
  audio: { name: 'audio.ogg', mimeType: 'audio/ogg', make: sampleOgg },
  video: { name: 'video.mp4', mimeType: 'video/mp4', make: sampleMp4 },
  document: { name: 'document.pdf', mimeType: 'application/pdf', make: samplePdf },
} as const satisfies Record<MediaType, { name: string; mimeType: string; make: () => Buffer }>

const made = new Map<MediaType, Sample>()

/** The genuine small file of a kind, made when it is first asked for. */
export function sampleOf(type: MediaType): Sample {
  const known = made.get(type)
  if (known !== undefined) return known
  const { name, mimeType, make } = SOURCES[type]
  const sample = { name, mimeType, bytes: make() }
  made.set(type, sample)
  return sample
}

/** The kind of the sample at an address of `media.sandbox`; undefined for any other address. */
export function sampleTypeAt(url: string): MediaType | undefined {
  const address = URL.parse(url)
  if (address?.protocol !== 'https:' || address.host !== MEDIA_HOST) return undefined
  return typeNamed(address.pathname.slice(1))
}

/** Larger than any file a message may carry. */
const HUGE_BYTES = Math.max(...Object.values(LIMITS.mediaMegabytes)) * 1024 * 1024 + 1

/** Answers for `media.sandbox`. */
export async function answerMedia({ url }: SimulatedRequest): Promise<OutboundAnswer> {
  const name = url.pathname.slice(1)
  // Unread zeros take no memory; the client stops at its own limit.
  if (name === 'huge') return file('image/png', Buffer.alloc(HUGE_BYTES))
  if (name === 'sticker.webp') return file('image/webp', sampleWebp())
  const type = typeNamed(name)
  if (type === undefined) return notFound()
  const { mimeType, bytes } = sampleOf(type)
  return file(mimeType, bytes)
}

function typeNamed(name: string): MediaType | undefined {
  for (const [type, source] of Object.entries(SOURCES)) if (source.name === name) return type as MediaType
  return undefined
}

const file = (mimeType: string, body: Buffer): OutboundAnswer => ({
  kind: 'response',
  status: 200,
  headers: { 'content-type': mimeType, 'content-length': String(body.length) },
  body,
  truncated: false,
  remoteIp: null,
})

const notFound = (): OutboundAnswer => ({
  kind: 'response',
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from('media.sandbox has image.png, audio.ogg, video.mp4, document.pdf, sticker.webp and huge.'),
  truncated: false,
  remoteIp: null,
})
