import { createHash, createHmac } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import { buffer } from 'node:stream/consumers'
import type { Db } from '../../../kernel/db.ts'
import type { Random } from '../../../kernel/ids.ts'
import type { MediaFile } from '../../direct.ts'
import { MEDIA_HOST, sampleOf, sampleTypeAt } from '../media.ts'
import type { SandboxNetwork } from '../network.ts'
import { GraphFault, ok, parameterFault, type GraphAnswer } from './answers.ts'
import { checkUpload } from './upload-rules.ts'
import { addUploaded, uploadedById, type GraphNumber } from './store.ts'

const URL_MS = 5 * 60_000

interface FileDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly network: Pick<SandboxNetwork, 'official'>
  readonly baseUrl: () => string
}

export type GraphFiles = ReturnType<typeof createGraphFiles>

/** Files that were uploaded to be sent, and those that people sent; their addresses live five minutes. */
export function createGraphFiles({ db, clock, random, network, baseUrl }: FileDeps) {
  const key = random.bytes(32)
  const signatureOf = (id: string, expiresMs: number) =>
    createHmac('sha256', key).update(`${id} ${expiresMs}`).digest('hex')

  async function read(number: GraphNumber, id: string): Promise<Omit<MediaFile, 'filename'>> {
    const sample = sampleTypeAt(`https://${MEDIA_HOST}/${id}`)
    if (sample !== undefined) return sampleOf(sample)
    const uploaded = await db.readOne(uploadedById, { id })
    if (uploaded?.phoneNumberId === number.phoneNumberId) {
      return { mimeType: uploaded.mimeType, bytes: Buffer.from(uploaded.bytes) }
    }
    const sent = await network.official.media?.(toEngineInstance(number), id)
    if (sent) return { mimeType: sent.mimeType, bytes: await buffer(await sent.content.read()) }
    throw new GraphFault(
      400,
      100,
      '(#100) Unsupported get request. Object does not exist',
      `Object with ID '${id}' does not exist.`,
    )
  }

  /** @returns the id of the file. */
  async function keep({ phoneNumberId }: GraphNumber, mimeType: string, bytes: Buffer): Promise<string> {
    const id = numericId(random)
    await db.commit((tx) => tx.run(addUploaded, { id, phoneNumberId, mimeType, bytes, now: clock.now() }))
    return id
  }

  /** The URL is valid for five minutes. */
  function addressOf(id: string): string {
    const expiresMs = clock.now() + URL_MS
    return `${baseUrl()}/media/${encodeURIComponent(id)}?ext=${expiresMs}&hash=${signatureOf(id, expiresMs)}`
  }

  return {
    read,
    keep,
    addressOf,

    async upload(number: GraphNumber, type: string | undefined, body: Buffer): Promise<GraphAnswer> {
      const form = await formOf(type, body)
      const file = form.get('file')
      if (form.get('messaging_product') !== 'whatsapp') throw parameterFault('messaging_product is required.')
      if (!(file instanceof File)) throw parameterFault('file is required.')
      const declared = form.get('type')
      const mimeType = typeof declared === 'string' ? declared : ''
      const bytes = Buffer.from(await file.arrayBuffer())
      checkUpload({ name: file.name, type: file.type, declared: mimeType, bytes })
      return ok({ id: await keep(number, mimeType, bytes) })
    },

    async describe(number: GraphNumber, id: string): Promise<GraphAnswer> {
      const { mimeType: mime_type, bytes } = await read(number, id)
      const url = addressOf(id)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      return ok({ messaging_product: 'whatsapp', url, mime_type, sha256, file_size: bytes.length, id })
    },

    async download(numbers: readonly GraphNumber[], id: string, query: URLSearchParams): Promise<GraphAnswer> {
      const expiresMs = Number(query.get('ext'))
      if (query.get('hash') !== signatureOf(id, expiresMs) || expiresMs < clock.now()) {
        throw new GraphFault(404, 100, 'This address has expired')
      }
      for (const number of numbers) {
        const file = await read(number, id).catch(() => undefined)
        if (file) return { status: 200, headers: { 'content-type': file.mimeType }, body: file.bytes }
      }
      throw new GraphFault(404, 100, 'There is no such file')
    },
  }
}

export const toEngineInstance = ({ instanceId, accountId }: GraphNumber) =>
  ({ id: instanceId, accountId, engine: 'official', network: 'sandbox' }) as const

/** Sixteen digits, like Meta's ids. */
export function numericId(random: Random): string {
  return String(10n ** 15n + (random.bytes(8).readBigUInt64BE() % (9n * 10n ** 15n)))
}

async function formOf(type: string | undefined, body: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type ?? '' } }).formData()
  } catch {
    throw parameterFault('The body must be a form with a file.')
  }
}
