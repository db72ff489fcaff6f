import { LIMITS } from '../../contract/limits.ts'
import type { CampaignMessage } from '../../contract/campaign-message.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Messages } from '../messages/index.ts'
import type { StoredCampaign } from './store.ts'

/** Longer than any planned campaign; a file that is left behind is deleted after this time. */
const KEPT_MS = 90 * 86_400_000

/**
 * Checks the files of `media_id` before the start, so that a mistake does not fail the first thousand sends.
 * @throws ApiError validation_error that names the message by its position, from 1
 */
export async function requireUploads(
  uploads: Pick<Messages['uploads'], 'get'>,
  accountId: AccountId,
  messages: readonly CampaignMessage[],
): Promise<void> {
  for (const [index, { media_id: mediaId, media_type: type }] of messages.entries()) {
    if (mediaId === undefined) continue
    const name = `messages ${index + 1}`
    const { mimeType } = await uploads.get(accountId, mediaId).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      throw new ApiError('validation_error', `${name}: ${error.message}`).because('upload_gone', {
        n: LIMITS.mediaDays,
      })
    })
    const isOgg = type === 'audio' && mimeType === 'application/ogg'
    if (type === undefined || type === 'document' || isOgg || mimeType.startsWith(`${type}/`)) continue
    const message = `${name}: the file of media_id is ${mimeType}, which does not match media_type ${type}.`
    throw new ApiError('validation_error', message).because('file_type_differs', { type: mimeType })
  }
}

/** An upload does not expire while a campaign sends it. */
export async function keepUploads(
  uploads: Pick<Messages['uploads'], 'keepUntil'>,
  tx: Tx,
  { accountId, messages }: Pick<StoredCampaign, 'accountId' | 'messages'>,
  fromMs: number,
): Promise<void> {
  for (const { media_id: mediaId } of messages)
    if (mediaId !== undefined) await uploads.keepUntil(tx, accountId, mediaId, fromMs + KEPT_MS)
}
