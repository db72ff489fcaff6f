import { ApiError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { toEngineInstance, type Engines } from './engines.ts'
import { discarded, type Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly engines: Engines
  readonly log: Log
}

/**
 * Does what the row says is still to be done with the session.
 * @param record what is true once it is done, in one commit; by default only that it is.
 * @returns whether it is done.
 */
export type DiscardSession = (instance: Instance, record?: (tx: Tx) => Promise<unknown>) => Promise<boolean>

/**
 * Discarding a session is decided in a commit and done afterwards; the row remembers it until the engine has done it,
 * so neither a crash nor an engine that is down leaves a session behind.
 */
export function createDiscardSession({ db, engines, log }: Deps): DiscardSession {
  return async (instance, record) => {
    const { id, discard } = instance
    const engine = engines[instance.network][instance.engine]
    if (discard === null) return true
    if (!engine) return false
    const subject = toEngineInstance(instance)
    try {
      if (discard === 'logout') await engine.logout(subject)
      else {
        // The network may be unreachable; a deleted or recreated instance is wiped anyway.
        if (instance.loggedIn || instance.status === 'recreating')
          await engine.logout(subject).catch((error: unknown) => warn(error))
        await engine.stop(subject)
        await engine.wipe(subject)
      }
      await db.commit((tx) => (record ? record(tx) : tx.run(discarded, { id, discard })))
      return true
    } catch (error) {
      warn(error)
      return false
    }

    function warn(error: unknown): void {
      log.warn({ event: 'instance.session.kept', instanceId: id, discard, cause: cause(error) })
    }
  }
}

/**
 * A new connection must not start with a session that is to be discarded: it would connect a number that was logged
 * out, and the pending logout would end whatever was paired since.
 * @throws ApiError upstream_unavailable
 */
export async function requireDiscard(discardSession: DiscardSession, instance: Instance): Promise<void> {
  if (await discardSession(instance)) return
  throw new ApiError(
    'upstream_unavailable',
    'The engine cannot be reached, so the previous session could not be discarded. Try again in a few seconds.',
  )
}
