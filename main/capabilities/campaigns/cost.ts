import type { CampaignMessage } from '../../contract/campaign-message.ts'
import type { CampaignConfig } from '../../contract/campaign.ts'
import type { CostTotals } from '../../contract/costs.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { countryOf } from '../../kernel/phone-country.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { PlannedMessages } from '../costs/index.ts'
import type { AnnouncedChange } from '../../engines/templates.ts'
import type { CampaignsDeps } from './deps.ts'
import { billedNumberOf } from './billed-numbers.ts'
import { categoriesInTime, recipientsInTime } from './category-changes.ts'
import type { Load } from './forecast.ts'
import { drawFor } from './seed.ts'
import { categoryOf, type TemplateCategories } from './template-categories.ts'

interface Plan {
  readonly campaignId: string
  readonly accountId: AccountId
  readonly messages: readonly CampaignMessage[]
  readonly config: CampaignConfig
  /** The sample. The estimate assumes that all other people are like these. */
  readonly first: readonly { readonly position: number; readonly phone: string }[]
  readonly load: readonly Load[]
  /** Changes of its templates' categories. */
  readonly changes: readonly AnnouncedChange[]
  /** Time zone of the days in the load. */
  readonly timezone: string
}

const PORTION = 500

/** Estimates the cost of a campaign at today's prices. */
export function createCostEstimate({
  instances,
  costs,
  templates,
}: Pick<CampaignsDeps, 'instances' | 'costs'> & { readonly templates: Pick<TemplateCategories, 'read'> }) {
  /** Number of people per country and message category. */
  async function kindsOf({ campaignId, messages, config, first }: Plan, categories: ReadonlyMap<string, string>) {
    const kinds = new Map<string, PlannedMessages>()
    for (const [at, { position, phone }] of first.entries()) {
      if (at % PORTION === PORTION - 1) await yieldToEventLoop()
      const message = messages[drawFor(campaignId, position, config, messages.length).variation - 1]
      if (message === undefined) continue
      const category = categoryOf(message, categories)
      const country = countryOf(phone)
      const name = `${country} ${category}`
      kinds.set(name, { country, category, messages: (kinds.get(name)?.messages ?? 0) + 1 })
    }
    return [...kinds.values()]
  }

  /** @returns null if no network charges for its messages. */
  return async function costOf(plan: Plan): Promise<CostTotals | null> {
    const billed = plan.load.flatMap((load) => {
      const number = billedNumberOf(instances, plan.accountId, load.instance)
      return number === null ? [] : [{ number, load }]
    })
    const [one] = billed
    if (one === undefined || plan.messages.length === 0) return null
    const stages: (readonly PlannedMessages[])[] = []
    for (const categories of categoriesInTime(await templates.read(one.number, plan.messages), plan.changes))
      stages.push(await kindsOf(plan, categories))
    const numbers = new Map<string, PlannedMessages[]>()
    for (const { number, load } of billed) {
      const planned = numbers.get(number.numberId) ?? []
      const recipients = recipientsInTime(load, plan.changes, plan.timezone)
      for (const [at, kinds] of stages.entries()) planned.push(...shares(kinds, plan.first.length, recipients[at] ?? 0))
      numbers.set(number.numberId, planned)
    }
    return costs.estimate(numbers)
  }
}

/** Scales the sample up to `wanted` people. The parts add up to exactly `wanted`. */
function shares(kinds: readonly PlannedMessages[], looked: number, wanted: number): PlannedMessages[] {
  let seen = 0
  let given = 0
  return kinds.map((kind) => {
    seen += kind.messages
    const upTo = looked === 0 ? 0 : Math.round((wanted * seen) / looked)
    const messages = upTo - given
    given = upTo
    return { ...kind, messages }
  })
}
