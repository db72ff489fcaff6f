import type { Template, TemplateCapacity } from '../../templates.ts'
import { TemplateRefusal, type TemplateOwner, type TemplateStore } from '../templates.ts'
import { hasNamedVariables } from '../template-rules.ts'
import { GraphFault, ok, parameterFault, SUCCESS, type GraphAnswer } from './answers.ts'
import type { GraphFiles } from './files.ts'
import type { GraphRequest } from './request.ts'
import { checkHandles, handlesOf, mediaIdOf, type GraphUploads } from './uploads.ts'
import type { GraphNumber } from './store.ts'
import type { GraphTemplates } from './template-events.ts'

type Json = Readonly<Record<string, unknown>>
type ReadJson = (request: GraphRequest) => Json

const PAGE = 25

interface TemplateRouteDeps {
  readonly store: TemplateStore
  readonly uploads: Pick<GraphUploads, 'hasMade'>
  readonly files: Pick<GraphFiles, 'addressOf'>
  readonly events: Pick<GraphTemplates, 'endPause'>
  /** Whether Meta has suspended utility templates of the business account. */
  readonly suspendsUtility: (businessId: string) => boolean
}

/** The templates of a business account, with Graph's paths and formats. */
export function createTemplateRoutes({ store, uploads, files, events, suspendsUtility }: TemplateRouteDeps) {
  /** Graph returns the URL of a header's sample, not the upload handle. */
  function withAddresses(component: object): object {
    const { cards } = component as { cards?: readonly { readonly components: readonly object[] }[] }
    if (cards !== undefined)
      return {
        ...component,
        cards: cards.map((card) => ({ ...card, components: card.components.map(withAddresses) })),
      }
    const [handle] = handlesOf(component)
    if (typeof handle !== 'string') return component
    return { ...component, example: { header_handle: [files.addressOf(mediaIdOf(handle))] } }
  }

  /** Graph returns the requested fields, and always the id. */
  function shown(
    { id, name, language, status, category, components, ...more }: Template,
    query: URLSearchParams,
  ): object {
    const fields: Json = {
      ...{ name, language, status, category, components: components.map(withAddresses) },
      rejected_reason: more.rejectedReason ?? 'NONE',
      quality_score: { score: more.quality ?? 'UNKNOWN' },
      ...(more.ttlSeconds !== null && { message_send_ttl_seconds: more.ttlSeconds }),
    }
    const asked = query.get('fields')?.split(',') ?? ['name', 'language', 'status', 'category', 'components']
    return { id, ...Object.fromEntries(Object.entries(fields).filter(([field]) => asked.includes(field))) }
  }

  async function create(owner: TemplateOwner, body: Json): Promise<GraphAnswer> {
    const { name, language, category, components, parameter_format: format = 'positional' } = body
    if (typeof name !== 'string' || typeof language !== 'string' || typeof category !== 'string')
      throw parameterFault('name, language and category are required.')
    const draft = { name, language, category, components: listOf(components), ...ttlIn(body) }
    requireCategory(owner, category)
    checkHandles(draft.components, uploads)
    if (format !== 'named' && hasNamedVariables(draft.components))
      throw new GraphFault(400, 100, '(#100) Invalid parameter', null, 'Variables must be numbers: {{1}}, {{2}}.')
    const { id, ...made } = await refused(() => store.create(owner, draft))
    return ok({ id, status: made.status, category: made.category })
  }

  async function change(owner: TemplateOwner, id: string, body: Json): Promise<GraphAnswer> {
    const { category, components } = body
    const ttl = ttlIn(body)
    if (category === undefined && components === undefined && ttl.ttlSeconds === undefined)
      throw parameterFault('Nothing to change.')
    const changes = {
      ...ttl,
      ...(typeof category === 'string' && { category }),
      ...(components !== undefined && { components: listOf(components) }),
    }
    checkHandles(changes.components ?? [], uploads)
    requireCategory(owner, changes.category)
    await refused(() => store.change(owner, id, changes))
    return SUCCESS
  }

  function requireCategory({ businessId }: TemplateOwner, category: string | undefined): void {
    if (category === 'UTILITY' && suspendsUtility(businessId))
      throw parameterFault('This WhatsApp Business Account cannot create utility templates for the moment.')
  }

  async function remove(owner: TemplateOwner, query: URLSearchParams): Promise<GraphAnswer> {
    const [name, id] = [query.get('name'), query.get('hsm_id')]
    if (name === null) throw parameterFault('The parameter name is required.')
    if (id === null) throw parameterFault('The parameter hsm_id is required here: one language at a time.')
    const found = await store.read(owner, id)
    if (found?.name !== name) throw parameterFault(`Message template ${name} with id ${id} does not exist.`)
    await refused(() => store.remove(owner, id))
    return SUCCESS
  }

  /** Meta refuses this with HTTP 200. */
  async function unpause(account: readonly GraphNumber[], id: string): Promise<GraphAnswer> {
    try {
      await store.unpause(ownerOf(account), id)
    } catch (error) {
      if (!(error instanceof TemplateRefusal)) throw error
      return ok({ success: false, reason: error.details })
    }
    for (const number of account.slice(0, 1)) await events.endPause(number, id)
    return SUCCESS
  }

  return {
    async all(account: readonly GraphNumber[], request: GraphRequest, json: ReadJson): Promise<GraphAnswer> {
      const { method, query } = request
      const owner = ownerOf(account)
      if (method === 'POST') return create(owner, json(request))
      if (method === 'DELETE') return remove(owner, query)
      const name = query.get('name')
      if (name !== null) return ok({ data: (await store.named(owner, name)).map((template) => shown(template, query)) })
      const found = await store.list(owner, { limit: Number(query.get('limit') ?? PAGE), after: query.get('after') })
      const cursors = { before: found.templates[0]?.id, after: found.templates.at(-1)?.id }
      const next = found.after === null ? {} : { next: `https://graph.facebook.com/next?after=${found.after}` }
      const data = found.templates.map((template) => shown(template, query))
      return ok({ data, paging: { cursors, ...next }, ...summaryOf(found.capacity, query) })
    },

    /** @returns undefined if the template belongs to none of these numbers' business accounts. */
    async one(
      mine: readonly GraphNumber[],
      [id = '', edge]: readonly string[],
      request: GraphRequest,
      json: ReadJson,
    ): Promise<GraphAnswer | undefined> {
      if (edge !== undefined && (edge !== 'unpause' || request.method !== 'POST')) return undefined
      for (const account of Map.groupBy(mine, ({ wabaId }) => wabaId).values()) {
        const owner = ownerOf(account)
        const found = await store.read(owner, id)
        if (found === undefined) continue
        if (edge !== undefined) return unpause(account, id)
        if (request.method === 'GET') return ok(shown(found, request.query))
        if (request.method === 'POST') return change(owner, id, json(request))
      }
      return undefined
    },
  }
}

