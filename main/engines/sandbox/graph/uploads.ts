import { createHmac } from 'node:crypto'
import { fileTypeOf } from '../../../kernel/file-type.ts'
import type { Random } from '../../../kernel/ids.ts'
import { GraphFault, ok, parameterFault, type GraphAnswer } from './answers.ts'
import type { GraphFaults } from './faults.ts'
import type { GraphFiles } from './files.ts'
import type { GraphNumbers } from './numbers.ts'
import type { GraphRequest } from './request.ts'
import { NoAnswer } from './send.ts'
import type { GraphNumber } from './store.ts'

/** An unfinished upload. */
interface Session {
  readonly number: GraphNumber
  readonly mimeType: string
  readonly length: number
  received: Buffer
}

interface UploadDeps {
  readonly random: Random
  readonly numbers: GraphNumbers
  readonly files: Pick<GraphFiles, 'keep'>
  readonly faults: GraphFaults
}

export type GraphUploads = ReturnType<typeof createGraphUploads>

/** Meta: "Upload a file", Graph API. */
const TYPES = ['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4']
const MOST_BYTES = 100 * 1024 * 1024
/** Limit of open uploads; a new one replaces the oldest. */
const MOST_SESSIONS = 10

/** Graph's resumable upload. Kept in memory: a restart ends open uploads. */
export function createGraphUploads({ random, numbers, files, faults }: UploadDeps) {
  const key = random.bytes(32)
  const sessions = new Map<string, Session>()
  const signatureOf = (id: string) => createHmac('sha256', key).update(id).digest('base64url')

  /** This host expects the token as `OAuth`, not as `Bearer`. @throws GraphFault, UploadFault */
  function sessionOf(id: string, authorization: string | undefined): Session {
    const token = /^OAuth (\S+)$/.exec(authorization ?? '')?.[1]
    const mine = token === undefined ? undefined : numbers.withToken(`Bearer ${token}`)
    if (mine === undefined) throw new UploadFault('NotAuthorizedError', 'Authentication failed')
    const session = sessions.get(id)
    if (session === undefined || !mine.some(({ accountId }) => accountId === session.number.accountId))
      throw new UploadFault('ResourceNotFoundError', 'The upload session does not exist')
    return session
  }

  async function receive(id: string, session: Session, { fileOffset, body }: GraphRequest): Promise<GraphAnswer> {
    const { received, length, mimeType, number } = session
    if (fileOffset === undefined || Number(fileOffset) !== received.length)
      throw new UploadFault('OffsetInvalidError', 'Request starting offset is invalid')
    if (received.length + body.length > length)
      throw new UploadFault('PartialRequestError', 'The request has more bytes than the length of the file')
    const isCut = faults.strikes(number.phoneNumberId, 'upload_interrupted')
    session.received = Buffer.concat([received, isCut ? body.subarray(0, Math.floor(body.length / 2)) : body])
    if (isCut) throw new NoAnswer()
    if (session.received.length < length)
      throw new UploadFault('PartialRequestError', 'Partial request (did not match length of file)')
    sessions.delete(id)
    const found = fileTypeOf({ head: session.received, declared: mimeType, name: null })
    if (found !== mimeType) throw new UploadFault('ProcessingFailedError', `The file is ${found}, not ${mimeType}`)
    const mediaId = await files.keep(number, mimeType, session.received)
    return ok({ h: `4::${Buffer.from(mimeType).toString('base64url')}:${mediaId}:${signatureOf(mediaId)}` })
  }

  return {
    /** `POST /{app-id}/uploads`: announces a file. @throws GraphFault */
    begin([number]: readonly GraphNumber[], query: URLSearchParams): GraphAnswer {
      const [type, length] = [query.get('file_type') ?? '', Number(query.get('file_length'))]
      if (!TYPES.includes(type)) throw parameterFault(`Param file_type must be one of {${TYPES.join(', ')}}`)
      if (!Number.isInteger(length) || length < 1 || length > MOST_BYTES)
        throw parameterFault('Param file_length must be the size of the file in bytes.')
      if (number === undefined) throw new Error('a token without a number')
      const [oldest] = sessions.keys()
      if (oldest !== undefined && sessions.size >= MOST_SESSIONS) sessions.delete(oldest)
      const id = `upload:${random.bytes(18).toString('base64url')}`
      const mimeType = type === 'image/jpg' ? 'image/jpeg' : type
      sessions.set(id, { number, mimeType, length, received: Buffer.alloc(0) })
      return ok({ id: `${id}?sig=${random.bytes(9).toString('base64url')}` })
    },

    /** `POST` sends the bytes from `file_offset` on, `GET` says how many have arrived. */
    async take(id: string, request: GraphRequest): Promise<GraphAnswer> {
      try {
        const session = sessionOf(id, request.authorization)
        if (request.method === 'GET') return ok({ id, file_offset: session.received.length })
        return await receive(id, session, request)
      } catch (error) {
        if (error instanceof UploadFault) return error.answer()
        throw error
      }
    },

    /** Whether a finished upload to this simulator has this handle. */
    hasMade: (handle: string): boolean => {
      const [mediaId, signature] = handle.split(':').slice(-2)
      return signature !== undefined && signature === signatureOf(mediaId ?? '')
    },
  }
}

/** The errors of the upload host have a format of their own. */
class UploadFault extends Error {
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.name = 'UploadFault'
    this.type = type
  }

  answer(): GraphAnswer {
    return { status: 400, body: { debug_info: { retriable: false, type: this.type, message: this.message } } }
  }
}

/** Each header must name an uploaded file. @throws GraphFault */
export function checkHandles(components: readonly object[], { hasMade }: Pick<GraphUploads, 'hasMade'>): void {
  for (const handle of components.flatMap(handlesOf))
    if (typeof handle !== 'string' || !hasMade(handle))
      throw new GraphFault(400, 100, '(#100) Invalid parameter', null, 'The uploaded file handle is invalid.')
}

/** The id of the file behind an upload handle or a sandbox URL. */
export const mediaIdOf = (handle: string): string =>
  handle.startsWith('4::') ? (handle.split(':').at(-2) ?? '') : (handle.split('/').at(-1) ?? '')

export function handlesOf(component: object): readonly unknown[] {
  const { type, example, cards } = component as Component
  if (type === 'CAROUSEL' && Array.isArray(cards))
    return (cards as Card[]).flatMap(({ components }) => (components ?? []).flatMap(handlesOf))
  const handles = example?.header_handle
  return type === 'HEADER' && Array.isArray(handles) ? handles : []
}

interface Component {
  readonly type?: unknown
  readonly example?: { readonly header_handle?: unknown } | null
  readonly cards?: unknown
}
interface Card {
  readonly components?: readonly object[]
}
