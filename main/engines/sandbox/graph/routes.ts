import { createHmac } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Random } from '../../../kernel/ids.ts'
import type { SandboxNetwork } from '../network.ts'
import { createBlockRoutes } from './block-routes.ts'
import type { GraphTemplates } from './template-events.ts'
import { createTemplateRoutes } from './template-routes.ts'
import { GraphFault, ok, parameterFault, SUCCESS, type GraphAnswer } from './answers.ts'
import type { Callbacks } from './callbacks.ts'
import type { GraphConversational } from './conversational-routes.ts'
import type { GraphFiles } from './files.ts'
import type { GraphUploads } from './uploads.ts'
import type { GraphGroups } from './group-routes.ts'
import type { GraphUsernames } from './username-routes.ts'
import type { GraphNumbers } from './numbers.ts'
import type { GraphRequest } from './request.ts'
import type { GraphCalls } from './calls.ts'
import type { GraphAppData } from './app-data.ts'
import type { createGraphContactBook } from './contact-book.ts'
import type { Portfolios } from './portfolios.ts'
import type { Permissions } from './permissions.ts'
import type { createSending } from './send.ts'
import type { Signups } from './signups.ts'
import type { GraphNumber } from './store.ts'

interface RouteDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly numbers: GraphNumbers
  readonly files: GraphFiles
  readonly uploads: GraphUploads
  readonly callbacks: Callbacks
  readonly signups: Signups
  readonly send: ReturnType<typeof createSending>
  readonly calls: Pick<GraphCalls, 'act'>
  readonly permissions: Permissions
  readonly groups: Pick<GraphGroups, 'ofNumber' | 'find' | 'isBesideApp'>
  readonly contactBook: Pick<ReturnType<typeof createGraphContactBook>, 'ofNumber'>
  readonly portfolios: Pick<Portfolios, 'get' | 'offersCalls' | 'suspendsUtility'>
  readonly appData: Pick<GraphAppData, 'sync'>
  readonly templateEvents: Pick<GraphTemplates, 'endPause'>
  readonly conversational: GraphConversational
  readonly usernames: Pick<GraphUsernames, 'ofNumber' | 'suggestions'>
  readonly network: Pick<SandboxNetwork, 'templates' | 'blocks' | 'lastWroteAtMs'>
}

type Json = Readonly<Record<string, unknown>>

