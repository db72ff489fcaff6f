import type { CampaignConfig, CampaignMessage } from '../../contract/campaign.ts'
import type { CostTotals } from '../../contract/costs.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { countryOf } from '../../kernel/phone-country.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { PlannedMessages } from '../costs/index.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { CampaignsDeps } from './deps.ts'
import { billedNumberOf } from './billed-numbers.ts'
import { drawFor } from './seed.ts'
import { categoryOf, type TemplateCategories } from './template-categories.ts'

interface Plan {
  readonly campaignId: string
  readonly accountId: AccountId
  readonly messages: readonly CampaignMessage[]
  readonly config: CampaignConfig
  /** Sample size. The estimate assumes that everybody else is like the sample. */
  readonly first: readonly { readonly position: number; readonly phone: string }[]
  readonly load: readonly { readonly instance: KnownInstance; readonly recipients: number }[]
}

const PORTION = 500

/** What a campaign would cost today. */
export function createCostEstimate({
  instances,
  costs,
  templates,
}: Pick<CampaignsDeps, 'instances' | 'costs'> & { readonly templates: Pick<TemplateCategories, 'read'> }) {
  /** How many of the people are of each country and get a message of each category. */
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
    const billed = plan.load.flatMap(({ instance, recipients }) => {
      const number = billedNumberOf(instances, plan.accountId, instance)
      return number === null ? [] : [{ number, recipients }]
    })
    const [one] = billed
    if (one === undefined || plan.messages.length === 0) return null
    const kinds = await kindsOf(plan, await templates.read(one.number, plan.messages))
    const numbers = new Map<string, PlannedMessages[]>()
    for (const {
      number: { numberId },
      recipients,
    } of billed)
      numbers.set(numberId, [...(numbers.get(numberId) ?? []), ...shares(kinds, plan.first.length, recipients)])
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
