import type { WAMessageKey } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kernel/db.ts'
import type { ChatChange, DirectActs, Label, MessageRef } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import type { OpenLink } from './link.ts'
import type { RawLabel } from './raw-line-event.ts'
import { labelOf, labelsOf, upsertLabel } from './store.ts'

interface ChatListNeeds {
  readonly db: Db
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
  /** @throws ApiError not_found */
  readonly jidOf: (instance: EngineInstance, to: string) => Promise<string>
  readonly keyOf: (instance: EngineInstance, message: MessageRef) => Promise<WAMessageKey>
}

type ChatListActs = Pick<
  DirectActs,
  'changeChat' | 'star' | 'labels' | 'saveLabel' | 'removeLabel' | 'labelChat' | 'labelMessage'
>

/** What WhatsApp writes for a chat that is muted until somebody changes it. */
const ALWAYS = -1
/** The network limits an account to this many. */
const MAX_LABELS = 20

/** How the phone and its linked devices list their chats: changes are shared by all of them. */
export function createChatList({ db, openOf, jidOf, keyOf }: ChatListNeeds): ChatListActs {
  async function getLabel({ id: instanceId }: EngineInstance, labelId: string): Promise<Label> {
    const found = await db.readOne(labelOf, { instanceId, labelId })
    if (found) return found
    throw new ApiError('not_found', 'This instance has no label with this id. label/list has their ids.')
  }

  return {
    async changeChat(instance, chat, change, last) {
      const { sock } = openOf(instance)
      const jid = await jidOf(instance, chat)
      const lastMessages =
        last === null ? [] : [{ key: await keyOf(instance, last), messageTimestamp: Math.floor(last.atMs / 1_000) }]
      await withReason(sock.chatModify(toModification(change, lastMessages), jid))
    },

    async star(instance, message, isStarred) {
      const { sock, library } = openOf(instance)
      const { remoteJid, id, fromMe, participant } = await keyOf(instance, message)
      // The library leaves out the author, and without one nothing can be starred in a group.
      const index = ['star', remoteJid ?? '', id ?? '', fromMe ? '1' : '0', participant ?? '0']
      const { SET: operation } = library.proto.SyncdMutation.SyncdOperation
      const patch = { syncAction: { starAction: { starred: isStarred } }, index, operation }
      await withReason(sock.appPatch({ ...patch, type: 'regular_low', apiVersion: 2 }))
    },

    labels: ({ id: instanceId }) => db.read(labelsOf, { instanceId, limit: MAX_LABELS }),
    async saveLabel(instance, { id, name, color }) {
      const { sock, session } = openOf(instance)
      const known = await db.read(labelsOf, { instanceId: instance.id, limit: MAX_LABELS })
      if (id !== null) await getLabel(instance, id)
      else if (known.length >= MAX_LABELS)
        throw new ApiError('invalid_state', `WhatsApp allows ${MAX_LABELS} labels. Delete one first.`)
      const highest = Math.max(0, ...known.map((label) => Number(label.id) || 0))
      const label = { id: id ?? String(highest + 1), name, color }
      await withReason(sock.addLabel(session.creds.me?.id ?? '', { ...label, deleted: false }))
      await keep(db, instance, { ...label, deleted: false })
      return label
    },
    async removeLabel(instance, labelId) {
      const { sock, session } = openOf(instance)
      const label = await getLabel(instance, labelId)
      await withReason(sock.addLabel(session.creds.me?.id ?? '', { ...label, deleted: true }))
      await keep(db, instance, { ...label, deleted: true })
    },
    async labelChat(instance, chat, labelId, isLabeled) {
      const { sock } = openOf(instance)
      await getLabel(instance, labelId)
      const jid = await jidOf(instance, chat)
      await withReason(isLabeled ? sock.addChatLabel(jid, labelId) : sock.removeChatLabel(jid, labelId))
    },
    async labelMessage(instance, message, labelId, isLabeled) {
      const { sock } = openOf(instance)
      await getLabel(instance, labelId)
      const { remoteJid, id } = await keyOf(instance, message)
      const [jid, messageId] = [remoteJid ?? '', id ?? '']
      await withReason(
        isLabeled ? sock.addMessageLabel(jid, messageId, labelId) : sock.removeMessageLabel(jid, messageId, labelId),
      )
    },
  }
}

type LastMessages = { key: WAMessageKey; messageTimestamp: number }[]

function toModification(change: ChatChange, lastMessages: LastMessages) {
  switch (change.kind) {
    case 'archive':
      return { archive: change.isSet, lastMessages }
    case 'read':
      return { markRead: change.isSet, lastMessages }
    case 'pin':
      return { pin: change.isSet }
    case 'mute':
      return { mute: change.untilMs === Infinity ? ALWAYS : change.untilMs }
  }
}

/** Stores a label as the phone, or a call, has set it. */
export async function keep(db: Db, { id: instanceId }: EngineInstance, label: RawLabel): Promise<void> {
  const { id: labelId, name, color, deleted } = label
  await db.commit((tx) => tx.run(upsertLabel, { instanceId, labelId, name, color, deleted: deleted ? 1 : 0 }))
}

/** Right after pairing the phone has not shared the keys of these settings yet. */
async function withReason<T>(changing: Promise<T>): Promise<T> {
  try {
    return await changing
  } catch (error) {
    if (!(error instanceof Error) || !/myAppStateKey|app state key/i.test(error.message)) throw error
    throw new ApiError(
      'invalid_state',
      'The phone has not shared the keys for this yet. Keep WhatsApp open on the phone and try again in a minute.',
    )
  }
}
