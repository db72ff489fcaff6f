import { noUse, USAGE_COUNTERS, type UsageRow, type UsageTotals } from '../../contract/usage.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { dayOf } from '../../kernel/time-zone.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { count, rowsOf, totalsOf } from './store.ts'

/** Omitted counters are 0. A negative value subtracts. */
interface Use {
  /** The current owner of the instance. Usage stays with the account that caused it. */
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  /** When it happened; the day depends on the account's time zone. */
  readonly atMs: number
  readonly sent?: number
  readonly received?: number
  readonly failed?: number
  readonly campaignSends?: number
  readonly calls?: number
  readonly callSeconds?: number
  readonly aiTokens?: number
  readonly mediaBytes?: number
}

/** Both days are included. */
export interface UsageSpan {
  readonly from: string
  readonly to: string
}

export interface UsageDeps {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly clock: Pick<Clock, 'now'>
  readonly timeZoneOf: (tx: Pick<Tx, 'one'>, accountId: AccountId) => Promise<string>
}

export interface Usage {
  /** Counts in the caller's commit, together with the counted event. */
  add(tx: Tx, use: Use): Promise<void>
  /** Today in the time zone of the account. */
  today(accountId: AccountId): Promise<string>
  /** Rows of one account after another, each by day and then by instance; read in portions. */
  rows(accountIds: readonly AccountId[], span: UsageSpan): AsyncGenerator<readonly UsageRow[]>
  totals(accountIds: readonly AccountId[], span: UsageSpan): Promise<UsageTotals>
}

const PORTION = 1_000

export function createUsage({ db, clock, timeZoneOf }: UsageDeps): Usage {
  return {
    async add(tx, { accountId, instanceId, atMs, ...used }) {
      const { date: day } = dayOf(atMs, await timeZoneOf(tx, accountId))
      const { sent = 0, received = 0, failed = 0, campaignSends = 0, calls = 0 } = used
      const { callSeconds = 0, aiTokens = 0, mediaBytes = 0 } = used
      await tx.run(count, {
        ...{ accountId, instanceId, day, sent, received, failed, calls },
        ...{ campaign_sends: campaignSends, call_seconds: callSeconds, ai_tokens: aiTokens, media_bytes: mediaBytes },
      })
    },
    today: async (accountId) => dayOf(clock.now(), await timeZoneOf({ one: db.readOne }, accountId)).date,
    async *rows(accountIds, span) {
      for (const accountId of accountIds) {
        let [afterDay, afterId] = ['', '']
        for (;;) {
          const found = await db.read(rowsOf, { ...span, accountId, afterDay, afterId, rows: PORTION })
          if (found.length > 0) yield found
          const last = found.at(-1)
          if (last === undefined || found.length < PORTION) break
          ;[afterDay, afterId] = [last.day, last.instance_id]
          await yieldToEventLoop()
        }
      }
    },
    async totals(accountIds, span) {
      const all = noUse()
      for (const accountId of accountIds) {
        const found = await db.readOne(totalsOf, { ...span, accountId })
        for (const name of USAGE_COUNTERS) all[name] += found?.[name] ?? 0
      }
      return all
    },
  }
}
