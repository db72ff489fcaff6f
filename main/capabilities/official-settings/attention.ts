import { graphVersionEnd } from '../../engines/official/graph-versions.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

interface AttentionDeps {
  readonly db: Pick<Db, 'readOne'>
  readonly clock: Pick<Clock, 'now'>
  readonly ownVersions: (
    accountId: AccountId,
  ) => readonly { readonly instanceId: InstanceId; readonly version: string }[]
}

const nameOf = sql<{ instanceId: string }, { name: string }>(
  'SELECT name FROM instances WHERE id = :instanceId AND deleted_at IS NULL',
)

/** Numbers with a version of their own that Meta ends soon. That of the service is a notice of the service. */
export function createAttention({ db, clock, ownVersions }: AttentionDeps) {
  return async ({ accountId, network }: AttentionQuery): Promise<AttentionLine[]> => {
    if (network === 'sandbox') return []
    const ending = ownVersions(accountId).flatMap(({ instanceId, version }) => {
      const end = graphVersionEnd(version, clock.now())
      return end === null ? [] : [{ instanceId, hasEnded: end.hasEnded }]
    })
    const [first, ...others] = ending
    if (first === undefined) return []
    const name = (await db.readOne(nameOf, { instanceId: first.instanceId }))?.name
    return [
      {
        ...{ code: 'version_ends', severity: ending.some(({ hasEnded }) => hasEnded) ? 'error' : 'warning' },
        ...{ count: ending.length, ids: ending.map(({ instanceId }) => instanceId), sinceMs: null, text: null },
        subject: others.length === 0 && name !== undefined ? { id: first.instanceId, name } : null,
      },
    ]
  }
}
