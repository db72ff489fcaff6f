import type { GraphClient, GraphReply } from './graph-client.ts'
import { integerAt, textAt } from './json.ts'
import type { GraphCredentials, Result } from './transport.ts'

interface UploadedFile {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Buffer
}

/** Allows for slow connections: 16 MB at 1 Mbit/s. */
const UPLOAD_MS = 130_000
/** Connections that may break during one upload. */
const MOST_BREAKS = 3
/** Meta's ids of uploads end with a query of their own. */
const SESSION = /^upload:[\w+=:-]{1,500}(\?sig=[\w-]{1,200})?$/

/**
 * Graph's resumable upload ("Upload a file" in its documentation). It is for files that are not sent to a person,
 * such as the sample of a template, and resumes after a broken connection.
 * @returns the handle that names the file in other calls.
 */
export function createResumableUpload(client: Pick<GraphClient, 'ask'>) {
  return async function upload(
    { accountId, accessToken: token, version }: GraphCredentials,
    { name, mimeType, bytes }: UploadedFile,
  ): Promise<Result<string>> {
    // `app` is the app that the token belongs to; for a number connected with a token, its id is not known.
    const announced = await client.ask({
      ...{ method: 'POST', path: 'app/uploads', accountId, token, version },
      query: { file_name: name, file_length: String(bytes.length), file_type: mimeType },
    })
    if (announced.kind !== 'ok') return announced
    const session = textAt(announced.body, 'id') ?? ''
    if (!SESSION.test(session)) return { kind: 'lost', code: 'no_upload' }
    const of = { path: session, accountId, token, version, scheme: 'OAuth' } as const

    const sendFrom = (offset: number): Promise<GraphReply> =>
      client.ask({
        ...{ ...of, method: 'POST', headers: { file_offset: String(offset) }, timeoutMs: UPLOAD_MS },
        body: { type: 'application/octet-stream', bytes: bytes.subarray(offset) },
      })

    /** How many bytes have arrived; null if Meta does not say. */
    async function arrived(): Promise<number | null> {
      const state = await client.ask({ ...of, method: 'GET' })
      const offset = state.kind === 'ok' ? integerAt(state.body, 'file_offset') : null
      return offset !== null && offset >= 0 && offset < bytes.length ? offset : null
    }

    let from = 0
    let reply = await sendFrom(from)
    for (let breaks = 0; reply.kind !== 'ok' && breaks < MOST_BREAKS; breaks++) {
      const offset = await arrived()
      // If no byte arrived in between, another try would be refused too.
      if (reply.kind === 'error' && (offset === null || offset <= from)) return reply
      if (offset === null) continue
      from = offset
      reply = await sendFrom(from)
    }
    if (reply.kind !== 'ok') return reply
    const handle = textAt(reply.body, 'h')
    return handle === null ? { kind: 'lost', code: 'no_handle' } : { kind: 'ok', value: handle }
  }
}
