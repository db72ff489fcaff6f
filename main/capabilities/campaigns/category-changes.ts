import type { CampaignMessage } from '../../contract/campaign-message.ts'
import type { CampaignRisk } from '../../contract/campaign.ts'
import { isoTime } from '../../contract/request.ts'
import type { AnnouncedChange } from '../../engines/templates.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { dayOf } from '../../kernel/time-zone.ts'
import { billedNumberOf } from './billed-numbers.ts'
import type { CampaignsDeps } from './deps.ts'
import type { Load } from './forecast.ts'
import { warning } from './risks.ts'
import { nameOf, usesTemplate, type Categories } from './template-categories.ts'

/** The announced changes of the templates that a campaign uses, earliest first. */
export function createCategoryChanges({ instances }: Pick<CampaignsDeps, 'instances'>) {
  return async (
    accountId: AccountId,
    known: readonly Load['instance'][],
    messages: readonly CampaignMessage[],
  ): Promise<readonly AnnouncedChange[]> => {
    const billed = known.flatMap((instance) => billedNumberOf(instances, accountId, instance) ?? [])
    const all = (await billed[0]?.engine.templates?.announced?.(accountId)) ?? []
    const ids = new Set(billed.map(({ instance }) => instance.id))
    return all.filter((change) => change.instanceIds.some((id) => ids.has(id)) && usesTemplate(messages, change))
  }
}

/** Changes that happen before the last message is sent. */
export function risksOfChanges(changes: readonly AnnouncedChange[], endsAtMs: number | null): CampaignRisk[] {
  return changes
    .filter(({ atMs }) => endsAtMs === null || endsAtMs >= atMs)
    .map(({ name, category, atMs }) => {
      const at = isoTime(atMs)
      const message = `From ${at} on, Meta charges for the template ${name} as ${category}. The campaign also sends after that.`
      return warning('category_changes', 'messages', message, { name, category, at })
    })
}

/** The categories before the first change, after it, and after each later one. */
export function categoriesInTime(categories: Categories, changes: readonly AnnouncedChange[]): Categories[] {
  let current = categories
  const later = changes.map(({ name, language, category }) => {
    current = new Map([...current, [nameOf(name, language), category.toLowerCase()]])
    return current
  })
  return [categories, ...later]
}

/**
 * How many people of a number get their message before the first change, after it, and after each later one. The
 * whole day of a change counts as after it, so the estimate may be too high.
 * @param timezone of the days of the plan
 */
export function recipientsInTime(
  { recipients, plan }: Pick<Load, 'recipients' | 'plan'>,
  changes: readonly AnnouncedChange[],
  timezone: string,
): number[] {
  const upTo = changes.map(({ atMs }) => Math.min(recipients, sentBefore(plan, atMs, timezone)))
  return [...upTo, recipients].map((total, at) => total - (upTo[at - 1] ?? 0))
}

/** A campaign of more than a year has no plan; nearly all of its messages come after the change. */
function sentBefore(plan: Load['plan'], atMs: number, timezone: string): number {
  if (plan === undefined) return 0
  const isOver = plan.endsAtMs < atMs
  const day = dayOf(atMs, timezone).date
  return plan.days.reduce((sum, { day: date, sends }) => (isOver || date < day ? sum + sends : sum), 0)
}
