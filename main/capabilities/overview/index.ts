import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { activityCounter, createActivity, retainActivity } from './activity.ts'
import { createSetup, type SetupFacts } from './setup.ts'

export interface OverviewDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'inCommit'>
  /** The issues of all rooms. */
  readonly attention: (query: AttentionQuery) => Promise<readonly (AttentionLine & { readonly room: string })[]>
  readonly setup: (accountId: AccountId) => Promise<SetupFacts>
}

export type Overview = ReturnType<typeof createOverview>

/** The overview: issues that need attention, message counts, and open setup steps. */
export function createOverview(deps: OverviewDeps) {
  deps.ledger.inCommit(activityCounter)
  return {
    /** The most severe first, then the longest-lasting. */
    async attention(query: AttentionQuery) {
      const lines = await deps.attention(query)
      return lines.toSorted(
        (a, b) => RANK[a.severity] - RANK[b.severity] || (a.sinceMs ?? Infinity) - (b.sinceMs ?? Infinity),
      )
    },
    activity: createActivity(deps),
    setup: createSetup(deps),
    retention: retainActivity(deps),
  }
}

const RANK: Readonly<Record<AttentionLine['severity'], number>> = { error: 0, warning: 1 }
