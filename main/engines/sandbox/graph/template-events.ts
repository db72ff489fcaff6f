import type { Clock } from '../../../kernel/clock.ts'
import type { Template } from '../../templates.ts'
import { UNENDING_MS, type TemplateStore } from '../templates.ts'
import type { Assessments } from './assessments.ts'
import type { GraphChange } from './callback-bodies.ts'
import type { Callbacks } from './callbacks.ts'
import type { GraphNumber } from './store.ts'

interface TemplateEventsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly store: TemplateStore
  readonly callbacks: Pick<Callbacks, 'send'>
  readonly assessments: Pick<Assessments, 'fail'>
}

const HOUR_MS = 3_600_000
/** Meta's documentation, "Template pausing". */
const PAUSES = { FIRST_PAUSE: 3 * HOUR_MS, SECOND_PAUSE: 6 * HOUR_MS } as const
const REVIEW_MS = 24 * HOUR_MS

export type GraphTemplates = ReturnType<typeof createTemplateEvents>

/** Events of templates that the business did not cause, and Meta's callbacks about them. */
export function createTemplateEvents({ clock, store, callbacks, assessments }: TemplateEventsDeps) {
  const ownerOf = ({ accountId, wabaId: businessId }: GraphNumber) => ({ accountId, businessId })
  const alter = (number: GraphNumber, ...change: [id: string, Parameters<TemplateStore['alter']>[2]]) =>
    store.alter(ownerOf(number), ...change)
  const report = (number: GraphNumber, field: string, template: Template, value: object, atMs?: number) =>
    callbacks.send(number, changeOf(field, template, value), atMs)

  async function status(
    number: GraphNumber,
    template: Template,
    event: string,
    title: string,
    atMs?: number,
  ): Promise<void> {
    const other_info = { title, description: 'People reacted badly to it.' }
    const category = { message_template_category: template.category }
    const value = { event, reason: 'NONE', ...category, other_info }
    await report(number, 'message_template_status_update', template, value, atMs)
  }

  return {
    /** People react badly to it. @returns when Meta ends the pause. */
    async pause(number: GraphNumber, id: string, title: keyof typeof PAUSES): Promise<number> {
      // Callback times are whole seconds.
      const atMs = Math.floor(clock.now() / 1_000) * 1_000
      const pausedUntilMs = atMs + PAUSES[title]
      const template = await alter(number, id, { pausedUntilMs, quality: 'RED' })
      await status(number, template, 'PAUSED', title, atMs)
      return pausedUntilMs
    },
    /**
     * People react badly to the first messages with the template: those that Meta holds are dropped, and somebody has
     * to end the pause ("Template pacing").
     */
    async failAssessment(number: GraphNumber, id: string): Promise<void> {
      const template = await alter(number, id, { pausedUntilMs: UNENDING_MS, quality: 'RED' })
      await status(number, template, 'PAUSED', 'RATE_LIMITING_PAUSE')
      await assessments.fail(id)
    },
    async endPause(number: GraphNumber, id: string): Promise<void> {
      const template = await alter(number, id, { pausedUntilMs: null })
      await status(number, template, 'APPROVED', 'UNPAUSE')
    },
    /** Meta disables a template instead of pausing it a third time. */
    async disable(number: GraphNumber, id: string): Promise<void> {
      const template = await alter(number, id, { disabled: true, quality: 'RED' })
      await status(number, template, 'DISABLED', 'DISABLED')
    },
    /** Meta archives a template that was unused for 12 months. */
    async archive(number: GraphNumber, id: string): Promise<void> {
      await status(number, await alter(number, id, { archived: 1 }), 'ARCHIVED', 'NONE')
    },
    /** The business restores the template from the archive in WhatsApp Manager. */
    async unarchive(number: GraphNumber, id: string): Promise<void> {
      await status(number, await alter(number, id, { archived: 0 }), 'UNARCHIVED', 'NONE')
    },
    async rate(number: GraphNumber, id: string, quality: 'GREEN' | 'YELLOW' | 'RED'): Promise<void> {
      const before = await store.read(ownerOf(number), id)
      const template = await alter(number, id, { quality })
      const value = { previous_quality_score: before?.quality ?? 'UNKNOWN', new_quality_score: quality }
      await report(number, 'message_template_quality_update', template, value)
    },
    /** Meta announces another category a day ahead. Until then, `new_category` holds the current one. */
    async announceCategory(number: GraphNumber, id: string, category: string): Promise<void> {
      const template = await store.read(ownerOf(number), id)
      if (template === undefined) throw new Error(`the simulated Meta has no template ${id}`)
      const at = { category_update_timestamp: Math.floor((clock.now() + REVIEW_MS) / 1_000) }
      const value = { correct_category: category, new_category: template.category, ...at }
      await report(number, 'template_category_update', template, value)
    },
    async changeCategory(number: GraphNumber, id: string, category: string): Promise<void> {
      const before = await store.read(ownerOf(number), id)
      const template = await alter(number, id, { category })
      const value = { previous_category: before?.category ?? '', new_category: category }
      await report(number, 'template_category_update', template, value)
    },
    /** Meta has suspended utility templates of the account: the approved ones become marketing templates. */
    async recategorizeUtility(number: GraphNumber): Promise<void> {
      for (const id of await store.approvedUtility(ownerOf(number))) await this.changeCategory(number, id, 'MARKETING')
    },
    /** Somebody edits the template in the WhatsApp Manager. */
    async edit(number: GraphNumber, id: string, text: string): Promise<void> {
      const template = await alter(number, id, { components: [{ type: 'BODY', text }] })
      await report(number, 'message_template_components_update', template, { message_template_element: text })
    },
  }
}

function changeOf(field: string, { id, name, language }: Template, value: object): GraphChange {
  const template = {
    message_template_id: Number(id),
    message_template_name: name,
    message_template_language: language,
  }
  return { field, value: { ...template, ...value } }
}
