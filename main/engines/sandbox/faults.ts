import type { SendFault } from '../../contract/sandbox.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

interface Named {
  instanceId: string
  kind: string
}

const all = sql<Record<never, never>, { instanceId: InstanceId; kind: SendFault; remaining: number }>(
  'SELECT instance_id AS instanceId, kind, remaining FROM sandbox_faults',
)
const write = sql<Named & { remaining: number }>(
  `INSERT INTO sandbox_faults (instance_id, kind, remaining) VALUES (:instanceId, :kind, :remaining)
   ON CONFLICT (instance_id, kind) DO UPDATE SET remaining = excluded.remaining`,
)
const remove = sql<Named>('DELETE FROM sandbox_faults WHERE instance_id = :instanceId AND kind = :kind')
const removeAll = sql<{ instanceId: string }>('DELETE FROM sandbox_faults WHERE instance_id = :instanceId')

export type Faults = ReturnType<typeof createFaults>

/** How many more times each fault occurs. The count in memory decides; storage keeps it across restarts. */
export function createFaults(db: Db) {
  const remaining = new Map<InstanceId, Map<SendFault, number>>()
  let loading: Promise<void> | undefined

  const of = (instanceId: InstanceId) => remaining.get(instanceId)

  function put(instanceId: InstanceId, kind: SendFault, times: number): void {
    const mine = of(instanceId) ?? new Map<SendFault, number>()
    if (times > 0) remaining.set(instanceId, mine.set(kind, times))
    else if (mine.delete(kind) && mine.size === 0) remaining.delete(instanceId)
  }

  async function load(): Promise<void> {
    for (const row of await db.read(all, {})) put(row.instanceId, row.kind, row.remaining)
  }

  return {
    /** Reads all faults, once. */
    load: () => (loading ??= load()),
    /** False for nearly every send, and costs no query. */
    any: (instanceId: InstanceId): boolean => remaining.has(instanceId),
    has: (instanceId: InstanceId, kind: SendFault): boolean => of(instanceId)?.has(kind) ?? false,
    async set(tx: Tx, instanceId: InstanceId, kind: SendFault, times: number): Promise<void> {
      await tx.run(write, { instanceId, kind, remaining: times })
      tx.afterCommit(() => put(instanceId, kind, times))
    },
    /** Uses a fault once. The count is lowered before the first await, so that concurrent sends do not use it twice. */
    async strike(instanceId: InstanceId, kind: SendFault): Promise<boolean> {
      const left = of(instanceId)?.get(kind)
      if (left === undefined) return false
      put(instanceId, kind, left - 1)
      await db.commit(async (tx) => {
        if (left > 1) await tx.run(write, { instanceId, kind, remaining: left - 1 })
        else await tx.run(remove, { instanceId, kind })
      })
      return true
    },
    async clear(tx: Tx, instanceId: InstanceId, kind: SendFault): Promise<void> {
      await tx.run(remove, { instanceId, kind })
      tx.afterCommit(() => put(instanceId, kind, 0))
    },
    async clearAll(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(removeAll, { instanceId })
      tx.afterCommit(() => void remaining.delete(instanceId))
    },
  }
}
