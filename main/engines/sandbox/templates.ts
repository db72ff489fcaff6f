import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { EngineInstance } from '../engine.ts'
import type {
  Template,
  TemplateCapacity,
  TemplateChange,
  TemplateDraft,
  TemplatePage,
  Templates,
} from '../templates.ts'
import { templateSent } from '../official/interactive-content.ts'
import { templatesFull } from '../templates-full.ts'
import { templateContent } from '../template-content.ts'
import { isPaired, type Sessions } from './sessions.ts'
import { withMetaText } from './authentication-templates.ts'
import { componentsRefusal, refusalOf, rejectionOf, ttlRefusal } from './template-rules.ts'

/** State of a sample, which never changes after its approval. */
const UNTOUCHED = {
  ...{ quality: null, rejectedReason: null, pausedUntilMs: null, categoryChange: null },
  ...{ suspension: null, deletedAtMs: null, ttlSeconds: null },
} as const

/** Samples in every business account, in Graph's format. Like Meta's sample, they cannot be changed. */
const SAMPLES: readonly Template[] = [
  {
    id: '900000000000001',
    name: 'hello_world',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    ...UNTOUCHED,
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      { type: 'BODY', text: 'Welcome! This template of the sandbox has no variables.' },
      { type: 'FOOTER', text: 'Switchboard sandbox' },
    ],
  },
  {
    id: '900000000000002',
    name: 'order_update',
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    ...UNTOUCHED,
    components: [
      {
        type: 'BODY',
        text: 'Hello {{1}}, your order {{2}} is on its way.',
        example: { body_text: [['Ana', '1042']] },
      },
    ],
  },
  {
    id: '900000000000003',
    name: 'spring_offer',
    language: 'en',
    status: 'APPROVED',
    category: 'MARKETING',
    ...UNTOUCHED,
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://media.sandbox/image.png'] } },
      { type: 'BODY', text: 'Dear {{1}}, everything for the garden.', example: { body_text: [['Ana']] } },
    ],
  },
]

/** End of a pause that only a person can end. */
export const UNENDING_MS: number = Date.UTC(9999, 0)
/** At Meta a review takes much longer: up to a day. */
const REVIEW_MS = 2_000
const EDIT_EVERY_MS = 24 * 60 * 60_000
const NAME_LOCKED_MS = 30 * EDIT_EVERY_MS
/** Meta's limit for a business that is not verified is 250. */
const MOST = 250
/** "Message template limit exceeded", Meta's page "Error codes". */
const LIMIT_EXCEEDED = 2_388_019

/** A refusal of the simulated Meta. */
export class TemplateRefusal extends Error {
  readonly code: number
  readonly details: string
  readonly subcode: number | null
  constructor(code: number, details: string, subcode: number | null = null) {
    super(details)
    this.code = code
    this.details = details
    this.subcode = subcode
  }
}

/** Owner for official numbers that use the sandbox directly. */
export const SANDBOX_BUSINESS = 'sandbox'

/** A business account of the simulated Meta. */
export interface TemplateOwner {
  readonly accountId: AccountId
  /** Two business accounts of one account have separate templates. */
  readonly businessId: string
}

interface Row {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly category: string
  readonly components: string
  /** The status after the review. */
  readonly status: string
  readonly rejectedReason: string | null
  readonly quality: string | null
  readonly pausedUntilMs: number | null
  readonly submittedAtMs: number
  readonly approvedEditAtMs: number | null
  readonly disabled: 0 | 1
  readonly ttlSeconds: number | null
  readonly archived: 0 | 1
}

type Of = TemplateOwner

const COLUMNS = `id, name, language, category, components, status, rejected_reason AS rejectedReason, quality,
  paused_until AS pausedUntilMs, submitted_at AS submittedAtMs, approved_edit_at AS approvedEditAtMs, disabled,
  ttl_seconds AS ttlSeconds, archived`

