import type { CampaignMessage } from '../../contract/campaign-message.ts'
import type { Template, TemplatePage, TemplateSuspension } from '../../engines/templates.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { BilledNumber } from './billed-numbers.ts'
import type { CampaignHold } from './links.ts'

/** Meta's category of each template, by name and language. */
export type Categories = ReadonlyMap<string, string>

interface Known {
  readonly readMono: number
  readonly categories: Categories
  /** Utility templates, including those that lost the category when Meta suspended them. */
  readonly utility: ReadonlySet<string>
  /** Templates that cannot be sent now. */
  readonly unusable: ReadonlyMap<string, UnusableTemplate>
}

/** A template that cannot be sent now, with Meta's status. */
export type UnusableTemplate = Pick<Template, 'name' | 'status' | 'deletedAtMs' | 'pausedUntilMs'>

const SERVICE = 'service'
const TEMPLATES_AT_ONCE = 100
const MOST_PAGES = 10
/** Missing templates are looked up again after this time. */
const LOOK_AGAIN_MS = 10 * 60_000
/** How long categories are cached while sending: Meta changes a category at most once a month. */
const SENDING_MS = 60 * 60_000

export type TemplateCategories = ReturnType<typeof createTemplateCategories>

/** The category that Meta charges for each template. */
export function createTemplateCategories({ clock }: { readonly clock: Pick<Clock, 'mono'> }) {
  const known = new Map<string, Known>()
  const reading = new Map<string, Promise<Omit<Known, 'readMono'>>>()

  /** Whether one of the messages uses a utility template, as far as is known. */
  function usesUtility(instanceId: string, messages: readonly CampaignMessage[]): boolean {
    const utility = known.get(instanceId)?.utility
    return utility !== undefined && templatesOf(messages).some((name) => utility.has(name))
  }

  const isRecent = ({ readMono }: Known, ms: number): boolean => clock.mono() - readMono < ms

  /** If Meta does not answer, the last known category is kept. */
  async function ask({ engine, instance }: BilledNumber, wanted: readonly string[]): Promise<Omit<Known, 'readMono'>> {
    const categories = new Map(known.get(instance.id)?.categories)
    const utility = new Set(known.get(instance.id)?.utility)
    const unusable = new Map(known.get(instance.id)?.unusable)
    try {
      const found = new Map<string, string>()
      let after: string | null = null
      for (let page = 0; page < MOST_PAGES; page++) {
        const answer: TemplatePage | undefined = await engine.templates?.list(instance, {
          limit: TEMPLATES_AT_ONCE,
          after,
        })
        for (const template of answer?.templates ?? []) {
          const { name, language, category, suspension, status } = template
          const key = nameOf(name, language)
          found.set(key, category.toLowerCase())
          if (category === 'UTILITY' || suspension !== null) utility.add(key)
          else utility.delete(key)
          if (status === 'APPROVED') unusable.delete(key)
          else unusable.set(key, template)
        }
        after = answer?.after ?? null
        if (after === null || wanted.every((name) => found.has(name))) break
      }
      for (const name of wanted) if (!found.has(name)) categories.delete(name)
      for (const [name, category] of found) categories.set(name, category)
    } catch {
      return { categories, utility, unusable }
    }
    return { categories, utility, unusable }
  }

  return {
    /** Reads the categories of these messages' templates. Templates that Meta does not have are left out. */
    async read(number: BilledNumber, messages: readonly CampaignMessage[]): Promise<Categories> {
      const wanted = templatesOf(messages)
      if (wanted.length === 0) return NONE
      const { id } = number.instance
      for (const [other, one] of known) if (!isRecent(one, SENDING_MS)) known.delete(other)
      const earlier = known.get(id)
      const isKnown = earlier !== undefined && wanted.every((name) => earlier.categories.has(name))
      if (earlier !== undefined && isKnown && isRecent(earlier, LOOK_AGAIN_MS)) return earlier.categories
      const key = JSON.stringify([id, wanted])
      const asked = reading.get(key) ?? ask(number, wanted).finally(() => reading.delete(key))
      reading.set(key, asked)
      const answer = await asked
      known.set(id, { readMono: clock.mono(), ...answer })
      return answer.categories
    },

    /** Drops the cached templates of the number. */
    forget: (instanceId: string): boolean => known.delete(instanceId),

    /** What `read` has cached. undefined: call `read` first. */
    known(instanceId: string, messages: readonly CampaignMessage[]): Categories | undefined {
      const wanted = templatesOf(messages)
      if (wanted.length === 0) return NONE
      const found = known.get(instanceId)
      if (found === undefined) return undefined
      const isWhole = wanted.every((name) => found.categories.has(name))
      return isRecent(found, isWhole ? SENDING_MS : LOOK_AGAIN_MS) ? found.categories : undefined
    },

    /** Templates of the messages that cannot be sent now, as far as is known. */
    unusable(instanceId: string, messages: readonly CampaignMessage[]): readonly UnusableTemplate[] {
      return templatesOf(messages).flatMap((name) => known.get(instanceId)?.unusable.get(name) ?? [])
    },

    usesUtility,

    /** Why a campaign waits while Meta suspends the utility templates of a number; null if it does not wait. */
    utilityHold(
      instanceId: string,
      messages: readonly CampaignMessage[],
      suspension: TemplateSuspension | null,
    ): CampaignHold | null {
      if (suspension === null || !usesUtility(instanceId, messages)) return null
      return { reason: 'utility_templates', untilMs: suspension.untilMs }
    },
  }
}

const NONE: Categories = new Map()

/** null: Meta does not have its template. */
export function categoryOf(message: CampaignMessage, categories: Categories): string | null {
  const template = templateOf(message)
  return template === undefined ? SERVICE : (categories.get(template) ?? null)
}

/** Whether one of the messages uses the template. */
export const usesTemplate = (
  messages: readonly CampaignMessage[],
  template: { name: string; language: string },
): boolean => templatesOf(messages).includes(nameOf(template.name, template.language))

const templatesOf = (messages: readonly CampaignMessage[]): string[] => [
  ...new Set(messages.flatMap((message) => templateOf(message) ?? [])),
]

/** The key of a template in these maps. */
export const nameOf = (name: string, language: string): string => JSON.stringify([name, language])

/** Template name and language. undefined for a message that uses no template. */
function templateOf({ cloud_api: payload }: CampaignMessage): string | undefined {
  const { type, template } = (payload ?? {}) as { type?: unknown; template?: unknown }
  if (type !== 'template' || typeof template !== 'object' || template === null) return undefined
  const { name, language } = template as { name?: unknown; language?: { code?: unknown } }
  return nameOf(String(name), String(language?.code))
}
