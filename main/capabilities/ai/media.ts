import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import { seqPage } from '../../kernel/list-page.ts'
import type { InstanceSubject } from '../handler.ts'
import type { CreateMediaBody, Media } from './contract/media.ts'
import type { AiDeps } from './deps.ts'
import { insertMedia, mediaById, mediaPage, removeMedia, type MediaRow } from './media-store.ts'

/** Longer than any agent is kept; a file that is left behind is deleted after this time. */
const KEPT_MS = 20 * 365 * 86_400_000

export type MediaLibrary = ReturnType<typeof createMediaLibrary>

/** Files that an agent may send. */
export function createMediaLibrary({
  db,
  clock,
  ids,
  cursors,
  messages,
}: Pick<AiDeps, 'db' | 'clock' | 'ids' | 'cursors' | 'messages'>) {
  const get = async (agentId: string, id: string): Promise<MediaRow> => {
    const row = await db.readOne(mediaById, { agentId, id })
    if (row === undefined) throw new ApiError('not_found', 'This agent has no file with this id.')
    return row
  }

  return {
    find: get,
    list: (agentId: string, wish: { readonly limit?: number; readonly cursor?: string }) =>
      seqPage(cursors, `ai-media:${agentId}`, wish, (page) => db.read(mediaPage, { agentId, ...page }), toMedia),
    of: (agentId: string): Promise<MediaRow[]> =>
      db.read(mediaPage, { agentId, before: Number.MAX_SAFE_INTEGER, rows: LIMITS.aiMedia }),

    /** @throws ApiError not_found, validation_error, invalid_state */
    async add({ id: instanceId, accountId }: InstanceSubject, agentId: string, body: CreateMediaBody): Promise<Media> {
      const { mimeType, name: filename, size } = await messages.uploads.get(accountId, body.media_id)
      const { media_type: mediaType } = body
      const isOgg = mediaType === 'audio' && mimeType === 'application/ogg'
      if (mediaType !== 'document' && !isOgg && !mimeType.startsWith(`${mediaType}/`))
        throw new ApiError('validation_error', `media_type is ${mediaType}, but the file is ${mimeType}.`).because(
          'file_type_differs',
          { type: mimeType },
        )
      return db.commit(async (tx) => {
        const all = await tx.all(mediaPage, { agentId, before: Number.MAX_SAFE_INTEGER, rows: LIMITS.aiMedia })
        if (all.length >= LIMITS.aiMedia)
          throw new ApiError(
            'invalid_state',
            `This agent already has ${LIMITS.aiMedia} files. Remove one first.`,
          ).because('agent_files_full', { n: LIMITS.aiMedia })
        if (all.some(({ name }) => name === body.name))
          throw new ApiError('validation_error', 'name is used by another file of this agent.').because('name_taken', {
            field: 'name',
          })
        await messages.uploads.keepUntil(tx, accountId, body.media_id, clock.now() + KEPT_MS)
        const row: MediaRow = {
          ...{ seq: await tx.next('ai_agent_media'), id: ids.uuid(), agentId, name: body.name },
          ...{ description: body.description, mediaId: body.media_id, mediaType, mimeType, filename, size },
          createdAtMs: clock.now(),
        }
        await tx.run(insertMedia, { ...row, instanceId })
        return toMedia(row)
      })
    },

    async remove(agentId: string, id: string): Promise<void> {
      const { seq } = await get(agentId, id)
      await db.commit((tx) => tx.run(removeMedia, { seq }))
    },
  }
}

const toMedia = (row: MediaRow): Media => ({
  ...{ id: row.id, name: row.name, description: row.description, media_type: row.mediaType },
  ...{ mime_type: row.mimeType, filename: row.filename, size: row.size, created_at: isoTime(row.createdAtMs) },
})
