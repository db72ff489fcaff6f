import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { EngineInstance, EngineSignal } from '../engine.ts'
import type { Item } from './callback-items.ts'
import type { Template, TemplateDraft, Templates } from '../templates.ts'
import { extensionsOf } from '../../kernel/file-type.ts'
import { bytesOf } from '../../kernel/file-content.ts'
import { utilitySuspension } from './account-updates.ts'
import type { ArchivedTemplates } from './archived-templates.ts'
import type { CategoryChanges } from './category-changes.ts'
import type { GraphClient } from './graph-client.ts'
import { textAt, recordAt, recordsAt, type Json } from './json.ts'
import { hasCredentials, type ConnectedNumber, type Numbers } from './numbers.ts'
import type { RecategorizedTemplates } from './recategorized-templates.ts'
import { createResumableUpload } from './resumable-upload.ts'
import type { TemplateCapacities } from './template-capacity.ts'
import type { TemplateLifetimes } from './template-lifetimes.ts'
import type { TemplateStates } from './template-states.ts'
import type { TemplateWordsStore } from './template-words.ts'
import { createSampleKeeper } from './template-samples.ts'
import type { GraphCredentials, GraphTemplatePage, NotOk, Result, Transport } from './transport.ts'

type Owner = { accountId: string; wabaId: string }
type TemplateName = { name: string; language: string }

const pausesOf = sql<Owner & { now: number }, { id: string; untilMs: number }>(
  `SELECT template_id AS id, paused_until AS untilMs FROM official_template_pauses
   WHERE account_id = :accountId AND waba_id = :wabaId AND paused_until > :now`,
)
const pauseOf = sql<Owner & TemplateName & { now: number }, { untilMs: number }>(
  `SELECT paused_until AS untilMs FROM official_template_pauses
   WHERE account_id = :accountId AND waba_id = :wabaId AND name = :name AND language = :language
     AND paused_until > :now
   ORDER BY paused_until DESC LIMIT 1`,
)
const pause = sql<Owner & { [K in keyof TemplateName]: string | null } & { id: string; untilMs: number }>(
  `INSERT INTO official_template_pauses (account_id, waba_id, template_id, paused_until, name, language)
   VALUES (:accountId, :wabaId, :id, :untilMs, :name, :language)
   ON CONFLICT (account_id, waba_id, template_id) DO UPDATE SET paused_until = excluded.paused_until,
     name = COALESCE(excluded.name, official_template_pauses.name),
     language = COALESCE(excluded.language, official_template_pauses.language)`,
)
const endPause = sql<Owner & { id: string }>(
  `DELETE FROM official_template_pauses
   WHERE account_id = :accountId AND waba_id = :wabaId AND template_id = :id`,
)

type TemplateSignal = Extract<EngineSignal, { kind: 'template' }>
type TemplateItem = Extract<Item, { kind: 'template' }>

const HOUR_MS = 60 * 60_000
/** Meta's documentation, "Template pausing". The third time, Meta disables the template. */
const PAUSE_MS: Readonly<Record<string, number>> = { FIRST_PAUSE: 3 * HOUR_MS, SECOND_PAUSE: 6 * HOUR_MS }
const ID = /^\d{1,30}$/
/** One page holds all languages of a name. If Meta ignored the name, all templates of the business account are read. */
const PAGE = 100
const MOST_PAGES = 60
/** Callbacks about one decision may arrive in any order. */
const EARLIER_MS = HOUR_MS

interface TemplatesDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly transport: Transport
  readonly client: GraphClient
  readonly numbers: Pick<Numbers, 'of' | 'ofAccount'>
  readonly changes: Pick<CategoryChanges, 'of' | 'announced' | 'ofClients'>
  readonly recategorized: Pick<RecategorizedTemplates, 'since'>
  readonly lifetimes: Pick<TemplateLifetimes, 'note'>
  readonly words: Pick<TemplateWordsStore, 'note' | 'contentOf'>
  readonly capacities: Pick<TemplateCapacities, 'note'>
  readonly archived: Pick<ArchivedTemplates, 'deletions'>
  readonly states: Pick<TemplateStates, 'renew' | 'ofAccount' | 'ofClients'>
  readonly connected: (instance: EngineInstance) => { number: ConnectedNumber; speaker: GraphCredentials }
  readonly refusal: (reply: NotOk) => Error
}

/**
 * What a callback `message_template_status_update` means for messages with the template. Other events change nothing.
 */
