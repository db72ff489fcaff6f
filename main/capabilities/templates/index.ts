import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Template, TemplateCapacity } from '../../engines/templates.ts'
import type { Messages } from '../messages/index.ts'
import { rejectionHelp } from './rejection-help.ts'
import { createHeaderSamples } from './header-sample.ts'
import { createEngineCalls, notSupported, requireConnected } from '../engine-call.ts'
import type { InstanceSubject } from '../handler.ts'
import type { ChangeTemplateBody, CreateTemplateBody, TemplateRecord, TemplatesQuery } from './contract.ts'

interface TemplateList {
  readonly data: TemplateRecord[]
  readonly next_cursor: string | null
  readonly has_more: boolean
  readonly capacity: TemplateCapacity | null
}

/**
 * Each function throws ApiError not_ready for an instance that is not connected, and invalid_state with Meta's
 * message.
 */
export interface Templates {
  list(instance: InstanceSubject, query: TemplatesQuery): Promise<TemplateList>
  /** @throws ApiError not_found */
  read(instance: InstanceSubject, id: string): Promise<TemplateRecord>
  create(instance: InstanceSubject, body: CreateTemplateBody): Promise<TemplateRecord>
  /** @throws ApiError not_found */
  change(instance: InstanceSubject, id: string, body: ChangeTemplateBody): Promise<TemplateRecord>
  /** Does nothing for a template that is not paused. @throws ApiError not_found */
  unpause(instance: InstanceSubject, id: string): Promise<TemplateRecord>
  /** @throws ApiError not_found */
  remove(instance: InstanceSubject, id: string): Promise<void>
}

export type TemplatesDeps = Parameters<typeof createEngineCalls>[0] & {
  readonly cursors: Cursors
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
  readonly messages: Pick<Messages, 'uploads' | 'fetchFile'>
}

type OfEngine = NonNullable<Engine['templates']>

/** Message templates of the business account behind a number. */
export function createTemplates({ cursors, instances, messages, ...deps }: TemplatesDeps): Templates {
  const callEngine = createEngineCalls(deps)
  const withSample = createHeaderSamples({ ...deps, messages })

  function templatesOf(instance: InstanceSubject): OfEngine {
    requireConnected(instance)
    const { templates } = instances.engineFor(instance)
    if (templates === undefined) throw notSupported()
    return templates
  }

  async function find(templates: OfEngine, instance: InstanceSubject, id: string): Promise<Template> {
    const found = await templates.read(instance, id)
    if (found !== undefined) return found
    throw new ApiError('not_found', 'The business account of this number has no template with this id.')
  }

  return {
    async list(instance, { limit = LIMITS.pageSizeDefault, cursor }) {
      const name = `templates ${instance.id}`
      const [after = null] = cursor === undefined ? [] : cursors.decode(name, cursor)
      const templates = templatesOf(instance)
      const page = { limit, after: after === null ? null : String(after) }
      const found = await callEngine(instance, () => templates.list(instance, page))
      const next = found.after === null ? null : cursors.encode(name, [found.after])
      const { capacity } = found
      return { data: found.templates.map(toRecord), next_cursor: next, has_more: next !== null, capacity }
    },

    async read(instance, id) {
      const templates = templatesOf(instance)
      return toRecord(await callEngine(instance, () => find(templates, instance, id)))
    },

    async create(instance, { header_media: media, card_media: cardMedia, ttl_seconds: ttlSeconds, ...body }) {
      const templates = templatesOf(instance)
      const components = await withSample(instance, templates, body.components, media, cardMedia)
      return callEngine(instance, async () => {
        const draft = { ...body, components, ...(ttlSeconds !== undefined && { ttlSeconds }) }
        const { id } = await templates.create(instance, draft)
        // The template was created, even if it cannot be read again.
        const made = await templates.read(instance, id).catch(() => undefined)
        return toRecord(made ?? { ...IN_REVIEW, ...draft, id })
      })
    },

    async change(instance, id, { header_media: media, card_media: cardMedia, ttl_seconds: ttlSeconds, ...body }) {
      const templates = templatesOf(instance)
      const found = await callEngine(instance, () => find(templates, instance, id))
      const hasFiles = media !== undefined || cardMedia !== undefined
      const given = hasFiles
        ? (body.components ?? (found.components as CreateTemplateBody['components']))
        : body.components
      const components = given && (await withSample(instance, templates, given, media, cardMedia))
      return callEngine(instance, async () => {
        const change = {
          ...body,
          ...(components && { components }),
          ...(ttlSeconds !== undefined && { ttlSeconds }),
        }
        if (Object.keys(change).length === 0) return toRecord(found)
        await templates.change(instance, id, change)
        return toRecord(await find(templates, instance, id))
      })
    },

    async unpause(instance, id) {
      const templates = templatesOf(instance)
      return callEngine(instance, async () => {
        const found = await find(templates, instance, id)
        if (found.status !== 'PAUSED') return toRecord(found)
        await templates.unpause(instance, id)
        return toRecord(await find(templates, instance, id))
      })
    },

    async remove(instance, id) {
      const templates = templatesOf(instance)
      await callEngine(instance, async () => templates.remove(instance, await find(templates, instance, id)))
    },
  }
}

const IN_REVIEW = {
  ...{
    status: 'PENDING',
    quality: null,
    rejectedReason: null,
    pausedUntilMs: null,
    categoryChange: null,
    suspension: null,
    deletedAtMs: null,
    ttlSeconds: null,
  },
} as const

function toRecord({
  rejectedReason,
  pausedUntilMs,
  categoryChange,
  suspension,
  ttlSeconds,
  deletedAtMs,
  components,
  ...template
}: Template): TemplateRecord {
  return {
    ...template,
    rejected_reason: rejectedReason,
    rejection_help: rejectionHelp(rejectedReason),
    paused_until: pausedUntilMs === null ? null : isoTime(pausedUntilMs),
    category_change:
      categoryChange === null ? null : { category: categoryChange.category, changes_at: isoTime(categoryChange.atMs) },
    deletes_at: deletedAtMs === null ? null : isoTime(deletedAtMs),
    ttl_seconds: ttlSeconds,
    restriction: suspension && { ends_at: suspension.untilMs === null ? null : isoTime(suspension.untilMs) },
    components: components.map((component): Record<string, unknown> => ({ ...component })),
  }
}