const page = sql<Of & { after: string; limit: number }, Row>(
  `SELECT ${COLUMNS} FROM sandbox_templates WHERE account_id = :accountId AND business_id = :businessId
     AND deleted_at IS NULL AND id > :after ORDER BY id LIMIT :limit`,
)
const byId = sql<Of & { id: string }, Row>(
  `SELECT ${COLUMNS} FROM sandbox_templates WHERE account_id = :accountId AND business_id = :businessId
     AND id = :id AND deleted_at IS NULL`,
)
const byName = sql<Of & { name: string; language: string }, Row>(
  `SELECT ${COLUMNS} FROM sandbox_templates WHERE account_id = :accountId AND business_id = :businessId
     AND name = :name AND language = :language AND deleted_at IS NULL`,
)
const allOfName = sql<Of & { name: string }, Row>(
  `SELECT ${COLUMNS} FROM sandbox_templates WHERE account_id = :accountId AND business_id = :businessId
     AND name = :name AND deleted_at IS NULL ORDER BY id`,
)
const lockedName = sql<Of & { name: string; language: string; since: number }, { id: string }>(
  `SELECT id FROM sandbox_templates WHERE account_id = :accountId AND business_id = :businessId
     AND name = :name AND language = :language AND deleted_at > :since ORDER BY id LIMIT 1`,
)
const count = sql<Of, { n: number }>(
  `SELECT COUNT(*) AS n FROM sandbox_templates WHERE account_id = :accountId AND business_id = :businessId
     AND deleted_at IS NULL`,
)
const add = sql<Of & Omit<Row, 'quality' | 'pausedUntilMs' | 'approvedEditAtMs' | 'disabled' | 'archived'>>(
  `INSERT INTO sandbox_templates (account_id, business_id, id, name, language, category, components, status,
     rejected_reason, submitted_at, ttl_seconds)
   VALUES (:accountId, :businessId, :id, :name, :language, :category, :components, :status, :rejectedReason,
     :submittedAtMs, :ttlSeconds)`,
)
const save = sql<Of & Omit<Row, 'name' | 'language'>>(
  `UPDATE sandbox_templates SET category = :category, components = :components, status = :status,
     rejected_reason = :rejectedReason, quality = :quality, paused_until = :pausedUntilMs,
     submitted_at = :submittedAtMs, approved_edit_at = :approvedEditAtMs, disabled = :disabled,
     ttl_seconds = :ttlSeconds, archived = :archived
   WHERE account_id = :accountId AND business_id = :businessId AND id = :id`,
)
const utilityOf = sql<Of, { id: string }>(
  `SELECT id FROM sandbox_templates WHERE account_id = :accountId AND business_id = :businessId
     AND deleted_at IS NULL AND category = 'UTILITY' AND status = 'APPROVED' ORDER BY id`,
)
const remove = sql<Of & { id: string; now: number }>(
  `UPDATE sandbox_templates SET deleted_at = :now WHERE account_id = :accountId AND business_id = :businessId
     AND id = :id`,
)

type TemplateAlteration = Partial<Pick<Row, 'category' | 'quality' | 'pausedUntilMs' | 'archived'>> & {
  readonly components?: readonly object[]
  readonly disabled?: boolean
}

/** Meta adds text of its own to authentication templates. */
const shownOf = ({ language, category, components }: Omit<TemplateDraft, 'name'>): readonly object[] =>
  category === 'AUTHENTICATION' ? withMetaText(components, language) : components

interface StoreDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
}

export type TemplateStore = ReturnType<typeof createTemplateStore>

