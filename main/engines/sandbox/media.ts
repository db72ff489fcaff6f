import { LIMITS } from '../../contract/limits.ts'
import type { MediaType } from '../../contract/shapes.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { SimulatedRequest, OutboundAnswer } from '../../outbound/outbound.ts'
import SAMPLES from './samples.json' with { type: 'json' }

/** Larger files are not kept: a simulated network must not fill the disk. */
export const KEPT_BYTES = 16 * 1024 * 1024

/** The host of the sample files, answered inside the service. */
export const MEDIA_HOST = 'media.sandbox'

export interface Sample {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Buffer
}

const sample = (name: keyof typeof SAMPLES, mimeType: string): Sample => ({
  name,
  mimeType,
  bytes: Buffer.from(SAMPLES[name], 'base64'),
})

/** Genuine small files: 64 × 64 pixels, a second of silence, a second of video and one page. */
const SAMPLE_OF: Readonly<Record<MediaType, Sample>> = {
  image: sample('image.png', 'image/png'),
  audio: sample('audio.ogg', 'audio/ogg'),
  video: sample('video.mp4', 'video/mp4'),
  document: sample('document.pdf', 'application/pdf'),
}
const STICKER = sample('sticker.webp', 'image/webp')
/** In the form that account/picture and group/picture accept. */
const PICTURE = sample('picture.jpg', 'image/jpeg')

/** The sample of a kind. */
export const sampleOf = (type: MediaType): Sample => SAMPLE_OF[type]

/** The kind of the sample at an address of `media.sandbox`; undefined for any other address. */
export function sampleTypeAt(url: string): MediaType | undefined {
  const address = URL.parse(url)
  if (address?.protocol !== 'https:' || address.host !== MEDIA_HOST) return undefined
  return typeNamed(address.pathname.slice(1))
}

/** Larger than the largest file a message may carry. */
const HUGE_BYTES = Math.max(...Object.values(LIMITS.mediaMegabytes)) * 1024 * 1024 + 1

/**
 * Answers for `media.sandbox`.
 * @param picture finds a picture that a number or a group shows.
 */
export async function answerMedia(
  { url, accountId }: SimulatedRequest,
  picture: (accountId: AccountId, name: string) => Promise<Buffer | undefined>,
): Promise<OutboundAnswer> {
  const name = url.pathname.slice(1)
  const shown = await picture(accountId, name)
  if (shown) return file('image/jpeg', shown)
  // Zeroed memory that is not read costs nothing; the client stops at its own limit.
  if (name === 'huge') return file('image/png', Buffer.alloc(HUGE_BYTES))
  for (const { name: its, mimeType, bytes } of [STICKER, PICTURE]) if (name === its) return file(mimeType, bytes)
  const type = typeNamed(name)
  if (type === undefined) return notFound()
  const { mimeType, bytes } = sampleOf(type)
  return file(mimeType, bytes)
}

function typeNamed(name: string): MediaType | undefined {
  for (const [type, sample] of Object.entries(SAMPLE_OF)) if (sample.name === name) return type as MediaType
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
  body: Buffer.from(
    'media.sandbox has image.png, audio.ogg, video.mp4, document.pdf, sticker.webp, picture.jpg and huge.',
  ),
  truncated: false,
  remoteIp: null,
})
