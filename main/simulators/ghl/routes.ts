import type { SimulatedAnswer, SimulatedRequest } from '../listener.ts'
import { faultAnswer, forbidden, GhlFault, invalid, notFound, tooEarly } from './answers.ts'
import type { Companies } from './companies.ts'
import type { GhlFaults } from './faults.ts'
import type { GhlFiles } from './files.ts'
import type { createLimits } from './limits.ts'
import { readMultipart } from './multipart.ts'
import type { Caller, GhlApp, Oauth } from './oauth.ts'
import type { Grant } from './store.ts'
import { messagesBefore, type Contact, type Message } from './thread-store.ts'
import type { ContactWish, Threads } from './threads.ts'
import type { Db } from '../../kernel/db.ts'

interface RouteDeps {
  readonly db: Pick<Db, 'read'>
  readonly app: Pick<GhlApp, 'providerId'>
  readonly companies: Companies
  readonly oauth: Oauth
  readonly threads: Threads
  readonly files: GhlFiles
  readonly faults: GhlFaults
  readonly limits: ReturnType<typeof createLimits>
}

type Json = Readonly<Record<string, unknown>>

const PAGE_MOST = 100

/** The GoHighLevel API paths that this product uses, with its formats, errors and limits. */
export function createRoutes({ db, app, companies, oauth, threads, files, faults, limits }: RouteDeps) {
  async function contactIn({ accountId, locationId }: Grant, id: string): Promise<Contact> {
    const contact = await threads.find(id)
    if (contact === undefined || contact.accountId !== accountId) throw notFound('Contact')
    if (locationId !== null && contact.locationId !== locationId) throw forbidden()
    return contact
  }

  function requireLocation({ locationId }: Grant, wanted: unknown): string {
    if (typeof wanted !== 'string' || wanted === '') throw invalid('locationId can not be empty')
    if (locationId !== wanted) throw forbidden()
    return wanted
  }

  async function contacts(grant: Grant, { method, path, query, body }: SimulatedRequest): Promise<unknown> {
    const [, second, third] = path
    if (method === 'POST' && second === 'upsert') {
      const given = jsonOf(body)
      const locationId = requireLocation(grant, given['locationId'])
      const { contact, isNew } = await threads.upsert(grant.accountId, locationId, wishOf(given))
      if (faults.strikes(grant.accountId, 'upsert_422')) throw invalid('The contact could not be processed.')
      return { new: isNew, contact: toContact(contact) }
    }
    if (method === 'GET' && second === 'search' && third === 'duplicate') {
      const locationId = requireLocation(grant, query.get('locationId'))
      const phone = phoneOf(query.get('number') ?? undefined)
      const found = phone === null ? undefined : await threads.ofPhone(locationId, phone)
      return { contact: found === undefined ? null : toContact(found) }
    }
    if (second === undefined || third !== undefined) throw notFound('Path')
    const contact = await contactIn(grant, second)
    if (method === 'GET') return { contact: toContact(contact) }
    if (method !== 'PUT') throw notFound('Path')
    return { succeded: true, contact: toContact(await threads.change(contact.id, wishOf(jsonOf(body)))) }
  }

  async function conversations(grant: Caller, request: SimulatedRequest): Promise<unknown> {
    const { method, path, query, body, headers } = request
    const [, second, third, fourth] = path
    if (second === 'search') {
      requireLocation(grant, query.get('locationId'))
      const contact = await threads.find(query.get('contactId') ?? '')
      const isHere = contact !== undefined && contact.locationId === grant.locationId
      return { conversations: isHere ? [toConversation(contact)] : [], total: isHere ? 1 : 0 }
    }
    if (second !== 'messages') return thread(grant, request)
    if (method === 'POST' && third === 'upload') return upload(grant, headers['content-type'], body)
    if (method === 'POST' && (third === 'inbound' || third === 'outbound')) return add(grant, third, jsonOf(body))
    if (method === 'PUT' && third !== undefined && fourth === 'status') {
      const given = jsonOf(body)
      if (faults.strikes(grant.accountId, 'status_too_early')) throw tooEarly(403)
      if (faults.strikes(grant.accountId, 'status_too_early_401')) throw tooEarly(401)
      const message = await threads.setStatus(third, text(given['status']) ?? '', errorOf(given['error']))
      return { conversationId: message.conversationId, messageId: message.id, message: 'Status updated' }
    }
    throw notFound('Path')
  }

  async function thread(grant: Grant, { method, path, query }: SimulatedRequest): Promise<unknown> {
    const [, conversationId = '', third] = path
    const contact = await threads.ofConversation(conversationId)
    if (method !== 'GET' || contact === undefined) throw notFound('Conversation')
    await contactIn(grant, contact.id)
    if (third === undefined) return toConversation(contact)
    if (third !== 'messages') throw notFound('Path')
    const rows = Math.min(Number(query.get('limit') ?? 20) || 20, PAGE_MOST)
    const newest = { date: Number.MAX_SAFE_INTEGER, before: Number.MAX_SAFE_INTEGER }
    const found = await db.read(messagesBefore, { conversationId, ...newest, rows: rows + 1 })
    const messages = found.slice(0, rows).map((message) => toMessage(message, contact))
    return { messages: { lastMessageId: messages.at(-1)?.id ?? null, nextPage: found.length > rows, messages } }
  }

  async function upload(grant: Grant, contentType: string | undefined, body: Buffer): Promise<unknown> {
    const parts = readMultipart(contentType, body)
    const file = parts?.find(({ name, filename }) => name === 'fileAttachment' && filename !== null)
    if (file === undefined || file.filename === null) throw invalid('fileAttachment is missing')
    const url = await files.add(grant.accountId, { name: file.filename, mimeType: file.mimeType, bytes: file.bytes })
    return { uploadedFiles: { [file.filename]: url } }
  }

  /**
   * Whether a message is shown: it must name a provider, the app's own or the default one of a private token.
   * @returns false if it is accepted and shown nowhere.
   */
  function appears({ isPrivate }: Caller, providerId: string | undefined): boolean {
    if (isPrivate && providerId !== undefined)
      throw new GhlFault(403, "You don't have access to the conversationProvider")
    if (providerId !== undefined && providerId !== app.providerId)
      throw new GhlFault(400, 'Invalid conversationProviderId')
    return isPrivate || providerId !== undefined
  }

  async function add(grant: Caller, kind: 'inbound' | 'outbound', given: Json): Promise<unknown> {
    const id = text(given['contactId'])
    const conversationId = text(given['conversationId'])
    const contact = id === undefined ? await threads.ofConversation(conversationId ?? '') : await contactIn(grant, id)
    if (contact === undefined) throw notFound('Contact')
    await contactIn(grant, contact.id)
    const isCall = given['type'] === 'Call'
    if (!isCall && given['type'] !== 'SMS' && given['type'] !== 'Custom') throw invalid('type is not supported')
    if (faults.strikes(grant.accountId, 'forbidden')) throw forbidden()
    if (faults.strikes(grant.accountId, 'inbound_500')) throw internal()
    const attachments = listOf(given['attachments'])
    const said = isCall ? callText(given['call']) : (text(given['message']) ?? '')
    if (said === '' && attachments.length === 0) throw invalid('message or attachments are needed')
    const dateMs = Date.parse(text(given['date']) ?? '')
    if (Number.isNaN(dateMs)) throw invalid('date must be ISO 8601')
    const direction = kind === 'outbound' || given['direction'] === 'outbound' ? 'outbound' : 'inbound'
    if (!appears(grant, text(given['conversationProviderId'])))
      return { success: true, contactId: contact.id, message: 'Message added' }
    const message = await threads.add(contact, {
      direction,
      type: isCall ? 'Call' : 'SMS',
      text: said,
      attachments,
      dateMs,
    })
    return {
      success: true,
      conversationId: contact.conversationId,
      messageId: message.id,
      contactId: contact.id,
      dateAdded: new Date(dateMs).toISOString(),
      message: 'Message added',
    }
  }

  async function location(grant: Grant, id: string | undefined): Promise<unknown> {
    const found = await companies.location(requireLocation(grant, id))
    if (found === undefined) throw notFound('Location')
    const { companyId } = await companies.of(grant.accountId)
    return { location: { id: found.id, name: found.name, companyId } }
  }

  async function installedLocations(grant: Grant): Promise<unknown> {
    if (grant.locationId !== null) throw new GhlFault(401, 'This needs the token of the agency.')
    const locations = await companies.locations(grant.accountId)
    return {
      locations: locations.map(({ id, name }) => ({ _id: id, name, isInstalled: true })),
      count: locations.length,
    }
  }

  async function answer(request: SimulatedRequest): Promise<SimulatedAnswer> {
    const { method, path, headers, body } = request
    const [first, second] = path
    const form = () => new URLSearchParams(body.toString())
    if (method === 'POST' && first === 'oauth' && second === 'token') return ok(await oauth.token(form()))
    const grant = await oauth.authenticate(headers.authorization).catch((error: unknown) => {
      throw isInbound(request) ? internal() : error
    })
    if (faults.strikes(grant.accountId, 'down')) return 'reset'
    if (headers['version'] === undefined) throw new GhlFault(400, 'version header is missing')
    if (first === 'oauth' && second === 'locationToken') return ok(await oauth.locationToken(grant, form()))
    if (first === 'oauth' && second === 'installedLocations') return ok(await installedLocations(grant))
    const use = limits.take(grant.locationId ?? grant.accountId)
    if (use.isOver || faults.strikes(grant.accountId, 'rate_limited'))
      return faultAnswer(new GhlFault(429, 'Too Many Requests'), use.headers)
    try {
      if (first === 'contacts') return ok(await contacts(grant, request), use.headers)
      if (first === 'conversations') {
        const status = method === 'POST' ? 201 : 200
        return { ...ok(await conversations(grant, request), use.headers), status }
      }
      if (first === 'locations' && method === 'GET') return ok(await location(grant, second), use.headers)
      throw notFound('Path')
    } catch (error) {
      if (error instanceof GhlFault) return faultAnswer(error, use.headers)
      throw error
    }
  }

  return async (request: SimulatedRequest): Promise<SimulatedAnswer> => {
    try {
      return await answer(request)
    } catch (error) {
      if (error instanceof GhlFault) return faultAnswer(error)
      throw error
    }
  }
}

