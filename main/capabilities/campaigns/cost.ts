import type { CampaignConfig, CampaignMessage } from '../../contract/campaign.ts'
import type { CostTotals } from '../../contract/costs.ts'
import type { TemplatePage } from '../../engines/templates.ts'
import type { Engine, EngineInstance } from '../../engines/engine.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { countryOf } from '../../kernel/phone-country.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { PlannedMessages } from '../costs/index.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { CampaignsDeps } from './deps.ts'
import { drawFor } from './seed.ts'

interface Plan {
  readonly campaignId: string
  readonly accountId: AccountId
  readonly messages: readonly CampaignMessage[]
  readonly config: CampaignConfig
  /** Sample size. The estimate assumes that everybody else is like the sample. */
  readonly first: readonly { readonly position: number; readonly phone: string }[]
  readonly load: readonly { readonly instance: KnownInstance; readonly recipients: number }[]
}

/** A number whose network charges for messages. */
interface BilledNumber {
  readonly numberId: string
  readonly instance: EngineInstance
  readonly engine: Engine
  readonly recipients: number
}

const SERVICE = 'service'
const TEMPLATES_AT_ONCE = 100
const MOST_PAGES = 10
const KEEP_MS = 10 * 60_000
const PORTION = 500

/** What a campaign would cost today. */
export function createCostEstimate({ clock, instances, costs }: Pick<CampaignsDeps, 'clock' | 'instances' | 'costs'>) {
  const known = new Map<string, { readonly atMs: number; readonly categories: Promise<ReadonlyMap<string, string>> }>()

  function billedNumbers({ accountId, load }: Plan): BilledNumber[] {
    return load.flatMap(({ instance: { id, engine: name, network }, recipients }) => {
      if (name !== 'official' || network !== 'live') return []
      const instance = { id, accountId, engine: name, network }
      const engine = engineOf(instance)
      const numberId = engine?.billedNumber?.(id) ?? null
      return engine === null || numberId === null ? [] : [{ numberId, instance, engine, recipients }]
    })
  }

  function engineOf(instance: EngineInstance): Engine | null {
    try {
      return instances.engineFor(instance)
    } catch {
      // This build has no such engine, so the number sends nothing.
      return null
    }
  }

  /** By name and language. Templates that are not found have no known category. */
  async function categoriesOf({ engine, instance }: BilledNumber, messages: readonly CampaignMessage[]) {
    const wanted = new Set(messages.flatMap((message) => templateOf(message) ?? []))
    if (wanted.size === 0) return new Map<string, string>()
    for (const [id, { atMs }] of known) if (clock.now() - atMs >= KEEP_MS) known.delete(id)
    const earlier = await known.get(instance.id)?.categories
    if (earlier !== undefined && [...wanted].every((name) => earlier.has(name))) return earlier
    const categories = read(engine, instance, wanted)
    known.set(instance.id, { atMs: clock.now(), categories })
    return categories
  }

  /** What Meta does not answer is unknown, and no reason against a preview. */
  async function read(engine: Engine, instance: EngineInstance, wanted: ReadonlySet<string>) {
    const categories = new Map<string, string>()
    try {
      let after: string | null = null
      for (let page = 0; page < MOST_PAGES; page++) {
        const found: TemplatePage | undefined = await engine.templates?.list(instance, { limit: TEMPLATES_AT_ONCE, after })
        for (const { name, language, category } of found?.templates ?? [])
          categories.set(nameOf(name, language), category.toLowerCase())
        after = found?.after ?? null
        if (after === null || [...wanted].every((name) => categories.has(name))) break
      }
    } catch {
      return categories
    }
    return categories
  }

  /** How many of the people are of each country and get a message of each category. */
  async function kindsOf({ campaignId, messages, config, first }: Plan, categories: ReadonlyMap<string, string>) {
    const kinds = new Map<string, PlannedMessages>()
    for (const [at, { position, phone }] of first.entries()) {
      if (at % PORTION === PORTION - 1) await yieldToEventLoop()
      const message = messages[drawFor(campaignId, position, config, messages.length).variation - 1]
      if (message === undefined) continue
      const template = templateOf(message)
      const category = template === undefined ? SERVICE : (categories.get(template) ?? null)
      const country = countryOf(phone)
      const name = `${country} ${category}`
      kinds.set(name, { country, category, messages: (kinds.get(name)?.messages ?? 0) + 1 })
    }
    return [...kinds.values()]
  }

  /** @returns null if no network charges for its messages. */
  return async function costOf(plan: Plan): Promise<CostTotals | null> {
    const billed = billedNumbers(plan)
    const [one] = billed
    if (one === undefined || plan.messages.length === 0) return null
    const kinds = await kindsOf(plan, await categoriesOf(one, plan.messages))
    const numbers = new Map<string, PlannedMessages[]>()
    for (const { numberId, recipients } of billed)
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

const nameOf = (name: string, language: string): string => JSON.stringify([name, language])

/** Template name and language. undefined for a message that uses no template. */
function templateOf({ cloud_api: payload }: CampaignMessage): string | undefined {
  const { type, template } = (payload ?? {}) as { type?: unknown; template?: unknown }
  if (type !== 'template' || typeof template !== 'object' || template === null) return undefined
  const { name, language } = template as { name?: unknown; language?: { code?: unknown } }
  return nameOf(String(name), String(language?.code))
}
