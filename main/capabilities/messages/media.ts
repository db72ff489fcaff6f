import type { Readable } from 'node:stream'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Outgoing } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Files, TemporaryFile } from '../../kernel/files.ts'
import { BrokenBody, type Outbound, type OutboundFailure, type OutboundStream } from '../../kernel/outbound.ts'
import type { MediaDraft } from './draft.ts'

/** The only way out for addresses that callers chose. */
export type MediaSource = Pick<Outbound, 'checkUrl' | 'open' | 'request'>

const MEGABYTE = 1024 * 1024
const FETCH_MS = 10_000

export const largestBytes = (draft: MediaDraft): number => LIMITS.mediaMegabytes[draft.mediaType] * MEGABYTE

interface FetchDeps {
  readonly outbound: MediaSource
  readonly clock: Clock
  readonly files: Pick<Files, 'storeTemporarily'>
}

/** A file on its way out. */
interface FetchedMedia {
  readonly out: Extract<Outgoing, { kind: 'media' }>
  readonly file: TemporaryFile
}

/**
 * Fetches the file of a media message to disk, under the egress guard, before anything is stored.
 * @returns the file too, which the caller removes.
 * @throws ApiError invalid_url when the address is malformed or not public; validation_error when it does not answer
 * with a file of the right type and size in ten seconds. The response of the other side is never passed on.
 */
export async function fetchMedia(
  { outbound, clock, files }: FetchDeps,
  draft: MediaDraft,
  accountId: AccountId,
): Promise<FetchedMedia> {
  const url = await outbound.checkUrl(draft.url, { schemes: ['http', 'https'], field: 'media_url' })
  const { mimeType, file } = await inTime(clock, async (signal) => {
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
      return { mimeType: typeOf(answer, draft), file: await fileOf(answer.body, draft, files) }
    } finally {
      answer.body.destroy()
    }
  })
  const { to, mediaType, caption, filename, isGif } = draft
  return {
    out: { kind: 'media', to, mediaType, mimeType, content: file, caption, filename, ...(isGif && { isGif }) },
    file,
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

function typeOf({ status, headers }: Pick<OutboundStream, 'status' | 'headers'>, draft: MediaDraft): string {
  if (status < 200 || status > 299)
    throw refused(`answered ${status}${status < 400 ? '; redirects are not followed' : ''}`)
  const mimeType = mimeOf(headers['content-type'])
  if (!fits(mimeType, draft)) throw refused(`returned ${mimeType}, which does not match media_type ${draft.mediaType}`)
  return mimeType
}

async function fileOf(body: Readable, draft: MediaDraft, files: FetchDeps['files']): Promise<TemporaryFile> {
  const file = await files.storeTemporarily(body, largestBytes(draft)).catch((error: unknown) => {
    throw error instanceof BrokenBody ? refused(brokenOff(error, draft)) : error
  })
  if (file.size > 0) return file
  await file.remove()
  throw refused('returned an empty file')
}

const brokenOff = ({ reason }: BrokenBody, { mediaType }: MediaDraft): string =>
  reason === 'too_large'
    ? `is larger than ${LIMITS.mediaMegabytes[mediaType]} MB, the maximum for ${mediaType}`
    : TOO_SLOW

function fits(mimeType: string, { mediaType }: MediaDraft): boolean {
  if (mediaType === 'document') return true
  if (mediaType === 'sticker') return mimeType === 'image/webp'
  // Ogg files are audio unless they say otherwise, and many servers name only the container.
  return mimeType.startsWith(`${mediaType}/`) || (mediaType === 'audio' && mimeType === 'application/ogg')
}

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
  if (stage === 'blocked') return new ApiError('invalid_url', `media_url ${UNREACHABLE.blocked}. Nothing was sent.`)
  return refused(code === 'aborted' ? TOO_SLOW : UNREACHABLE[stage])
}

const refused = (fault: string) => new ApiError('validation_error', `media_url ${fault}. Nothing was sent.`)