/** Endpoints that answer an invalid token with 500. */
const isInbound = ({ method, path }: SimulatedRequest) =>
  method === 'POST' && path.join('/') === 'conversations/messages/inbound'
const internal = () => new GhlFault(500, 'Internal server error')

const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}) => ({ status: 200, headers, body })

function jsonOf(body: Buffer): Json {
  try {
    const given: unknown = JSON.parse(body.toString() || '{}')
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Json
  } catch {
    // Answered below, like any other body that is not an object.
  }
  throw invalid('the body must be a JSON object')
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

const errorOf = (value: unknown): string | null =>
  text((value as { message?: unknown } | undefined)?.message) ?? text(value) ?? null

/** @throws GhlFault if it is not a phone number. */
function phoneOf(value: unknown): string | null {
  const spelled = text(value)
  if (spelled === undefined || spelled === '') return null
  const phone = `+${spelled.replaceAll(/\D/g, '')}`
  if (!/^\+[0-9]{7,15}$/.test(phone)) throw invalid('phone must be a valid phone number')
  return phone
}

function callText(value: unknown): string {
  const { from, to, status } = (value ?? {}) as { from?: unknown; to?: unknown; status?: unknown }
  return `${text(status) ?? 'completed'}: ${text(from) ?? '?'} → ${text(to) ?? '?'}`
}

function wishOf(given: Json): ContactWish {
  const sms = (given['dndSettings'] as { SMS?: { status?: unknown } } | undefined)?.SMS?.status
  const dnd = typeof given['dnd'] === 'boolean' ? given['dnd'] : sms === undefined ? undefined : sms === 'active'
  const custom = Array.isArray(given['customFields'])
    ? (given['customFields'] as { id?: unknown; key?: unknown; field_value?: unknown }[])
    : []
  const standard = ['firstName', 'lastName', 'companyName', 'source'].flatMap((key) => {
    const value = text(given[key])
    return value === undefined ? [] : [[key, value] as const]
  })
  const fields = custom.map(({ id, key, field_value }) => [text(id) ?? text(key) ?? '?', String(field_value)] as const)
  const phone = phoneOf(given['phone'])
  const email = text(given['email'])?.toLowerCase()
  return {
    ...(phone !== null && { phone }),
    ...(email !== undefined && email !== '' && { email }),
    ...(text(given['name']) !== undefined && { name: text(given['name']) }),
    ...(dnd !== undefined && { dnd }),
    ...(Array.isArray(given['tags']) && { tags: listOf(given['tags']) }),
    fields: Object.fromEntries([...standard, ...fields]),
  }
}

const toContact = ({ id, locationId, phone, email, name, dnd, tags, createdAtMs }: Contact) => ({
  id,
  locationId,
  phone,
  email,
  name,
  dnd: dnd === 1,
  dndSettings: { SMS: { status: dnd === 1 ? 'active' : 'inactive' } },
  tags: JSON.parse(tags) as string[],
  dateAdded: new Date(createdAtMs).toISOString(),
})

const toConversation = ({ conversationId, id, locationId, name, phone, unread }: Contact) => ({
  id: conversationId,
  contactId: id,
  locationId,
  fullName: name,
  phone,
  unreadCount: unread,
  type: 'TYPE_PHONE',
})

const toMessage = (message: Message, { id: contactId, locationId }: Contact) => ({
  id: message.id,
  type: message.type === 'Call' ? 1 : 2,
  messageType: message.type === 'Call' ? 'TYPE_CALL' : 'TYPE_SMS',
  locationId,
  contactId,
  conversationId: message.conversationId,
  dateAdded: new Date(message.dateMs).toISOString(),
  body: message.type === 'Call' ? '' : message.text,
  direction: message.direction,
  status: message.status,
  contentType: 'text/plain',
  attachments: JSON.parse(message.attachments) as string[],
  source: message.source,
})
