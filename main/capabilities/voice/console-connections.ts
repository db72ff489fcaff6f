import { ApiError } from '../../contract/errors.ts'
import type { Principal } from '../../kernel/access.ts'
import type { VoiceDeps } from './deps.ts'

export type ConsoleConnections = ReturnType<typeof createConsoleConnections>

/** Audio connections to people at the console. They are cut when the person's browser session ends. */
export function createConsoleConnections({ sessions }: Pick<VoiceDeps, 'sessions'>) {
  const open = new Map<string, Set<() => void>>()
  sessions.onSessionEnded((id) => open.get(id)?.forEach((end) => end()))

  return {
    /**
     * @param end called if the session ends before `closed` resolves.
     * @throws ApiError unauthorized if the session has already ended; `end` was called then.
     */
    async add({ sessionId }: Pick<Principal, 'sessionId'>, end: () => void, closed: Promise<unknown>): Promise<void> {
      // The window of the desktop app, which cannot be signed out.
      if (sessionId === undefined) return
      const ofSession = open.get(sessionId) ?? new Set()
      open.set(sessionId, ofSession.add(end))
      void closed.then(() => {
        ofSession.delete(end)
        if (ofSession.size === 0) open.delete(sessionId)
      })
      // The session may have ended while the audio was being connected.
      if (await sessions.isSignedIn(sessionId)) return
      end()
      throw new ApiError('unauthorized', 'You were signed out, so you were disconnected. Sign in again.', {
        'www-authenticate': 'Session',
      })
    },
  }
}
