import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { FileContent } from '../kernel/file-content.ts'
import { selectPart } from './range.ts'

/**
 * Sends a file: whole, the part that Range asks for, or only its headers.
 * @param headers its Content-Type and others of the operation.
 * @param onBody called with the body before it is sent.
 * @throws ApiError range_not_satisfiable, or not_found if the file was removed meanwhile
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileContent,
  headers: Readonly<Record<string, string>>,
  onBody: (body: Readable) => void = () => {},
): Promise<FastifyReply> {
  const { size } = file
  const etag = `"${file.hash}"`
  const selection = selectPart(request.method, request.headers, size, etag)
  // If the file of a row is missing, a conditional request gets the same error as a download.
  if (selection.kind !== 'part') await file.verify()
  switch (selection.kind) {
    case 'not_modified':
      return reply.code(304).headers(withoutContent(headers)).header('etag', etag).send()
    case 'unsatisfiable':
      throw new ApiError('range_not_satisfiable', `The file has ${size} bytes. Request a range within it.`, {
        'content-range': `bytes */${size}`,
        'accept-ranges': 'bytes',
      })
    case 'part': {
      const { first, last } = selection.range
      const content = await file.read(selection.range)
      onBody(content)
      const length = { 'content-length': last - first + 1, 'content-range': `bytes ${first}-${last}/${size}` }
      return reply
        .code(206)
        .headers({ ...headers, ...length, 'accept-ranges': 'bytes', etag })
        .send(content)
    }
    case 'whole': {
      // The framework drops the body of a HEAD response, and would set Content-Length to 0 if there was none.
      const content = request.method === 'HEAD' ? Readable.from([]) : await file.read()
      onBody(content)
      return reply.headers({ ...headers, 'content-length': size, 'accept-ranges': 'bytes', etag }).send(content)
    }
  }
}

const withoutContent = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('content-')))
