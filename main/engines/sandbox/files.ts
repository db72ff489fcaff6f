import { buffer } from 'node:stream/consumers'
import { MEDIA_TYPES } from '../../contract/shapes.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { contentOf } from '../../kernel/file-content.ts'
import { sql } from '../../kernel/sql.ts'
import type { ReceivedFile } from '../direct.ts'
import type { EngineInstance, Outgoing } from '../engine.ts'
import type { Channels } from './channels.ts'
import type { Inbox } from './inbox.ts'
import { isPaired, type Sessions } from './sessions.ts'
import { KEPT_BYTES, sampleOf } from './media.ts'

const keep = sql<{ messageId: string; bytes: Uint8Array }>(
  'INSERT INTO sandbox_files (message_id, bytes) VALUES (:messageId, :bytes) ON CONFLICT (message_id) DO NOTHING',
)
const kept = sql<{ messageId: string }, { bytes: Uint8Array }>(
  'SELECT bytes FROM sandbox_files WHERE message_id = :messageId',
)

interface FilesDeps {
  readonly db: Db
  readonly sessions: Sessions
  readonly inbox: Inbox
  /** Files of channels. */
  readonly posts: Pick<Channels, 'file'>
}

export type Files = ReturnType<typeof createFiles>

/** The files of messages. Phones send samples; a file that one instance sends another is stored with the message. */
export function createFiles({ db, sessions, inbox, posts }: FilesDeps) {
  return {
    /** The file to keep with a message, read before the commit that stores it. */
    async load(out: Outgoing): Promise<Buffer | null> {
      return out.kind === 'media' && out.content.size <= KEPT_BYTES ? buffer(await out.content.read()) : null
    },
    async keep(tx: Tx, messageId: string, bytes: Buffer): Promise<void> {
      await tx.run(keep, { messageId, bytes })
    },
    /** Only for senders and recipients of the message. null if the message was removed or deleted, or has no file. */
    async read({ id, accountId }: EngineInstance, mediaId: string): Promise<ReceivedFile | null> {
      await sessions.load()
      const session = sessions.of(id)
      const message = isPaired(session) ? await inbox.read(accountId, session.number, mediaId) : undefined
      if (message === undefined && isPaired(session)) return posts.file(accountId, session.number, mediaId)
      const { type, media } = message?.content ?? {}
      if (!message || !media || (message.author !== session?.number && message.recipient !== session?.number))
        return null
      const { mimeType, filename } = media
      const sample = MEDIA_TYPES.find((each) => each === type)
      const ofInstance = (await db.readOne(kept, { messageId: message.id }))?.bytes
      if (ofInstance) return { mimeType, filename, content: contentOf(Buffer.from(ofInstance)) }
      return message.instanceId === null && sample
        ? { mimeType, filename, content: contentOf(sampleOf(sample).bytes) }
        : null
    },
  }
}
