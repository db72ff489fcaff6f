import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FileBody } from '../../contract/operation.ts'
import { isoTime } from '../../contract/request.ts'
import { dueIn } from '../../kernel/due.ts'
import { fileTypeOf, FILE_HEAD_BYTES } from '../../kernel/file-type.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { Files, StoredFile } from '../../kernel/files.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { MediaRecord } from './contract/sending.ts'

const KIND = 'messages.media'
const KEPT_MS = LIMITS.mediaDays * 86_400_000
const MAX_BYTES = LIMITS.mediaMegabytes.document * 1024 * 1024
const MOST_BYTES = LIMITS.mediaGigabytes * 1_000_000_000

interface UploadsDeps {
  readonly files: Pick<Files, 'store' | 'bytesOf' | 'find' | 'keepUntil' | 'rehome'>
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  /** What is left on the disk beyond the room that the service keeps for itself. */
  readonly freeBytes: () => number
}

export type Uploads = ReturnType<typeof createUploads>

/** Files that a caller has uploaded to send them. They expire like every file with a time. */
export function createUploads({ files, clock, freeBytes }: UploadsDeps) {
  /** Bytes of uploads that are being received. */
  const arriving = new Map<AccountId, number>()

  /**
   * An account may take as much as it leaves: of two that fill the disk each gets a third, of three a quarter, and the
   * rest of the service never runs out of room.
   */
  function requireRoom(bytes: number): void {
    if (bytes > Math.min(MOST_BYTES, freeBytes())) throw uploadsFull()
  }

  /** What arrives takes room before it is stored, and many files may arrive at once. */
  async function* counted(accountId: AccountId, stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const add = (bytes: number) => {
      const sum = (arriving.get(accountId) ?? 0) + bytes
      if (sum === 0) arriving.delete(accountId)
      else arriving.set(accountId, sum)
      return sum
    }
    const kept = await files.bytesOf(null, { accountId, kind: KIND })
    let received = 0
    try {
      for await (const chunk of stream) {
        received += chunk.length
        requireRoom(kept + add(chunk.length))
        yield chunk
      }
    } finally {
      add(-received)
    }
  }

  return {
    async add(
      accountId: AccountId,
      body: Pick<FileBody, 'mimeType' | 'stream'>,
      name: string | null,
    ): Promise<MediaRecord> {
      const expiresAt = dueIn(clock, KEPT_MS)
      const { head, stream } = await withHead(body.stream)
      const mimeType = fileTypeOf({ head, declared: body.mimeType, name })
      const stored = await files.store(
        counted(accountId, notEmpty(stream)),
        { ...{ accountId, kind: KIND, name, mimeType, expiresAt }, maxBytes: MAX_BYTES },
        // Other uploads may have been received meanwhile.
        async (tx) => requireRoom(await files.bytesOf(tx, { accountId, kind: KIND })),
      )
      return { media_id: stored.id, mime_type: mimeType, size: stored.size, expires_at: isoTime(expiresAt.atMs) }
    },

    /** @throws ApiError not_found */
    async get(accountId: AccountId, mediaId: string): Promise<StoredFile & FileContent> {
      const found = await files.find({ accountId, kind: KIND, id: mediaId })
      if (found !== undefined) return found
      throw new ApiError(
        'not_found',
        `media_id names no file of this account. Uploads are kept ${LIMITS.mediaDays} days; upload the file again.`,
      ).because('upload_gone', { n: LIMITS.mediaDays })
    },

    /** Keeps a file for somebody who sends it later. @returns whether it is there. */
    keepUntil: (tx: Tx, accountId: AccountId, mediaId: string, untilMs: number): Promise<boolean> =>
      files.keepUntil(tx, { accountId, kind: KIND, id: mediaId }, untilMs),

    /** Gives a file to another account, with the instance that sends it. */
    rehome: (tx: Tx, from: AccountId, mediaId: string, to: AccountId): Promise<void> =>
      files.rehome(tx, { accountId: from, kind: KIND, id: mediaId }, to),
  }
}

const uploadsFull = () =>
  new ApiError(
    'invalid_state',
    `The uploads of this account take ${LIMITS.mediaGigabytes} GB, or fill the space that is left on the disk. Nothing was stored. Uploads are ` +
      `removed ${LIMITS.mediaDays} days after they were made: try again later, send an upload you have again, or send a media_url.`,
  ).because('uploads_full', { n: LIMITS.mediaDays })

/** @returns the beginning of a stream, and the whole of it. */
async function withHead(
  stream: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Buffer; readonly stream: AsyncIterable<Uint8Array> }> {
  const rest = stream[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  for (let size = 0; size < FILE_HEAD_BYTES;) {
    const next = await rest.next()
    if (next.done === true) break
    first.push(next.value)
    size += next.value.length
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      yield* first
      for (;;) {
        const next = await rest.next()
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await rest.return?.()
    }
  }
  return { head: Buffer.concat(first), stream: whole() }
}

async function* notEmpty(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const chunk of stream) {
    isEmpty &&= chunk.length === 0
    yield chunk
  }
  if (isEmpty)
    throw new ApiError('validation_error', 'The file is empty. Send its bytes as the body.').because('file_empty')
}