/** The templates of the simulated Meta. Its reviews take two seconds. */
export function createTemplateStore({ db, clock, random }: StoreDeps) {
  const isInReview = ({ submittedAtMs }: Row) => {
    const since = clock.now() - submittedAtMs
    // If the clock is set back, the review ends.
    return since >= 0 && since < REVIEW_MS
  }
  const isPaused = ({ pausedUntilMs }: Row) => pausedUntilMs !== null && pausedUntilMs > clock.now()

  function statusOf(row: Row): string {
    if (row.disabled === 1) return 'DISABLED'
    if (row.archived === 1) return 'ARCHIVED'
    if (isInReview(row)) return 'PENDING'
    return isPaused(row) ? 'PAUSED' : row.status
  }

  function toTemplate(row: Row): Template {
    const { id, name, language, category, quality, components } = row
    const status = statusOf(row)
    return {
      ...{ id, name, language, category, quality, status },
      rejectedReason: status === 'REJECTED' ? row.rejectedReason : null,
      pausedUntilMs: status === 'PAUSED' && row.pausedUntilMs !== UNENDING_MS ? row.pausedUntilMs : null,
      categoryChange: null,
      suspension: null,
      deletedAtMs: null,
      ttlSeconds: row.ttlSeconds,
      components: JSON.parse(components) as object[],
    }
  }

  async function rowOf(tx: Tx, owner: TemplateOwner, id: string): Promise<Row> {
    if (SAMPLES.some((sample) => sample.id === id))
      throw new TemplateRefusal(100, 'Sample templates cannot be edited or deleted.')
    const row = await tx.one(byId, { ...owner, id })
    if (row === undefined) throw new TemplateRefusal(100, `Object with ID '${id}' does not exist.`)
    return row
  }

  const verdictOn = (components: readonly object[], category: string) => {
    const rejectedReason = rejectionOf(components, category)
    return { status: rejectedReason === null ? 'APPROVED' : 'REJECTED', rejectedReason, submittedAtMs: clock.now() }
  }

  async function capacityOf(owner: TemplateOwner): Promise<TemplateCapacity> {
    return { count: ((await db.readOne(count, { ...owner }))?.n ?? 0) + SAMPLES.length, limit: MOST }
  }

  return {
    /** Samples come first. */
    async list(owner: TemplateOwner, { limit, after }: { limit: number; after: string | null }): Promise<TemplatePage> {
      const begin = SAMPLES.findIndex(({ id }) => id === after) + 1
      const isPastSamples = after !== null && begin === 0
      const samples = isPastSamples ? [] : SAMPLES.slice(begin, begin + limit)
      const rows = await db.read(page, {
        ...owner,
        after: isPastSamples ? after : '',
        limit: limit - samples.length + 1,
      })
      const templates = [...samples, ...rows.map(toTemplate)]
      const isLast = templates.length <= limit && (isPastSamples || begin + samples.length === SAMPLES.length)
      const shown = templates.slice(0, limit)
      const capacity = await capacityOf(owner)
      return { templates: shown, after: isLast ? null : (shown.at(-1)?.id ?? null), capacity }
    },

    capacityOf,

    async read(owner: TemplateOwner, id: string): Promise<Template | undefined> {
      const sample = SAMPLES.find((each) => each.id === id)
      if (sample !== undefined) return sample
      const row = await db.readOne(byId, { ...owner, id })
      return row && toTemplate(row)
    },

    /** Ids of the approved utility templates, without the samples. */
    async approvedUtility(owner: TemplateOwner): Promise<string[]> {
      return (await db.read(utilityOf, { ...owner })).map(({ id }) => id)
    },

    /** The template in all its languages. */
    async named(owner: TemplateOwner, name: string): Promise<Template[]> {
      const rows = await db.read(allOfName, { ...owner, name })
      return [...SAMPLES.filter((sample) => sample.name === name), ...rows.map(toTemplate)]
    },

    async find(owner: TemplateOwner, name: unknown, language: unknown): Promise<Template | undefined> {
      if (typeof name !== 'string' || typeof language !== 'string') return undefined
      const sample = SAMPLES.find((each) => each.name === name && each.language === language)
      if (sample !== undefined) return sample
      const row = await db.readOne(byName, { ...owner, name, language })
      return row && toTemplate(row)
    },

    /** @throws TemplateRefusal */
    async create(owner: TemplateOwner, draft: TemplateDraft): Promise<Template> {
      const refusal = refusalOf(draft)
      if (refusal !== undefined) throw new TemplateRefusal(100, refusal)
      const { name, language, category } = draft
      const components = shownOf(draft)
      const id = String(900_000_000_000_100 + Number(BigInt.asUintN(40, random.bytes(8).readBigUInt64BE())))
      await db.commit(async (tx) => {
        const since = clock.now() - NAME_LOCKED_MS
        const isSample = SAMPLES.some((sample) => sample.name === name && sample.language === language)
        if (isSample || (await tx.one(byName, { ...owner, name, language })) !== undefined)
          throw new TemplateRefusal(100, `There is already content in ${language} for this template.`)
        if ((await tx.one(lockedName, { ...owner, name, language, since })) !== undefined)
          throw new TemplateRefusal(100, 'This name was deleted in the last 30 days. Use another one.')
        if (((await tx.one(count, { ...owner }))?.n ?? 0) + SAMPLES.length >= MOST)
          throw new TemplateRefusal(100, `A business account can have ${MOST} templates.`, LIMIT_EXCEEDED)
        await tx.run(add, {
          ...{ ...owner, id, name, language, category, components: JSON.stringify(components) },
          ...verdictOn(components, category),
          ttlSeconds: draft.ttlSeconds ?? null,
        })
      })
      const made = await this.read(owner, id)
      if (made === undefined) throw new Error('a template is gone that was just made')
      return made
    },

    /** @throws TemplateRefusal */
    async change(owner: TemplateOwner, id: string, change: TemplateChange): Promise<void> {
      await db.commit(async (tx) => {
        const row = await rowOf(tx, owner, id)
        const { status } = toTemplate(row)
        if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(status))
          throw new TemplateRefusal(100, 'Only templates that are approved, rejected or paused can be edited.')
        const isApproved = status === 'APPROVED'
        if (isApproved && change.category !== undefined && change.category !== row.category)
          throw new TemplateRefusal(100, 'The category of an approved template cannot be changed.')
        const sinceEdit = clock.now() - (row.approvedEditAtMs ?? -Infinity)
        if (isApproved && sinceEdit >= 0 && sinceEdit < EDIT_EVERY_MS)
          throw new TemplateRefusal(100, 'An approved template can be edited once in 24 hours.')
        const category = change.category ?? row.category
        const { ttlSeconds = null } = change
        const ttl = ttlSeconds === null ? undefined : ttlRefusal(ttlSeconds, category)
        if (ttl !== undefined) throw new TemplateRefusal(100, ttl)
        if (ttlSeconds !== null && change.components === undefined && change.category === undefined) {
          await tx.run(save, { ...owner, ...row, ttlSeconds })
          return
        }
        const before = JSON.parse(row.components) as object[]
        if (change.components === undefined && (category === 'AUTHENTICATION') !== (row.category === 'AUTHENTICATION'))
          throw new TemplateRefusal(100, 'The components do not fit this category.')
        const refusal = change.components && componentsRefusal(change.components, category)
        if (refusal !== undefined) throw new TemplateRefusal(100, refusal)
        const components =
          change.components === undefined
            ? before
            : shownOf({ language: row.language, category, components: change.components })
        await tx.run(save, {
          ...{ ...owner, ...row, category, components: JSON.stringify(components), ...verdictOn(components, category) },
          // Meta clears it when the category changes.
          ttlSeconds: ttlSeconds ?? (category === row.category ? row.ttlSeconds : null),
          ...{ pausedUntilMs: null, approvedEditAtMs: isApproved ? clock.now() : row.approvedEditAtMs },
        })
      })
    },

    /** @throws TemplateRefusal */
    async unpause(owner: TemplateOwner, id: string): Promise<void> {
      await db.commit(async (tx) => {
        const row = await rowOf(tx, owner, id)
        if (!isPaused(row)) throw new TemplateRefusal(100, 'The template is not paused.')
        if (row.pausedUntilMs !== UNENDING_MS)
          throw new TemplateRefusal(100, 'The template was paused for its low quality. The pause ends by itself.')
        await tx.run(save, { ...owner, ...row, pausedUntilMs: null })
      })
    },

    /** @throws TemplateRefusal */
    async remove(owner: TemplateOwner, id: string): Promise<void> {
      await db.commit(async (tx) => {
        await rowOf(tx, owner, id)
        await tx.run(remove, { ...owner, id, now: clock.now() })
      })
    },

    /** Changes without a review, made by Meta or in the WhatsApp Manager. */
    async alter(owner: TemplateOwner, id: string, alteration: TemplateAlteration): Promise<Template> {
      const { components, disabled, ...fields } = alteration
      await db.commit(async (tx) => {
        const row = await rowOf(tx, owner, id)
        await tx.run(save, {
          ...{ ...owner, ...row, ...fields },
          ...(fields.category !== undefined && fields.category !== row.category && { ttlSeconds: null }),
          ...(components !== undefined && { components: JSON.stringify(components) }),
          ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
        })
      })
      const altered = await this.read(owner, id)
      if (altered === undefined) throw new Error('a template is gone that was just changed')
      return altered
    },
  }
}

