import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { EngineInstance } from '../../engines/engine.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, BatchId, Ids, InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { engineOf, type Engines } from './engines.ts'
import { notFound } from './find.ts'
import type { InstanceListener } from './listeners.ts'
import type { Lifecycle } from './lifecycle.ts'
import { pruneReconnects, subjectById } from './store.ts'

interface Deps {
  readonly db: Db
  readonly ids: Pick<Ids, 'batch'>
  readonly engines: Engines
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly publish: InstanceListener
  /** Does what was decided here. */
  readonly wipe: (id: InstanceId) => void
}

interface Accepted {
  readonly id: string
  readonly status: 'recreating'
}

interface Refused {
  readonly id: string
  readonly error: { readonly code: ErrorCode; readonly message: string }
}

interface BatchCall {
  readonly accountId: AccountId
  /** As the caller wrote them; results are named by them. */
  readonly instanceIds: readonly string[]
  /** Whether the caller's key may reach the instance. */
  readonly mayReach: (id: string) => boolean
}

interface BatchAnswer {
  readonly batchId: BatchId
  readonly results: readonly (Accepted | Refused)[]
}

export interface Recreate {
  readonly one: (subject: EngineInstance) => Promise<Accepted>
  readonly batch: (call: BatchCall) => Promise<BatchAnswer>
}

/**
 * Decides that instances are recreated; from this commit on they have no number. The row is kept, and with it id, names,
 * external_ref, metadata and the numbering of events. Messages and recorded events stay as well.
 */
export function createRecreate({ db, ids, engines, log, lifecycle, publish, wipe }: Deps): Recreate {
  async function begin(tx: Tx, subject: EngineInstance): Promise<Accepted> {
    // Looked up first: without its engine the instance could not be wiped and would stay in `recreating`.
    engineOf(engines, subject)
    const { id } = subject
    if (!(await lifecycle.apply(tx, id, { kind: 'recreate' }))) throw notFound()
    await tx.run(pruneReconnects, { id, before: Number.MAX_SAFE_INTEGER })
    await publish(tx, { kind: 'recreated', id })
    tx.afterCommit(() => wipe(id))
    return { id, status: 'recreating' }
  }

  async function item(tx: Tx, asked: string, { accountId, mayReach }: BatchCall): Promise<Accepted | Refused> {
    const id = asked.toLowerCase()
    try {
      // One refusal for what is unknown, another account's, or outside the key's list.
      const subject = mayReach(id) ? await tx.one(subjectById, { id, accountId }) : undefined
      if (!subject) throw notFound()
      return { ...(await begin(tx, subject)), id: asked }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { id: asked, error: { code: error.code, message: error.message } }
    }
  }

  return {
    one: (subject) => db.commit((tx) => begin(tx, subject)),

    async batch(call) {
      refuseRepeated(call.instanceIds)
      const batchId = ids.batch()
      const results = await db.commit(async (tx) => {
        const found: (Accepted | Refused)[] = []
        for (const asked of call.instanceIds) found.push(await item(tx, asked, call))
        return found
      })
      log.info({ event: 'instance.recreate.batch', batchId, instances: results.length })
      return { batchId, results }
    },
  }
}

/** The schema has compared them as text; ids that differ in case only are one instance. */
function refuseRepeated(instanceIds: readonly string[]): void {
  if (new Set(instanceIds.map((id) => id.toLowerCase())).size === instanceIds.length) return
  throw new ApiError('validation_error', 'instance_ids must not repeat an item.')
}
