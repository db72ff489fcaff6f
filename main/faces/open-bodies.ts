import type { Readable } from 'node:stream'
import type { Principal } from '../kernel/access.ts'

/** Bodies that are still under way: downloads, exports and uploads, which can take minutes and hours. */
export interface OpenBodies {
  /** The body is cut off when the key or session that made the request ends. */
  add(principal: Pick<Principal, 'key' | 'sessionId'>, body: Readable): void
  /** @param id of a key or a session. */
  endOf(id: string): void
}

export function createOpenBodies(): OpenBodies {
  const open = new Map<string, Set<Readable>>()
  return {
    add({ key, sessionId }, body) {
      const id = key?.id ?? sessionId
      // The window of the desktop app, which cannot be signed out.
      if (id === undefined) return
      const bodies = open.get(id) ?? new Set()
      open.set(id, bodies.add(body))
      body.once('close', () => {
        bodies.delete(body)
        if (bodies.size === 0) open.delete(id)
      })
    },
    endOf(id) {
      // Cut off rather than ended: a part must not look like the whole.
      for (const body of open.get(id) ?? []) body.destroy(new Error('The key or session has ended'))
    },
  }
}
