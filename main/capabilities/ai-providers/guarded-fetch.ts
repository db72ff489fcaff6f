import type { Readable } from 'node:stream'
import { BrokenBody, type Outbound, type OutboundFailure } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { pacedBody } from './paced-body.ts'

/** The provider was not reached, or stopped responding. The message contains no text from the provider. */
export class NotReached extends Error {
  readonly failure: Pick<OutboundFailure, 'stage' | 'code'>

  constructor(failure: Pick<OutboundFailure, 'stage' | 'code' | 'message'>) {
    super(failure.message)
    this.name = 'NotReached'
    this.failure = failure
  }
}

/** A provider that sends nothing for this long is given up. */
const SILENCE_MS = 30_000
const CONNECT_MS = 10_000
const MAX_BODY_BYTES = 4 * 1024 * 1024

/**
 * `fetch` for a library that makes its own requests: through the guard, and only to one address. Reading the body
 * fails if it breaks off, stalls, or would block the event loop.
 */
export function guardedFetch(
  { baseUrl, outbound }: { readonly baseUrl: string; readonly outbound: Outbound },
  accountId: AccountId,
): typeof fetch {
  return async (input, init = {}) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
    if (!url.startsWith(`${baseUrl}/`))
      throw new NotReached({ stage: 'blocked', code: 'not_listed', message: 'The address is not of the provider.' })
    const { signal } = init
    const answer = await outbound.open({
      url,
      method: init.method === 'GET' ? 'GET' : 'POST',
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
      ...(typeof init.body === 'string' && { body: Buffer.from(init.body) }),
      ...(signal && { signal }),
      headersTimeoutMs: SILENCE_MS,
      connectTimeoutMs: CONNECT_MS,
      bodyTimeoutMs: SILENCE_MS,
      maxBodyBytes: MAX_BODY_BYTES,
      from: { accountId },
    })
    if (answer.kind === 'failure') throw new NotReached(answer)
    const { status, headers, body } = answer
    const isEmpty = status === 204 || status === 205 || status === 304
    if (isEmpty) body.destroy()
    const isEventStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
    return new Response(isEmpty ? null : streamOf(body, pacedBody(body, isEventStream)), {
      status,
      headers: headersOf(headers),
    })
  }
}

/** Reads only on demand. Cancelling it ends the body. */
function streamOf(body: Readable, parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await parts.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      cancel() {
        // Destroys the body first: the generator may be waiting for it and would not notice the cancellation.
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The error of an incomplete body, wherever a library has wrapped it. */
export function brokenBodyIn(error: unknown): BrokenBody | NotReached | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at instanceof BrokenBody || at instanceof NotReached) return at
  return undefined
}

function headersOf(headers: Readonly<Record<string, string>>): Headers {
  const made = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // The body may be changed on its way, so its announced length is not passed on.
    if (name === 'content-length' || name === 'transfer-encoding' || name === 'set-cookie') continue
    try {
      made.set(name, value)
    } catch {
      // Invalid headers are skipped; the libraries use none of them.
    }
  }
  return made
}
