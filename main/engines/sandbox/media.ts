import type { MediaType } from '../../contract/shapes.ts'
import type { InsideRequest, OutboundAnswer } from '../../kernel/outbound.ts'
import { sampleMp4 } from './samples/mp4.ts'
import { sampleOgg } from './samples/ogg.ts'
import { samplePdf } from './samples/pdf.ts'
import { samplePng } from './samples/png.ts'

/** Where the sample files lie; answered inside the service. */
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
const HUGE_BYTES = 200 * 1024 * 1024

/** Answers for `media.sandbox`. */
export async function answerMedia({ url }: InsideRequest): Promise<OutboundAnswer> {
  const name = url.pathname.slice(1)
  if (name === 'huge') return file('image/png', HUGE_BYTES, Buffer.alloc(1), true)
  const type = typeNamed(name)
  if (type === undefined) return notFound()
  const { mimeType, bytes } = sampleOf(type)
  return file(mimeType, bytes.length, bytes, false)
}

function typeNamed(name: string): MediaType | undefined {
  for (const [type, source] of Object.entries(SOURCES)) if (source.name === name) return type as MediaType
  return undefined
}

const file = (mimeType: string, length: number, body: Buffer, truncated: boolean): OutboundAnswer => ({
  kind: 'response',
  status: 200,
  headers: { 'content-type': mimeType, 'content-length': String(length) },
  body,
  truncated,
  remoteIp: null,
})

const notFound = (): OutboundAnswer => ({
  kind: 'response',
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from('media.sandbox has image.png, audio.ogg, video.mp4, document.pdf and huge.'),
  truncated: false,
  remoteIp: null,
})