/** The templates of a sandbox number: all official numbers of an account share them. */
export function createTemplates(sessions: Sessions, store: TemplateStore): Templates {
  async function ownerOf({ id, accountId }: EngineInstance): Promise<TemplateOwner> {
    await sessions.load()
    const session = sessions.of(id)
    if (isPaired(session) && session.up) return { accountId, businessId: SANDBOX_BUSINESS }
    throw new ApiError('not_ready', 'The instance has no number yet, so it has no templates. Complete its onboarding.')
  }

  async function refused<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof TemplateRefusal)) throw error
      const { code, subcode, details: said } = error
      if (subcode === LIMIT_EXCEEDED) throw templatesFull()
      throw new ApiError('invalid_state', `Meta refused this (${code}): ${said}`).because('meta_refused', {
        code,
        said,
      })
    }
  }

  return {
    list: async (instance, wanted) => store.list(await ownerOf(instance), wanted),
    read: async (instance, id) => store.read(await ownerOf(instance), id),
    async contentOf({ accountId }, payload) {
      const sent = templateSent(payload)
      if (sent === null) return null
      const found = await store.find({ accountId, businessId: SANDBOX_BUSINESS }, sent.name, sent.language)
      return found === undefined ? null : templateContent(sent, found)
    },
    // There is no human review here, so the bytes are not kept.
    async uploadSample(instance, { mimeType, content }) {
      await ownerOf(instance)
      return `4::${Buffer.from(mimeType).toString('base64url')}:${content.size}`
    },
    async create(instance, draft) {
      const owner = await ownerOf(instance)
      return refused(() => store.create(owner, draft))
    },
    async change(instance, id, change) {
      const owner = await ownerOf(instance)
      await refused(() => store.change(owner, id, change))
    },
    async unpause(instance, id) {
      const owner = await ownerOf(instance)
      await refused(() => store.unpause(owner, id))
    },
    async remove(instance, { id }) {
      const owner = await ownerOf(instance)
      await refused(() => store.remove(owner, id))
    },
  }
}
