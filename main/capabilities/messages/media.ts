import type { Readable } from 'node:stream'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Engine } from '../../contract/shapes.ts'
import type { Outgoing } from '../../engines/engine.ts'
import { safeFilename } from '../../engines/safe-filename.ts'
import type { Clock } from '../../kernel/clock.ts'
import { filenameOf } from '../../kernel/content-disposition.ts'
import { fileTypeOf, typeOfName } from '../../kernel/file-type.ts'
import type { MediaConverter } from '../../kernel/media-converter.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Files, TemporaryFile } from '../../kernel/files.ts'
import { BrokenBody, type Outbound, type OutboundFailure, type OutboundStream } from '../../outbound/outbound.ts'
import { convertMedia, headOf, type MediaFile } from './convert.ts'
import type { MediaDraft } from './draft.ts'
import { directDownload, pageFault } from './share-links.ts'
import type { SharedFiles } from './shared-files.ts'
import type { Uploads } from './uploads.ts'

/** The only way out for addresses that callers chose. */
export type MediaSource = Pick<Outbound, 'checkUrl' | 'open' | 'request'>

const MEGABYTE = 1024 * 1024
const FETCH_MS = 10_000
const MOST_REDIRECTS = 5

/** Any type that the file turns out to have. */
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
  { accountId, engine }: { readonly accountId: AccountId; readonly engine: Engine },
  campaignId: string | null = null,
): Promise<FetchedMedia> {
  const { source } = draft
  const found =
    'url' in source
      ? await fetchedFile(deps, draft, source.url, { accountId, campaignId })
      : await uploadedFile(deps, draft, source.mediaId, accountId)
  const { mimeType, content, isVoice, loudness, remove } = await convertMedia(deps, draft, { accountId, engine }, found)
  const { to, mediaType, caption, filename, isGif } = draft
  const sound = { ...(isVoice && { isVoice }), ...(loudness && { loudness }) }
  const about = { to, mediaType, mimeType, caption, ...(isGif && { isGif }), ...sound }
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
  const { size, name } = content
  const mimeType = fileTypeOf({ head: await headOf(content), declared: content.mimeType, name })
  if (!fits(mimeType, draft)) throw unsuitable(`is ${mimeType}, which does not match media_type ${draft.mediaType}`)
  const limit = megabytesOf(mimeType, draft)
  if (size > limit * MEGABYTE) throw unsuitable(tooLarge(limit, draft))
  // The upload is kept until it expires.
  return { mimeType, content, name, remove: () => Promise.resolve() }
}

/** A response, and the address that it came from. */
interface Found {
  readonly answer: OutboundStream
  readonly url: string
}

type ShareService = NonNullable<ReturnType<typeof directDownload>>['service']

async function fetchFile(
  deps: FetchDeps,
  draft: MediaDraft,
  address: string,
  accountId: AccountId,
): Promise<MediaFile> {
  const shared = directDownload(address)
  return inTime(deps.clock, async (signal) => {
    const found = await openFile(
      deps,
      draft,
      { address: shared?.url ?? address, accountId, signal },
      shared !== undefined,
    )
    try {
      return await receiveFile(deps, draft, found, shared?.service)
    } finally {
      found.answer.body.destroy()
    }
  })
}

interface Opening {
  readonly address: string
  readonly accountId: AccountId
  readonly signal: AbortSignal
}

/** Share links lead to their files by redirects, each of which the guard checks. Other addresses are called as given. */
async function openFile(
  { outbound }: FetchDeps,
  draft: MediaDraft,
  { address, accountId, signal }: Opening,
  isShared: boolean,
): Promise<Found> {
  let next = address
  for (let redirects = 0; ; redirects++) {
    const url = await outbound.checkUrl(next, { schemes: isShared ? ['https'] : ['http', 'https'], field: 'media_url' })
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
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers['location'] : undefined
    const target = location === undefined ? null : URL.parse(location, url)
    if (!isShared || target === null || redirects === MOST_REDIRECTS) return { answer, url: url.href }
    answer.body.destroy()
    next = target.href
  }
}

async function receiveFile(
  { files }: FetchDeps,
  draft: MediaDraft,
  { answer, url }: Found,
  service: ShareService | undefined,
): Promise<MediaFile> {
  const { status, headers } = answer
  const declared = headers['content-type']
  if (status < 200 || status > 299) {
    if (service !== undefined && status >= 400 && status < 404) throw refused(pageFault(service, url, 'sign in'))
    throw refused(`answered ${status}${status < 400 ? '; redirects are not followed' : ''}`)
  }
  const name = safeFilename(filenameOf(headers['content-disposition'])) ?? nameOfUrl(url)
  const content = await fileOf(answer.body, draft, files)
  try {
    const head = await headOf(content)
    const mimeType = fileTypeOf({ head, declared, name })
    if (isPage(mimeType, draft, name)) throw refused(pageFault(service, url, head.toString('utf8')))
    if (!fits(mimeType, draft))
      throw refused(`returned ${mimeType}, which does not match media_type ${draft.mediaType}`)
    const limit = megabytesOf(mimeType, draft)
    if (content.size > limit * MEGABYTE) throw refused(tooLarge(limit, draft))
    return { mimeType, content, name, remove: content.remove }
  } catch (error) {
    await content.remove()
    throw error
  }
}

/** A web page is a file only where its name says so. */
const isPage = (mimeType: string, { mediaType }: MediaDraft, name: string | null): boolean =>
  mimeType === 'text/html' && mediaType === 'document' && typeOfName(name) !== 'text/html'

/** The last part of the address's path: what a browser would save the file as. */
function nameOfUrl(url: string): string | null {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return safeFilename(decodeURIComponent(last))
  } catch {
    return safeFilename(last)
  }
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

async function fileOf(body: Readable, draft: MediaDraft, files: FetchDeps['files']): Promise<TemporaryFile> {
  const mostBytes = largestBytes(draft)
  const file = await files.storeTemporarily(body, mostBytes).catch((error: unknown) => {
    const isCut = error instanceof BrokenBody
    const isTooLarge = isCut
      ? error.reason === 'too_large'
      : error instanceof ApiError && error.code === 'payload_too_large'
    if (isTooLarge) throw refused(tooLarge(mostBytes / MEGABYTE, draft))
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

function fits(mimeType: string, { mediaType, isGif, isVoice }: MediaDraft): boolean {
  if (mediaType === 'document') return true
  if (mediaType === 'sticker') return STICKERS.has(mimeType)
  if (isGif && mimeType === 'image/gif') return true
  // Browsers record sound into the containers of films.
  if (isVoice && RECORDINGS.has(mimeType)) return true
  return mimeType.startsWith(`${mediaType}/`)
}

const STICKERS: ReadonlySet<string> = new Set(['image/webp', 'image/png', 'image/jpeg', 'image/gif'])
const RECORDINGS: ReadonlySet<string> = new Set(['video/mp4', 'video/webm', 'video/3gpp'])

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
