import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { FileBody, FileBodySpec } from '../contract/operation.ts'
import type { WriteGate } from '../kernel/write-gate.ts'

/** Accepts only files of these types as bodies in this scope. They are streamed, so the door's size limit does not apply. */
export function acceptFile(scope: FastifyInstance, spec: FileBodySpec, writeGate: Pick<WriteGate, 'check'>): void {
  scope.removeAllContentTypeParsers()
  for (const type of spec.types) {
    scope.addContentTypeParser(type, (request, payload, done) => {
      if (Number(request.headers['content-length'] ?? 0) > spec.maxBytes) return done(tooLarge(spec))
      const body: FileBody = { mimeType: type, stream: streamOf(payload, spec, writeGate) }
      return done(null, body)
    })
  }
  scope.addContentTypeParser('*', (_request, _payload, done) => done(wrongType(spec)))
}

/** Ends with an error when the file is too large, or when the service stops accepting data because the disk fills up. */
async function* streamOf(
  payload: Readable,
  spec: FileBodySpec,
  writeGate: Pick<WriteGate, 'check'>,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    // Destroying the request would close its connection before the answer.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      const bytes = chunk as Uint8Array
      size += bytes.length
      if (size > spec.maxBytes) throw tooLarge(spec)
      writeGate.check()
      yield bytes
    }
  } finally {
    // What nobody read is discarded; the next request on the connection comes after it.
    payload.resume()
  }
}

export const missingFile = ({ types }: FileBodySpec) =>
  new ApiError('validation_error', `This operation requires a file as its body. Send it as ${types.join(' or ')}.`)

const wrongType = ({ types }: FileBodySpec) =>
  new ApiError('unsupported_media_type', `Send the file with Content-Type: ${types.join(' or ')}.`)

const tooLarge = ({ maxBytes }: FileBodySpec) =>
  new ApiError('payload_too_large', `The file is larger than ${maxBytes} bytes. Send a smaller one.`)
