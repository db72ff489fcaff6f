import type { Readable } from 'node:stream'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Outgoing } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { MediaConverter } from '../../kernel/media-converter.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Files, TemporaryFile } from '../../kernel/files.ts'
import { BrokenBody, type Outbound, type OutboundFailure, type OutboundStream } from '../../outbound/outbound.ts'
import { convertMedia, type MediaFile } from './convert.ts'
import type { MediaDraft } from './draft.ts'
import type { SharedFiles } from './shared-files.ts'
import type { Uploads } from './uploads.ts'

/** The only way out for addresses that callers chose. */
export type MediaSource = Pick<Outbound, 'checkUrl' | 'open' | 'request'>

const MEGABYTE = 1024 * 1024
const FETCH_MS = 10_000

/** Whatever type the file turns out to have. */
export const largestBytes = ({ mediaType }: MediaDraft): number =>
  Math.max(LIMITS.mediaMegabytes[mediaType], mediaType === 'sticker' ? LIMITS.mediaMegabytes.image : 0) * MEGABYTE

interface FetchDeps {
  readonly outbound: MediaSource
  readonly clock: Clock
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly converter: Pick<MediaConverter, 'convert'>
  readonly uploads: Pick<Uploads, 'get'>
  readonly sharedFiles: SharedFiles
}

/** A file on its way out. */
interface FetchedMedia {
  readonly out: Extract<Outgoing, { kind: 'media' }>
  readonly file: Pick<MediaFile, 'remove'>
}

/**
 * The file of a media message, as it is sent: what was uploaded, or what lies at an address, fetched to disk under the
 * egress guard. Nothing is stored before.
 * @param campaignId whose sends share what they fetch; null for a send of its own
 * @returns the file too, which the caller removes.
 * @throws ApiError invalid_url when the address is malformed or not public; not_found for an unknown upload;
 * validation_error when the address does not answer with a file of the right type and size in ten seconds, or the file
 * cannot be converted; service_unavailable when too many files are being converted. The response of the other side is
 * never passed on.
 */
export async function resolveMedia(
  deps: FetchDeps,
  draft: MediaDraft,
  accountId: AccountId,
  campaignId: string | null = null,
): Promise<FetchedMedia> {
  const { source } = draft
  const found =
    'url' in source
      ? await fetchedFile(deps, draft, source.url, { accountId, campaignId })
      : await uploadedFile(deps, draft, source.mediaId, accountId)
  const { mimeType, content, loudness, remove } = await convertMedia(deps, draft, accountId, found)
  const { to, mediaType, caption, filename, isGif } = draft
  const about = { to, mediaType, mimeType, caption, ...(isGif && { isGif }), ...(loudness && { loudness }) }
  const ownName = mediaType === 'document' ? (found.name ?? null) : null
  return { out: { kind: 'media', ...about, filename: filename ?? ownName, content }, file: { remove } }
}

/** For a campaign, a file is fetched once and not for each of ten thousand people. */
function fetchedFile(
  deps: FetchDeps,
  draft: MediaDraft,
  url: string,
  { accountId, campaignId }: { readonly accountId: AccountId; readonly campaignId: string | null },
): Promise<MediaFile> {
  const fetch = () => fetchFile(deps, draft, url, accountId)
  if (campaignId === null) return fetch()
  return deps.sharedFiles.take(JSON.stringify([campaignId, draft.mediaType, draft.isGif, url]), fetch)
}

async function uploadedFile(
  { uploads }: FetchDeps,
  draft: MediaDraft,
  mediaId: string,
  accountId: AccountId,
): Promise<MediaFile> {
  const content = await uploads.get(accountId, mediaId)
  const { mimeType, size, name } = content
  if (!fits(mimeType, draft)) throw unsuitable(`is ${mimeType}, which does not match media_type ${draft.mediaType}`)
  const limit = megabytesOf(mimeType, draft)
  if (size > limit * MEGABYTE) throw unsuitable(tooLarge(limit, draft))
  // It stays until it expires.
  return { mimeType, content, name, remove: () => Promise.resolve() }
}

