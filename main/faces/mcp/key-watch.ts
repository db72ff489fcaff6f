import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { KeyId } from '../../kernel/ids.ts'

export interface KeyWatch {
  /** Ends the response once its key is revoked or expires. */
  watch(keyId: KeyId, res: ServerResponse): void
  /** Call it when a key was revoked, instead of waiting for the next check. */
  ended(keyId: KeyId): void
  close(): void
}

interface KeyWatchDeps {
  readonly clock: Pick<Clock, 'every'>
  readonly isUsable: (keyId: KeyId) => Promise<boolean>
  /** Called once for each key that ended while it had open responses. */
  readonly onEnded: (keyId: KeyId) => Promise<void>
}

const CHECK_EVERY_MS = 1_000

/**
 * A listening stream is authenticated once and can stay open for hours. Its key is checked regularly, because it may
 * expire.
 */
export function createKeyWatch({ clock, isUsable, onEnded }: KeyWatchDeps): KeyWatch {
  const open = new Map<KeyId, Set<ServerResponse>>()
  let ticker: Timer | undefined

  const stop = () => {
    ticker?.cancel()
    ticker = undefined
  }
  const end = async (keyId: KeyId) => {
    await onEnded(keyId)
    for (const res of open.get(keyId) ?? []) res.end()
  }
  const check = async () => {
    for (const keyId of [...open.keys()]) {
      // A storage error does not mean that the key has ended.
      if (await isUsable(keyId).catch(() => true)) continue
      await end(keyId)
    }
  }

  return {
    watch(keyId, res) {
      const responses = open.get(keyId) ?? new Set()
      open.set(keyId, responses.add(res))
      res.once('close', () => {
        responses.delete(res)
        if (responses.size === 0) open.delete(keyId)
        if (open.size === 0) stop()
      })
      ticker ??= clock.every(CHECK_EVERY_MS, () => void check())
    },
    ended: (keyId) => void end(keyId),
    close: stop,
  }
}