/** Graph adds the requested fields of the summary. */
function summaryOf(capacity: TemplateCapacity | null, query: URLSearchParams): object {
  const asked = query.get('summary')?.split(',') ?? []
  if (asked.length === 0 || capacity === null) return {}
  const fields = { message_template_count: capacity.count, message_template_limit: capacity.limit }
  return { summary: Object.fromEntries(Object.entries(fields).filter(([field]) => asked.includes(field))) }
}

function ownerOf([first]: readonly GraphNumber[]): TemplateOwner {
  if (first === undefined) throw new Error('a business account without a number')
  return { accountId: first.accountId, businessId: first.wabaId }
}

function ttlIn({ message_send_ttl_seconds: seconds }: Json): { readonly ttlSeconds?: number } {
  if (seconds === undefined) return {}
  if (!Number.isInteger(seconds)) throw parameterFault('Param message_send_ttl_seconds must be an integer.')
  return { ttlSeconds: seconds as number }
}

function listOf(components: unknown): object[] {
  const isList = Array.isArray(components) && components.every((one) => typeof one === 'object' && one !== null)
  if (!isList) throw parameterFault('Param components must be a list of objects.')
  return components as object[]
}

async function refused<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof TemplateRefusal)) throw error
    throw new GraphFault(400, error.code, '(#100) Invalid parameter', null, error.details, error.subcode)
  }
}
