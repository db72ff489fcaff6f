import type { IssueFacts } from '../../engines/engine.ts'
import { graphVersionEnd } from '../../engines/official/graph-versions.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { lineOfInstances } from '../instance-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

interface AttentionDeps {
  readonly db: Pick<Db, 'readOne'>
  readonly clock: Pick<Clock, 'now'>
  readonly ownVersions: (
    accountId: AccountId,
  ) => readonly { readonly instanceId: InstanceId; readonly version: string }[]
}

interface Ending {
  readonly instanceId: InstanceId
  readonly hasEnded: boolean
  readonly facts: IssueFacts
}

const nameOf = sql<{ instanceId: string }, { name: string }>(
  'SELECT name FROM instances WHERE id = :instanceId AND deleted_at IS NULL',
)

/**
 * Numbers with their own API version that Meta ends soon. The version of the service is reported as a service notice.
 */
export function createAttention({ db, clock, ownVersions }: AttentionDeps) {
  /** Only a single one is shown by its name. */
  async function named(found: readonly Ending[]) {
    const [first] = found
    const row = first && found.length === 1 ? await db.readOne(nameOf, first) : undefined
    return found.map(({ instanceId, facts }) => ({ id: instanceId, name: row?.name ?? '', sinceMs: null, facts }))
  }

  return async ({ accountId, network }: AttentionQuery): Promise<AttentionLine[]> => {
    if (network === 'sandbox') return []
    const ending = ownVersions(accountId).flatMap(({ instanceId, version }): Ending[] => {
      const end = graphVersionEnd(version, clock.now())
      if (end === null) return []
      const untilMs = end.endsOn === null ? null : Date.parse(end.endsOn)
      return [{ instanceId, hasEnded: end.hasEnded, facts: { graphVersion: version, untilMs } }]
    })
    const { true: ended = [], false: endSoon = [] } = Object.groupBy(ending, ({ hasEnded }) => `${hasEnded}`)
    return [
      ...lineOfInstances('version_ended', 'error', await named(ended)),
      ...lineOfInstances('version_ends', 'warning', await named(endSoon)),
    ]
  }
}
