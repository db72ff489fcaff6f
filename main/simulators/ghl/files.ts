import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { OutboundAnswer } from '../../outbound/outbound.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { ghlId } from './ids.ts'
import { insertUpload, pruneUploads, uploadById, type StoredUpload } from './store.ts'

/** Host of files in conversations, which the service answers itself. */
export const FILE_HOST = 'ghl.sandbox'
const KEPT_MS = 30 * 86_400_000

export type GhlFiles = ReturnType<typeof createGhlFiles>

export function createGhlFiles({ db, clock, random }: { db: Db; clock: Pick<Clock, 'now'>; random: Random }) {
  return {
    /** @returns the URL of the file. */
    async add(accountId: AccountId, file: StoredUpload): Promise<string> {
      const id = ghlId(random)
      const now = clock.now()
      await db.commit(async (tx) => {
        await tx.run(pruneUploads, { before: now - KEPT_MS })
        await tx.run(insertUpload, { ...file, id, accountId, now })
      })
      return `https://${FILE_HOST}/files/${id}/${encodeURIComponent(file.name)}`
    },
    find: (id: string): Promise<StoredUpload | undefined> => db.readOne(uploadById, { id }),
    /** Answers requests of the service to this host. */
    async answer({ url }: { readonly url: URL }): Promise<OutboundAnswer> {
      const found = await db.readOne(uploadById, { id: url.pathname.split('/')[2] ?? '' })
      const inside = { kind: 'response', truncated: false, remoteIp: null } as const
      if (found === undefined) return { ...inside, status: 404, headers: {}, body: Buffer.from('Not found') }
      const { mimeType, bytes } = found
      return { ...inside, status: 200, headers: { 'content-type': mimeType }, body: Buffer.from(bytes) }
    },
  }
}
