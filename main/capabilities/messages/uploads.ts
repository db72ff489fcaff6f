import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FileBody } from '../../contract/operation.ts'
import { isoTime } from '../../contract/request.ts'
import { dueIn } from '../../kernel/due.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { Files, StoredFile } from '../../kernel/files.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { MediaRecord } from './contract.ts'

const KIND = 'messages.media'
const KEPT_MS = LIMITS.mediaDays * 86_400_000
const MAX_BYTES = LIMITS.mediaMegabytes.document * 1024 * 1024

interface UploadsDeps {
  readonly files: Pick<Files, 'store' | 'find' | 'keepUntil' | 'rehome'>
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
}

export type Uploads = ReturnType<typeof createUploads>

/** Files that a caller has uploaded to send them. They expire like every file with a time. */
export function createUploads({ files, clock }: UploadsDeps) {
  return {
    async add(accountId: AccountId, body: FileBody, name: string | null): Promise<MediaRecord> {
      const expiresAt = dueIn(clock, KEPT_MS)
      const { mimeType } = body
      const stored = await files.store(notEmpty(body.stream), {
        ...{ accountId, kind: KIND, name, mimeType, expiresAt },
        maxBytes: MAX_BYTES,
      })
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

async function* notEmpty(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const chunk of stream) {
    isEmpty &&= chunk.length === 0
    yield chunk
  }
  if (isEmpty)
    throw new ApiError('validation_error', 'The file is empty. Send its bytes as the body.').because('file_empty')
}
