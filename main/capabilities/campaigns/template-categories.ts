import type { CampaignMessage } from '../../contract/campaign.ts'
import type { TemplatePage } from '../../engines/templates.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { BilledNumber } from './billed-numbers.ts'

/** The category of each template in Meta's words, by name and language. */
export type Categories = ReadonlyMap<string, string>

interface Known {
  readonly readMono: number
  readonly categories: Categories
}

const SERVICE = 'service'
const TEMPLATES_AT_ONCE = 100
const MOST_PAGES = 10
/** Templates that are not found are looked for again after this. */
const LOOK_AGAIN_MS = 10 * 60_000
/** Meta changes the category of a template at most once a month. */
const SENDING_MS = 60 * 60_000

export type TemplateCategories = ReturnType<typeof createTemplateCategories>

/** What kind of message Meta charges for a template. */
export function createTemplateCategories({ clock }: { readonly clock: Pick<Clock, 'mono'> }) {
  const known = new Map<string, Known>()
  const reading = new Map<string, Promise<Categories>>()

  const isRecent = ({ readMono }: Known, ms: number): boolean => clock.mono() - readMono < ms

  /** What Meta does not answer is unknown, or what it was before. */
  async function ask({ engine, instance }: BilledNumber, wanted: readonly string[]): Promise<Categories> {
    const categories = new Map(known.get(instance.id)?.categories)
    try {
      const found = new Map<string, string>()
      let after: string | null = null
      for (let page = 0; page < MOST_PAGES; page++) {
        const answer: TemplatePage | undefined = await engine.templates?.list(instance, {
          limit: TEMPLATES_AT_ONCE,
          after,
        })
        for (const { name, language, category } of answer?.templates ?? [])
          found.set(nameOf(name, language), category.toLowerCase())
        after = answer?.after ?? null
        if (after === null || wanted.every((name) => found.has(name))) break
      }
      for (const name of wanted) categories.delete(name)
      for (const [name, category] of found) categories.set(name, category)
    } catch {
      return categories
    }
    return categories
  }

  return {
    /** Of the templates of these messages. Templates that Meta does not have are left out. */
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
      const categories = await asked
      known.set(id, { readMono: clock.mono(), categories })
      return categories
    },

    /** Drops what is cached of the number's templates. */
    forget: (instanceId: string): boolean => known.delete(instanceId),

    /** What `read` has found. undefined: `read` them first. */
    known(instanceId: string, messages: readonly CampaignMessage[]): Categories | undefined {
      const wanted = templatesOf(messages)
      if (wanted.length === 0) return NONE
      const found = known.get(instanceId)
      if (found === undefined) return undefined
      const isWhole = wanted.every((name) => found.categories.has(name))
      return isRecent(found, isWhole ? SENDING_MS : LOOK_AGAIN_MS) ? found.categories : undefined
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
