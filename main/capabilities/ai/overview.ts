import type { AccountId } from '../../kernel/ids.ts'
import type { InstanceSubject } from '../handler.ts'
import { agentsByInstance } from './agent-store.ts'
import type { InstanceSummary, Usage } from './contract/usage.ts'
import { waitingByInstance, waitingCount, waitingOfAccount } from './conversation-store.ts'
import { daysOfAccount, daysOfInstance, type DailyCounts } from './daily-store.ts'
import type { AiDeps } from './deps.ts'
import { dayOf, shiftDate } from '../../kernel/time-zone.ts'
import type { SettingsStore } from './settings.ts'

interface OverviewDeps extends Pick<AiDeps, 'db' | 'clock' | 'config' | 'instances'> {
  readonly settings: Pick<SettingsStore, 'read'>
}

const DAYS = 7

/** The activity of the agents by day. */
export function createOverview({ db, clock, config, instances, settings }: OverviewDeps) {
  /** The first of this many days, including today. */
  const firstDay = (days: number, zone: string) => shiftDate(dayOf(clock.now(), zone).date, 1 - days)

  /** The same check as in a turn. An instance whose linked number may answer does not count as held. */
  const isHeld = async (accountId: AccountId, id: string): Promise<boolean> => {
    const instance = await instances.subject(accountId, id)
    const hold = instance && instances.holdOf(instance)
    if (!hold || hold.reason === 'spam') return false
    return !(await settings.read({ one: db.readOne }, instance.id)).answer_over_linked_number
  }

  return {
    async ofInstance({ id: instanceId, accountId }: InstanceSubject, days = DAYS): Promise<Usage> {
      const { timezone } = await settings.read({ one: db.readOne }, instanceId)
      const from = firstDay(days, timezone)
      const waiting = await db.readOne(waitingCount, { accountId, instanceId })
      return toUsage(await db.read(daysOfInstance, { instanceId, from }), waiting?.count ?? 0)
    },
    async instances(accountId: AccountId): Promise<{ data: InstanceSummary[] }> {
      const rows = await db.read(agentsByInstance, { accountId })
      const waiting = new Map(
        (await db.read(waitingByInstance, { accountId })).map(({ instanceId, count }) => [instanceId, count]),
      )
      const held = new Set<string>()
      for (const { instanceId, enabled } of rows)
        if (enabled === 1 && (await isHeld(accountId, instanceId))) held.add(instanceId)
      return {
        data: rows.map(({ instanceId, agents, id, name, provider, model, enabled }) => ({
          instance_id: instanceId,
          enabled: enabled === 1,
          // The name and the provider of an agent are never null.
          primary: id === null || name === null || provider === null ? null : { id, name, provider, model },
          agents,
          is_held: held.has(instanceId),
          waiting: waiting.get(instanceId) ?? 0,
        })),
      }
    },
    async ofAccount(accountId: AccountId, days = DAYS): Promise<Usage> {
      const from = firstDay(days, config.safetyTimezone)
      const waiting = await db.readOne(waitingOfAccount, { accountId })
      return toUsage(await db.read(daysOfAccount, { accountId, from }), waiting?.count ?? 0)
    },
  }
}

function toUsage(rows: readonly (DailyCounts & { readonly day: string })[], waiting: number): Usage {
  const sum = (count: keyof DailyCounts) => rows.reduce((total, row) => total + row[count], 0)
  const totals: DailyCounts = {
    ...{ answered: sum('answered'), handedOver: sum('handedOver'), followUps: sum('followUps') },
    ...{ inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens'), costMicros: sum('costMicros') },
  }
  return { totals: toCounts(totals), waiting, days: rows.map((row) => ({ day: row.day, ...toCounts(row) })) }
}

const toCounts = (counts: DailyCounts) => ({
  ...{ answered: counts.answered, handed_over: counts.handedOver, follow_ups: counts.followUps },
  ...{ input_tokens: counts.inputTokens, output_tokens: counts.outputTokens },
  cost_usd: counts.costMicros / 1_000_000,
})