async function fetchFile(
  { outbound, clock, files }: FetchDeps,
  draft: MediaDraft,
  address: string,
  accountId: AccountId,
): Promise<MediaFile> {
  const url = await outbound.checkUrl(address, { schemes: ['http', 'https'], field: 'media_url' })
  return inTime(clock, async (signal) => {
    const answer = await outbound.open({
      url: url.href,
      method: 'GET',
      headers: { accept: '*/*' },
      headersTimeoutMs: FETCH_MS,
      bodyTimeoutMs: FETCH_MS,
      maxBodyBytes: largestBytes(draft),
      signal,
      from: { accountId },
    })
    if (answer.kind === 'failure') throw unreachable(answer)
    try {
      const mimeType = typeOf(answer, draft)
      const content = await fileOf(answer.body, draft, mimeType, files)
      return { mimeType, content, remove: content.remove }
    } finally {
      answer.body.destroy()
    }
  })
}

/** The limits of a request are for its head and its body apart; this one is for both together. */
async function inTime<T>(clock: Clock, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const limit = startTimeout(clock, FETCH_MS, () => controller.abort())
  try {
    return await act(controller.signal)
  } finally {
    limit.cancel()
  }
}

function typeOf({ status, headers }: Pick<OutboundStream, 'status' | 'headers'>, draft: MediaDraft): string {
  if (status < 200 || status > 299)
    throw refused(`answered ${status}${status < 400 ? '; redirects are not followed' : ''}`)
  const mimeType = mimeOf(headers['content-type'])
  if (!fits(mimeType, draft)) throw refused(`returned ${mimeType}, which does not match media_type ${draft.mediaType}`)
  return mimeType
}

async function fileOf(
  body: Readable,
  draft: MediaDraft,
  mimeType: string,
  files: FetchDeps['files'],
): Promise<TemporaryFile> {
  const limit = megabytesOf(mimeType, draft)
  const file = await files.storeTemporarily(body, limit * MEGABYTE).catch((error: unknown) => {
    const isCut = error instanceof BrokenBody
    const isTooLarge = isCut
      ? error.reason === 'too_large'
      : error instanceof ApiError && error.code === 'payload_too_large'
    if (isTooLarge) throw refused(tooLarge(limit, draft))
    throw isCut ? refused(TOO_SLOW) : error
  })
  if (file.size > 0) return file
  await file.remove()
  throw refused('returned an empty file')
}

/** A picture becomes a sticker, and may be larger than one. */
const megabytesOf = (mimeType: string, { mediaType }: MediaDraft): number =>
  LIMITS.mediaMegabytes[mediaType === 'sticker' && mimeType !== 'image/webp' ? 'image' : mediaType]

const tooLarge = (megabytes: number, { mediaType }: MediaDraft): string =>
  `is larger than ${megabytes} MB, the maximum for ${mediaType}`

function fits(mimeType: string, { mediaType, isGif }: MediaDraft): boolean {
  if (mediaType === 'document') return true
  if (mediaType === 'sticker') return STICKERS.has(mimeType)
  if (isGif && mimeType === 'image/gif') return true
  // Ogg files are audio unless they say otherwise, and many servers name only the container.
  return mimeType.startsWith(`${mediaType}/`) || (mediaType === 'audio' && mimeType === 'application/ogg')
}

const STICKERS: ReadonlySet<string> = new Set(['image/webp', 'image/png', 'image/jpeg', 'image/gif'])

const MIME = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/

function mimeOf(header: string | undefined): string {
  const mimeType = (header?.split(';', 1)[0] ?? '').trim().toLowerCase()
  return MIME.test(mimeType) ? mimeType : 'application/octet-stream'
}

const TOO_SLOW = `did not return the whole file within ${FETCH_MS / 1_000} seconds`

const UNREACHABLE: Record<OutboundFailure['stage'], string> = {
  blocked: 'is not a public address',
  dns: 'has an unknown host name',
  connect: 'cannot be reached',
  tls: 'has an untrusted certificate',
  protocol: 'did not answer with HTTP',
  timeout: TOO_SLOW,
}

function unreachable({ stage, code }: OutboundFailure): ApiError {
  if (stage === 'blocked')
    return new ApiError('invalid_url', `media_url ${UNREACHABLE.blocked}. Nothing was sent.`).because(
      'url_not_public',
      { field: 'media_url' },
    )
  return refused(code === 'aborted' ? TOO_SLOW : UNREACHABLE[stage])
}

const refused = (fault: string) =>
  new ApiError('validation_error', `media_url ${fault}. Nothing was sent.`).because('file_unusable')
const unsuitable = (fault: string) =>
  new ApiError('validation_error', `The file of media_id ${fault}. Nothing was sent.`).because('file_unusable')
