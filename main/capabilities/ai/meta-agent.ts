import type { EngineSignal } from '../../engines/engine.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Chats } from './chats.ts'
import { clearPause, conversationOf, isPaused, pauseForMetaAgent } from './conversation-store.ts'
import type { AiDeps } from './deps.ts'
import type { SettingsStore } from './settings.ts'

interface MetaAgentDeps extends Pick<AiDeps, 'db' | 'clock' | 'messages'> {
  readonly settings: Pick<SettingsStore, 'read'>
  readonly chats: Chats
}

/** Two agents must not answer one chat: ours is paused while Meta Business Agent answers. */
export function createMetaAgent({ db, clock, messages, settings, chats }: MetaAgentDeps) {
  return async (
    { id: instanceId, accountId }: Pick<InstanceSubject, 'id' | 'accountId'>,
    { chat: given, to, atMs }: Extract<EngineSignal, { kind: 'handover' }>,
  ): Promise<void> => {
    await db.commit(async (tx) => {
      if (!(await settings.read(tx, instanceId)).enabled) return
      const chat = await messages.chatAsFirstGiven(tx, instanceId, given)
      const now = clock.now()
      const known = await tx.one(conversationOf, { instanceId, chat })
      if (to === 'us') {
        if (known === undefined || known.metaAgentAtMs === null || known.metaAgentAtMs > atMs) return
        await tx.run(clearPause, { seq: known.seq, now })
        return chats.notify(tx, { instanceId, accountId })
      }
      const conversation = known ?? (await chats.ensure(tx, { instanceId, accountId, chat }))
      const isOurs = conversation.metaAgentAtMs === null
      // A pause set by a person or a handoff is kept: it may outlast Meta's agent.
      if (isOurs && isPaused(conversation, now) && conversation.pauseReason !== 'person') return
      await tx.run(pauseForMetaAgent, {
        seq: conversation.seq,
        at: Math.max(atMs, conversation.metaAgentAtMs ?? 0),
        now,
      })
      if (!isOurs) return
      await chats.dropUnsent(tx, conversation, 'meta_agent')
      chats.notify(tx, { instanceId, accountId })
    })
  }
}
