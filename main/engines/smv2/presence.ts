import type { BinaryNode } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { DirectActs, TypingState } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { OpenLink } from './link.ts'

interface PresenceNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
  /** Whether a line is to be online unless a call has said otherwise. */
  readonly isOnlineByDefault: (id: InstanceId) => boolean
  /** @throws ApiError not_found */
  readonly jidOf: (instance: EngineInstance, to: string) => Promise<string>
}

export interface Presence extends Pick<DirectActs, 'showTyping' | 'setOnline'> {
  /** The library has just said that the line is offline. */
  opened(instance: EngineInstance): Promise<void>
  /** The setting of the line is another one now, and counts more than what a call has said before. */
  settingChanged(instance: EngineInstance): Promise<void>
  forget(id: InstanceId): void
}

const STATES = {
  typing: { tag: 'composing', attrs: {} },
  recording: { tag: 'composing', attrs: { media: 'audio' } },
  paused: { tag: 'paused', attrs: {} },
} as const satisfies Record<TypingState, BinaryNode>

const nameless = () =>
  new ApiError(
    'invalid_state',
    'The phone has not sent its profile name yet, and WhatsApp needs it for this. Try again in a minute.',
  )

/** What contacts see of a line besides its messages. While it is online its phone shows no notifications. */
export function createPresence({ openOf, jidOf, isOnlineByDefault }: PresenceNeeds): Presence {
  /** What calls have said since the service started. */
  const said = new Map<InstanceId, boolean>()
  const isOnline = (id: InstanceId) => said.get(id) ?? isOnlineByDefault(id)
  return {
    async showTyping(instance, to, state) {
      const jid = await jidOf(instance, to)
      // The library would also name the sender, as WhatsApp's own client no longer does.
      await openOf(instance).sock.sendNode({ tag: 'chatstate', attrs: { to: jid }, content: [STATES[state]] })
    },
    async setOnline(instance, isWanted) {
      const { sock, session } = openOf(instance)
      // Without a name the library says nothing at all.
      if (!session.creds.me?.name) throw nameless()
      await sock.sendPresenceUpdate(isWanted ? 'available' : 'unavailable')
      said.set(instance.id, isWanted)
    },
    async opened(instance) {
      if (isOnline(instance.id)) await openOf(instance).sock.sendPresenceUpdate('available')
    },
    async settingChanged(instance) {
      said.delete(instance.id)
      // Without a name the library says nothing; the line then is as it is to be once it connects again.
      await openOf(instance).sock.sendPresenceUpdate(isOnline(instance.id) ? 'available' : 'unavailable')
    },
    forget: (id) => void said.delete(id),
  }
}
