import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { FileBody, FileBodySpec } from '../contract/operation.ts'
import type { WriteGate } from '../kernel/write-gate.ts'
import type { Arrivals } from './arrival.ts'

/** The key or session is known only after the access checks. */
type ArrivingFile = Omit<FileBody, 'ended'>

interface FileBodyDeps {
  readonly writeGate: Pick<WriteGate, 'check'>
  readonly arrivals: Pick<Arrivals, 'find'>
}

/**
 * Accepts only files of these types as bodies in this scope. They are streamed, so the usual limit for the size of
 * bodies does not apply.
 */
export function acceptFile(scope: FastifyInstance, spec: FileBodySpec, { writeGate, arrivals }: FileBodyDeps): void {
  scope.removeAllContentTypeParsers()
  for (const type of spec.types) {
    scope.addContentTypeParser(type, (request, payload, done) => {
      if (Number(request.headers['content-length'] ?? 0) > spec.maxBytes) return done(tooLarge(spec))
      const signal = arrivals.find(request.raw)?.signal
      const body: ArrivingFile = { mimeType: type, stream: streamOf(payload, spec, writeGate, signal) }
      return done(null, body)
    })
  }
  scope.addContentTypeParser('*', (_request, _payload, done) => done(wrongType(spec)))
}

/** Fails if the file is too large or too slow, or if the service stops accepting data because the disk is full. */
async function* streamOf(
  payload: Readable,
  spec: FileBodySpec,
  writeGate: Pick<WriteGate, 'check'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  // Destroying the request would close its connection before the answer.
  const chunks = payload.iterator({ destroyOnReturn: false })
  const late = rejectionOf(signal)
  let size = 0
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), late])
      if (next.done === true) return
      const bytes = next.value as Uint8Array
      size += bytes.length
      if (size > spec.maxBytes) throw tooLarge(spec)
      writeGate.check()
      yield bytes
    }
  } finally {
    // A slow body still misses a chunk, and this would wait for it.
    if (signal?.aborted !== true) await chunks.return?.()
    // Unread bytes are discarded, because the next request on the connection comes after them.
    payload.resume()
  }
}

/** Rejects when the signal is aborted. An unhandled rejection is harmless. */
function rejectionOf(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return promise
}

export const missingFile = ({ types }: FileBodySpec) =>
  new ApiError('validation_error', `This operation requires a file as its body. Send it as ${listed(types)}.`).because(
    'file_missing',
  )

const wrongType = ({ types }: FileBodySpec) =>
  new ApiError('unsupported_media_type', `Send the file with Content-Type: ${listed(types)}.`).because('file_types', {
    types: listed(types),
  })

const tooLarge = ({ maxBytes }: FileBodySpec) =>
  new ApiError('payload_too_large', `The file is larger than ${maxBytes} bytes. Send a smaller one.`).because(
    'file_too_large',
    { mb: Math.floor(maxBytes / 1_000_000) },
  )

const LISTED = 4

const listed = (types: readonly string[]): string =>
  types.length <= LISTED
    ? types.join(' or ')
    : `${types.slice(0, LISTED).join(', ')} or another type that /openapi.yaml lists`
