import { ApiError } from '../../contract/errors.ts'
import type { DirectActs, TypingState } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { OpenLink } from './link.ts'

interface PresenceNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
  /** @throws ApiError not_found */
  readonly jidOf: (instance: EngineInstance, to: string) => Promise<string>
}

export interface Presence extends Pick<DirectActs, 'showTyping' | 'setOnline'> {
  /** The library has just said that the line is offline. */
  opened(instance: EngineInstance): Promise<void>
  forget(id: InstanceId): void
}

const STATES = { typing: 'composing', recording: 'recording', paused: 'paused' } as const satisfies Record<
  TypingState,
  string
>

const nameless = () =>
  new ApiError(
    'invalid_state',
    'The phone has not sent its profile name yet, and WhatsApp needs it for this. Try again in a minute.',
  )

/** What contacts see of a line besides its messages. While it is online its phone shows no notifications. */
export function createPresence({ openOf, jidOf }: PresenceNeeds): Presence {
  const online = new Set<InstanceId>()
  return {
    async showTyping(instance, to, state) {
      const jid = await jidOf(instance, to)
      await openOf(instance).sock.sendPresenceUpdate(STATES[state], jid)
    },
    async setOnline(instance, isOnline) {
      const { sock, session } = openOf(instance)
      // Without a name the library says nothing at all.
      if (!session.creds.me?.name) throw nameless()
      await sock.sendPresenceUpdate(isOnline ? 'available' : 'unavailable')
      if (isOnline) online.add(instance.id)
      else online.delete(instance.id)
    },
    async opened(instance) {
      if (online.has(instance.id)) await openOf(instance).sock.sendPresenceUpdate('available')
    },
    forget: (id) => void online.delete(id),
  }
}
