import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Outgoing } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Outbound, OutboundAnswer, OutboundFailure } from '../../kernel/outbound.ts'
import type { MediaDraft } from './draft.ts'

/** The only way out for addresses that callers chose. */
export type MediaSource = Pick<Outbound, 'checkUrl' | 'request'>

const MEGABYTE = 1024 * 1024
const FETCH_MS = 10_000

export const largestBytes = (draft: MediaDraft): number => LIMITS.mediaMegabytes[draft.mediaType] * MEGABYTE

/**
 * Fetches the file of a media message, under the egress guard, before anything is stored.
 * @throws ApiError invalid_url when the address is malformed or not public; validation_error when it does not answer
 * with a file of the right type and size in ten seconds. The response of the other side is never passed on.
 */
export async function fetchMedia(
  { outbound, clock }: { outbound: MediaSource; clock: Clock },
  draft: MediaDraft,
  accountId: AccountId,
): Promise<Extract<Outgoing, { kind: 'media' }>> {
  const url = await outbound.checkUrl(draft.url, { schemes: ['http', 'https'], field: 'media_url' })
  const answer = await inTime(clock, (signal) =>
    outbound.request({
      url: url.href,
      method: 'GET',
      headers: { accept: '*/*' },
      headersTimeoutMs: FETCH_MS,
      bodyTimeoutMs: FETCH_MS,
      maxBodyBytes: largestBytes(draft),
      signal,
      from: { accountId },
    }),
  )
  const { to, mediaType, caption, filename } = draft
  return { kind: 'media', to, mediaType, caption, filename, ...fileOf(answer, draft) }
}

/** The limits of a request are for its head and its body apart; this one is for both together. */
async function inTime(
  clock: Clock,
  request: (signal: AbortSignal) => Promise<OutboundAnswer>,
): Promise<OutboundAnswer> {
  const controller = new AbortController()
  const limit = startTimeout(clock, FETCH_MS, () => controller.abort())
  try {
    return await request(controller.signal)
  } finally {
    limit.cancel()
  }
}

function fileOf(answer: OutboundAnswer, draft: MediaDraft): { mimeType: string; bytes: Buffer } {
  if (answer.kind === 'failure') throw unreachable(answer)
  const { status, headers, body, truncated } = answer
  if (status < 200 || status > 299)
    throw refused(`answered ${status}${status < 400 ? '; redirects are not followed' : ''}`)
  if (truncated && body.length < largestBytes(draft)) throw refused(TOO_SLOW)
  if (truncated)
    throw refused(`is larger than ${LIMITS.mediaMegabytes[draft.mediaType]} MB, the maximum for ${draft.mediaType}`)
  if (body.length === 0) throw refused('returned an empty file')
  const mimeType = mimeOf(headers['content-type'])
  if (!fits(mimeType, draft)) throw refused(`returned ${mimeType}, which does not match media_type ${draft.mediaType}`)
  return { mimeType, bytes: body }
}

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