const USES: Readonly<Record<string, TemplateSignal['use']>> = {
  ...{ PAUSED: 'paused', APPROVED: 'usable', REINSTATED: 'usable', UNARCHIVED: 'usable' },
  ...{ DISABLED: 'disabled', REJECTED: 'disabled', LOCKED: 'disabled', ARCHIVED: 'disabled' },
  ...{ DELETED: 'disabled', PENDING_DELETION: 'disabled' },
}

interface NoticesDeps {
  readonly db: Db
  readonly categoryChanges: Pick<CategoryChanges, 'note'>
  readonly recategorized: Pick<RecategorizedTemplates, 'note'>
  readonly archived: Pick<ArchivedTemplates, 'note'>
  readonly states: Pick<TemplateStates, 'note'>
}

/** Stores callbacks about templates. Only they report when a pause ends. */
export function createTemplateNotices({ db, categoryChanges: changes, recategorized, archived, states }: NoticesDeps) {
  async function notePause(owner: Owner & { id: string }, named: TemplateName | null, untilMs: number | null) {
    const { name = null, language = null } = named ?? {}
    await db.commit(async (tx) => {
      if (untilMs === null) await tx.run(endPause, owner)
      else await tx.run(pause, { ...owner, untilMs, name, language })
    })
  }

  /** @returns the signal for the rooms. */
  return async (number: ConnectedNumber, { field, value, atMs }: TemplateItem): Promise<TemplateSignal> => {
    const { accountId, wabaId } = number
    if (field === 'template_category_update') {
      await changes.note(number, value)
      await recategorized.note(number, value, atMs)
    }
    const [name, language] = [textAt(value, 'message_template_name'), textAt(value, 'message_template_language')]
    const template = name === null || language === null ? null : { name, language }
    if (field !== 'message_template_status_update') return { kind: 'template', template, use: null, untilMs: null }
    await archived.note(number, value, atMs)
    await states.note(number, value, atMs)
    const event = textAt(value, 'event') ?? ''
    const lastsMs = PAUSE_MS[textAt(recordAt(value, 'other_info'), 'title') ?? '']
    const untilMs = event === 'PAUSED' && lastsMs !== undefined ? atMs + lastsMs : null
    const id = value['message_template_id']
    if (typeof id === 'number' || typeof id === 'string')
      await notePause({ accountId, wabaId, id: String(id) }, template, untilMs)
    return { kind: 'template', template, use: USES[event] ?? null, untilMs }
  }
}

/** When Meta ends the pause of the template in a payload; null if unknown. */
export function createPauseLookup({
  db,
  clock,
}: {
  readonly db: Pick<Db, 'readOne'>
  readonly clock: Pick<Clock, 'now'>
}) {
  return async ({ accountId, wabaId }: ConnectedNumber, payload: Json): Promise<number | null> => {
    const template = recordAt(payload, 'template')
    const [name, language] = [textAt(template, 'name'), textAt(recordAt(template, 'language'), 'code')]
    if (name === null || language === null) return null
    const found = await db.readOne(pauseOf, { accountId, wabaId, name, language, now: clock.now() })
    return found?.untilMs ?? null
  }
}