/** The Graph paths that this product uses, with Graph's formats. @throws GraphFault */
export function createRoutes(deps: RouteDeps) {
  const {
    numbers,
    files,
    uploads,
    callbacks,
    signups,
    send,
    calls,
    permissions,
    portfolios,
    groups,
    usernames,
    conversational,
    appData,
    contactBook,
  } = deps
  const templates = createTemplateRoutes({
    ...{ store: deps.network.templates, uploads, files, events: deps.templateEvents },
    suspendsUtility: portfolios.suspendsUtility,
  })

  const ofBlocks = createBlockRoutes({ db: deps.db, clock: deps.clock, network: deps.network })

  /** `app` is the app of the token. */
  const isApp = (id: string) => id === 'app' || id === signups.appId

  return async (request: GraphRequest): Promise<GraphAnswer> => {
    const { method, path, query, authorization } = request
    const [first = '', second] = path
    if (first === 'oauth' && second === 'access_token') return signups.exchange(formOf(request))
    if (first === signups.appId && second === 'subscriptions') return signups.subscriptions(authorization)
    if (first === 'debug_token') return signups.debug(authorization, query.get('input_token') ?? '')
    if (first.startsWith('upload:')) return uploads.take(first, request)
    const mine = numbers.withToken(authorization)
    if (first === 'app' && second === undefined) return ok({ id: signups.appId })
    if (isApp(first) && second === 'uploads' && method === 'POST') return uploads.begin(mine, query)
    if (first === 'media' && second !== undefined) return files.download(mine, second, query)
    const number = mine.find(({ phoneNumberId }) => phoneNumberId === first)
    if (number !== undefined) return ofNumber(number, method, second, request)
    const account = mine.filter(({ wabaId }) => wabaId === first)
    if (account.length > 0) return ofAccount(account, second, request)
    const ofGroup = await groups.find(mine, path, request, jsonOf)
    if (ofGroup !== undefined) return ofGroup
    const ofTemplate = await templates.one(mine, path, request, jsonOf)
    if (ofTemplate !== undefined) return ofTemplate
    if (method !== 'GET' || second !== undefined) throw unknownObject(first)
    const asked = query.get('phone_number_id')
    const [owner] = mine.filter(({ phoneNumberId }) => asked === null || phoneNumberId === asked)
    if (owner === undefined) throw unknownObject(first)
    return files.describe(owner, first)
  }

  async function ofNumber(number: GraphNumber, method: string, edge: string | undefined, request: GraphRequest) {
    if (method === 'GET' && edge === undefined) return describe(number, request)
    if (method === 'GET' && edge === 'call_permissions') {
      await requireCalling(number)
      return permissions.describe(number, request.query.get('user_wa_id') ?? '')
    }
    if (edge === 'groups') return groups.ofNumber(number, request, jsonOf)
    if (edge === 'username') return usernames.ofNumber(number, request, jsonOf)
    if (edge === 'username_suggestions' && method === 'GET') return usernames.suggestions(number)
    if (edge === 'conversational_automation' && method === 'POST') return conversational.set(number, jsonOf(request))
    if (edge === 'contact_book') return contactBook.ofNumber(number, request)
    if (edge === 'block_users') return ofBlocks(number, request, jsonOf)
    if (method !== 'POST') throw unknownObject(number.phoneNumberId)
    switch (edge) {
      case undefined:
        return configure(number, jsonOf(request))
      case 'messages':
        requireRegistered(number)
        return sendMessage(number, jsonOf(request), request.signal)
      case 'calls':
        requireRegistered(number)
        await requireCalling(number)
        return calls.act(number, jsonOf(request))
      case 'media':
        return files.upload(number, request.contentType, request.body)
      case 'smb_app_data':
        return appData.sync(number, groups.isBesideApp(number), jsonOf(request))
      case 'register':
        return register(number, jsonOf(request))
      default:
        throw unknownObject(edge)
    }
  }

  /** Calls cannot be enabled for a number that is also used in the app, or below a certain messaging limit. */
  async function requireCalling(number: GraphNumber): Promise<void> {
    if (groups.isBesideApp(number) || !(await portfolios.offersCalls(number))) throw callingOff()
  }

  async function sendMessage(number: GraphNumber, body: Json, signal: AbortSignal): Promise<GraphAnswer> {
    const isRequest = recordAt(body, 'interactive')['type'] === 'call_permission_request'
    if (isRequest && typeof body['to'] === 'string') await permissions.request(number, body['to'])
    return send(number, body, signal)
  }

  async function configure(number: GraphNumber, body: Json): Promise<GraphAnswer> {
    const { override_callback_uri: address, verify_token: token } = recordAt(body, 'webhook_configuration')
    if (typeof address !== 'string' || typeof token !== 'string')
      throw parameterFault('webhook_configuration is incomplete.')
    await callbacks.verify(number, address, token)
    await numbers.change(number, { callbackUrl: address })
    return SUCCESS
  }

  async function register(number: GraphNumber, { messaging_product: product, pin }: Json): Promise<GraphAnswer> {
    if (product !== 'whatsapp') throw parameterFault('messaging_product is required.')
    if (typeof pin !== 'string' || !/^\d{6}$/.test(pin)) throw parameterFault('Param pin must have 6 digits.')
    await numbers.change(number, { registered: 1 })
    return SUCCESS
  }

  async function ofAccount(account: readonly GraphNumber[], edge: string | undefined, request: GraphRequest) {
    const { method, query } = request
    if (edge === 'subscribed_apps' && method !== 'GET') {
      for (const number of account) await numbers.change(number, { subscribed: method === 'POST' ? 1 : 0 })
      return SUCCESS
    }
    if (edge === 'message_templates') return templates.all(account, request, jsonOf)
    if (method !== 'GET') throw unknownObject(edge ?? '')
    if (edge === undefined) return describeAccount(account, query)
    if (edge === 'phone_numbers') return ok({ data: account.map(({ phoneNumberId: id }) => ({ id })) })
    throw unknownObject(edge)
  }

  /** A proof made with another app's secret is invalid (Graph API, "Secure requests"). */
  async function describe(number: GraphNumber, { query }: GraphRequest): Promise<GraphAnswer> {
    const proof = query.get('appsecret_proof')
    const expected = createHmac('sha256', number.appSecret).update(number.accessToken).digest('hex')
    if (proof !== null && proof !== expected) {
      throw new GraphFault(400, 100, '(#100) Invalid appsecret_proof provided in the API argument')
    }
    const { messagingLimit } = await portfolios.get(number.portfolioId)
    return fieldsOf(query, {
      id: number.phoneNumberId,
      display_phone_number: `+${number.number}`,
      verified_name: number.name,
      quality_rating: number.quality,
      ...(messagingLimit !== null && { whatsapp_business_manager_messaging_limit: messagingLimit }),
      account_mode: 'SANDBOX',
      platform_type: number.registered === 1 ? 'CLOUD_API' : 'NOT_APPLICABLE',
      is_on_biz_app: groups.isBesideApp(number),
      throughput: { level: 'STANDARD' },
      ...(query.get('fields')?.includes('conversational_automation') && {
        conversational_automation: await conversational.describe(number),
      }),
    })
  }

  async function describeAccount([first]: readonly GraphNumber[], query: URLSearchParams): Promise<GraphAnswer> {
    if (first === undefined) throw unknownObject('')
    const { id } = await portfolios.get(first.portfolioId)
    return fieldsOf(query, {
      ...{ id: first.wabaId, name: first.name, owner_business_info: { name: first.name, id } },
    })
  }
}

const callingOff = () => new GraphFault(400, 138_000, '(#138000) Calling API not enabled')

/** Graph answers with the requested fields, and always with the id. */
function fieldsOf(query: URLSearchParams, object: Readonly<Record<string, unknown>>): GraphAnswer {
  const asked = query.get('fields')?.split(',')
  const isWanted = ([name]: readonly [string, unknown]) => asked === undefined || name === 'id' || asked.includes(name)
  return ok(Object.fromEntries(Object.entries(object).filter(isWanted)))
}

function requireRegistered(number: GraphNumber): void {
  if (number.registered === 1) return
  throw new GraphFault(400, 133_010, '(#133010) Phone number not registered on the Whatsapp Business Platform.')
}

const unknownObject = (id: string) =>
  new GraphFault(
    400,
    100,
    `(#100) Unsupported request. Object with ID '${id}' does not exist, or cannot be loaded due to missing permissions`,
  )

function jsonOf({ body }: GraphRequest): Json {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null) return value as Json
  } catch {
    // Reported below, like any other body that is not an object.
  }
  throw parameterFault('The body must be a JSON object.')
}

const recordAt = (from: Json, name: string): Json => {
  const value = from[name]
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

const formOf = ({ body, query }: GraphRequest) => (body.length > 0 ? new URLSearchParams(body.toString()) : query)
