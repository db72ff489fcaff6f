import type { Readable } from 'node:stream'
import { ApiError } from '../contract/errors.ts'
import type { Principal } from '../kernel/access.ts'

type Caller = Pick<Principal, 'key' | 'sessionId'>

/** Unfinished downloads, exports and uploads, which can take minutes or hours. */
export interface OpenBodies {
  /** The body is cut off when the key or session that made the request ends. */
  add(caller: Caller, body: Readable): void
  /** For work on a body that has arrived: the signal is aborted when the key or session ends. */
  during<T>(caller: Caller, act: (ended: AbortSignal) => Promise<T>): Promise<T>
  /** @param id of a key or a session. */
  endOf(id: string): void
}

export function createOpenBodies(): OpenBodies {
  const open = new Map<string, Set<() => void>>()

  /** @returns a function that stops watching. */
  function watch({ key, sessionId }: Caller, end: () => void): () => void {
    const id = key?.id ?? sessionId
    // The window of the desktop app, which cannot be signed out.
    if (id === undefined) return () => {}
    const ends = open.get(id) ?? new Set()
    open.set(id, ends.add(end))
    return () => {
      ends.delete(end)
      if (ends.size === 0 && open.get(id) === ends) open.delete(id)
    }
  }

  return {
    add(caller, body) {
      // Destroyed rather than ended, so that a partial body does not look complete.
      const stop = watch(caller, () => body.destroy(new Error('The key or session has ended')))
      // A request is not closed before it is answered.
      body.once('end', stop).once('close', stop)
    },
    async during(caller, act) {
      const ending = new AbortController()
      const stop = watch(caller, () => ending.abort(accessEnded()))
      try {
        return await act(ending.signal)
      } finally {
        stop()
      }
    },
    endOf(id) {
      for (const end of open.get(id) ?? []) end()
    },
  }
}

const accessEnded = () =>
  new ApiError('unauthorized', 'The key or session ended while the file was being stored, so the rest of it was not.', {
    'www-authenticate': 'Bearer',
  })