export function createTemplates(deps: TemplatesDeps): Templates {
  const { db, clock, transport, client, numbers, changes, recategorized, lifetimes, words, archived, states } = deps
  const { capacities, connected, refusal } = deps
  const upload = createResumableUpload(client)

  async function uploadSample(speaker: GraphCredentials, mimeType: string, bytes: Buffer): Promise<string> {
    const name = `sample.${extensionsOf(mimeType)[0] ?? 'bin'}`
    return must(await upload(speaker, { name, mimeType, bytes }))
  }

  const withSamples = createSampleKeeper({ client, upload: uploadSample })

  /** Adds the facts that Meta reports only in callbacks. */
  async function withNotices(number: ConnectedNumber, found: GraphTemplatePage['templates']) {
    const { accountId, wabaId } = number
    const pauses = await db.read(pausesOf, { accountId, wabaId, now: clock.now() })
    const untilOf = new Map(pauses.map(({ id, untilMs }) => [id, untilMs]))
    const announced = await changes.of(number)
    await lifetimes.note(number, found)
    await words.note(number, found)
    const deletions = await archived.deletions(number)
    const suspension = utilitySuspension(number.facts, clock.now())
    const were = suspension && (await recategorized.since(number, suspension.sinceMs - EARLIER_MS))
    return found.map((template): Template => {
      const change = announced.get(template.id)
      const categoryChange = change === undefined || change.category === template.category ? null : change
      const pausedUntilMs = template.status === 'PAUSED' ? (untilOf.get(template.id) ?? null) : null
      const isSuspended = template.category === 'UTILITY' || were?.has(template.id) === true
      const deletedAtMs = template.status === 'ARCHIVED' ? (deletions.get(template.id) ?? null) : null
      return { ...template, pausedUntilMs, categoryChange, deletedAtMs, suspension: isSuspended ? suspension : null }
    })
  }

  /** A token may serve several business accounts, so the id alone proves nothing: it must be in the list. */
  async function read(instance: EngineInstance, id: string): Promise<Template | undefined> {
    if (!ID.test(id)) return undefined
    const { number, speaker } = connected(instance)
    const name = await transport.templateName(speaker, id)
    if (name.kind === 'error' && name.error.code === UNKNOWN_OBJECT) return undefined
    let after: string | null = null
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = { limit: PAGE, after, name: must(name) }
      const found: GraphTemplatePage = must(await transport.templates(speaker, number.wabaId, page))
      const mine = found.templates.filter((each) => each.id === id)
      await states.renew(number, mine, false)
      const [template] = await withNotices(number, mine)
      if (template !== undefined || found.after === null) return template
      after = found.after
    }
    return undefined
  }

  function must<T>(result: Result<T>): T {
    if (result.kind === 'ok') return result.value
    throw refusal(result)
  }

  return {
    async list(instance, page) {
      const { number, speaker } = connected(instance)
      const { templates, after, capacity } = must(await transport.templates(speaker, number.wabaId, page))
      await states.renew(number, templates, page.after === null && after === null)
      await capacities.note(number, capacity)
      return { templates: await withNotices(number, templates), after, capacity }
    },
    read,
    async contentOf({ id }, payload) {
      const number = numbers.of(id)
      return hasCredentials(number) ? words.contentOf(number, payload) : null
    },
    async suspensionOf(instance, name, language) {
      const { number, speaker } = connected(instance)
      if (utilitySuspension(number.facts, clock.now()) === null) return null
      const found = must(await transport.templates(speaker, number.wabaId, { limit: PAGE, after: null, name }))
      const mine = found.templates.filter((each) => each.name === name && each.language === language)
      return (await withNotices(number, mine))[0]?.suspension ?? null
    },
    announced: (accountId) => changes.announced(accountId, numbers),
    announcedOfClients: (accountId) => changes.ofClients(accountId, numbers),
    unusable: (accountId) => states.ofAccount(accountId, numbers),
    unusableOfClients: (accountId) => states.ofClients(accountId, numbers),
    uploadSample: async (instance, { mimeType, content }) =>
      uploadSample(connected(instance).speaker, mimeType, await bytesOf(content)),
    async create(instance, draft) {
      const { number, speaker } = connected(instance)
      const components = await withSamples(speaker, draft.components)
      const whole = { ...draft, components, parameter_format: formatOf(components) }
      return { id: must(await transport.submitTemplate(speaker, number.wabaId, whole)) }
    },
    async change(instance, id, { components, ...change }) {
      const { speaker } = connected(instance)
      const fresh = components && { components: await withSamples(speaker, components) }
      must(await transport.changeTemplate(speaker, id, { ...change, ...fresh }))
    },
    async unpause(instance, id) {
      must(await transport.endTemplatePause(connected(instance).speaker, id))
    },
    async remove(instance, template) {
      const { number, speaker } = connected(instance)
      must(await transport.removeTemplate(speaker, number.wabaId, template))
    },
  }
}

/** Meta accepts named parameters only in a template that declares them. */
const formatOf = (components: TemplateDraft['components']): 'named' | 'positional' =>
  allParts(components).some((component) => /\{\{[a-z_][a-z0-9_]*\}\}/.test(textAt(component, 'text') ?? ''))
    ? 'named'
    : 'positional'

/** Includes the parts of the cards of a carousel. */
const allParts = (components: TemplateDraft['components']): readonly Json[] =>
  (components as readonly Json[]).flatMap((component) => [
    component,
    ...recordsAt(component, 'cards').flatMap((card) => recordsAt(card, 'components')),
  ])

const UNKNOWN_OBJECT = 100
