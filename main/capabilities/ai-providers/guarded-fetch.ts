import type { Readable } from 'node:stream'
import { BrokenBody, type Outbound, type OutboundFailure } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { pacedBody } from './paced-body.ts'

/** The provider was not reached, or fell silent. Nothing that it said is in the message. */
export class NotReached extends Error {
  readonly failure: Pick<OutboundFailure, 'stage' | 'code'>

  constructor(failure: Pick<OutboundFailure, 'stage' | 'code' | 'message'>) {
    super(failure.message)
    this.name = 'NotReached'
    this.failure = failure
  }
}

/** A provider that says nothing for so long is given up. */
const SILENCE_MS = 30_000
const CONNECT_MS = 10_000
const MAX_BODY_BYTES = 4 * 1024 * 1024

/**
 * `fetch` for a library that brings its own requests: through the guard, and to one address only.
 * A response whose body breaks off, falls silent or would hold the event loop up fails while it is read.
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

/** Pulled part by part, so that nothing is read ahead. Cancelled, it ends the body. */
function streamOf(body: Readable, parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await parts.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      cancel() {
        // The parts may be waiting for it, and would not hear that they should end.
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Of a body that is not whole, wherever a library has wrapped it. */
export function brokenBodyIn(error: unknown): BrokenBody | NotReached | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at instanceof BrokenBody || at instanceof NotReached) return at
  return undefined
}

function headersOf(headers: Readonly<Record<string, string>>): Headers {
  const made = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // The bytes are as they came, and their length is not promised to a library.
    if (name === 'content-length' || name === 'transfer-encoding' || name === 'set-cookie') continue
    try {
      made.set(name, value)
    } catch {
      // An invalid header is left out: the libraries read none of those.
    }
  }
  return made
}
