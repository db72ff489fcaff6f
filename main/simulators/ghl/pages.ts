import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import type { Companies } from './companies.ts'
import { consentPage, gonePage } from './consent-page.ts'
import type { Deliveries } from './deliveries.ts'
import type { GhlFiles } from './files.ts'
import { ghlId } from './ids.ts'
import { inboxPage, threadPage } from './inbox-page.ts'
import { readMultipart } from './multipart.ts'
import type { Oauth } from './oauth.ts'
import { wordsFor, type PageWords } from './page-words.ts'
import type { Company, Location } from './store.ts'
import { contactsOfLocation, messagesBefore } from './thread-store.ts'
import type { Threads } from './threads.ts'

interface PageRequest {
  readonly method: string
  /** Path after the page token: `inbox`. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  /** Accept-Language. */
  readonly language: string | undefined
  readonly contentType: string | undefined
  readonly body: Buffer
}

interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export interface GhlPages {
  answer(pageToken: string, request: PageRequest): Promise<PageAnswer>
}

interface PagesDeps {
  readonly db: Pick<Db, 'read' | 'commit'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly companies: Companies
  readonly oauth: Oauth
  readonly threads: Threads
  readonly files: GhlFiles
  readonly deliveries: Deliveries
}

const SHOWN = 200
const FORM_BYTES = 64 * 1024
const AGENCY = 'agency'

/** The pages for people: consent and inbox. Anyone who knows their URL may use them. */
export function createPages(deps: PagesDeps): GhlPages {
  const { db, clock, random, companies, oauth, threads, files, deliveries } = deps

  interface Visit extends PageRequest {
    readonly words: PageWords
    readonly company: Company
    readonly locations: readonly Location[]
    /** The path of these pages. */
    readonly base: string
  }

  async function consent({ words, method, query, locations, company, body, base }: Visit): Promise<PageAnswer> {
    const redirect = URL.parse(query.get('redirect_uri') ?? '')
    const state = query.get('state') ?? ''
    // It may redirect only to an app's callback.
    if (redirect?.pathname !== '/callbacks/ghl/oauth' || redirect.search !== '' || state === '') return gone(words)
    if (method !== 'POST')
      return html(consentPage(words, locations, `${base}/oauth/chooselocation?${query.toString()}`))
    const form = readForm(body)
    redirect.searchParams.set('state', state)
    const chosen = locations.find(({ id }) => id === form.get('location'))
    if (form.get('decision') !== 'allow') redirect.searchParams.set('error', 'access_denied')
    else {
      if (chosen === undefined && form.get('location') !== AGENCY) return gone(words)
      const { accountId } = company
      const locationId = chosen?.id ?? null
      redirect.searchParams.set('code', await oauth.issueCode({ accountId, locationId }))
      await tell('INSTALL', company, locationId)
    }
    return seeOther(redirect.href)
  }

  async function tell(type: 'INSTALL' | 'UNINSTALL', { accountId, companyId }: Company, locationId: string | null) {
    const body = {
      ...{ type, appId: '65f0sandbox0000000000000', companyId },
      ...(locationId !== null && { locationId }),
      ...{ timestamp: new Date(clock.now()).toISOString(), webhookId: ghlId(random) },
    }
    await db.commit((tx) => deliveries.add(tx, { accountId, locationId: locationId ?? companyId, path: 'app', body }))
  }

  async function inbox(visit: Visit, problem?: string): Promise<PageAnswer> {
    const { words, query, locations, base } = visit
    const conversation = query.get('conversation')
    const chosen = conversation === null ? undefined : mine(visit, await threads.ofConversation(conversation))
    const wanted = chosen?.locationId ?? query.get('location')
    const location = locations.find(({ id }) => id === wanted) ?? locations[0]
    if (location === undefined) return gone(words)
    if (chosen !== undefined) await threads.read(chosen.id)
    const contacts = await db.read(contactsOfLocation, { locationId: location.id, rows: SHOWN })
    return html(inboxPage(words, { base, locations, location, contacts, chosen, problem }))
  }

  const mine = <T extends { readonly accountId: AccountId }>({ company }: Visit, found: T | undefined) =>
    found?.accountId === company.accountId ? found : undefined

  async function write(visit: Visit): Promise<PageAnswer> {
    const { words, base, company } = visit
    const parts = readMultipart(visit.contentType, visit.body) ?? []
    const field = (name: string) =>
      parts.find((part) => part.name === name && part.filename === null)?.bytes.toString() ?? ''
    const contact = mine(visit, await threads.ofConversation(field('conversation')))
    if (contact === undefined) return gone(words)
    const file = parts.find(
      ({ name, filename, bytes }) => name === 'file' && filename !== null && filename !== '' && bytes.length > 0,
    )
    const text = field('text').replaceAll('\r\n', '\n').trim().slice(0, LIMITS.textLength)
    if (file !== undefined && file.filename !== null) {
      const { filename: name, mimeType, bytes } = file
      const url = await files.add(company.accountId, { name, mimeType, bytes })
      await threads.write(contact, text, [url])
    } else if (text !== '') await threads.write(contact, text, [])
    return seeOther(`${base}/inbox?conversation=${contact.conversationId}`)
  }

  async function addContact(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
    const { words, locations, base, company } = visit
    const location = locations.find(({ id }) => id === form.get('location'))
    if (location === undefined) return gone(words)
    const digits = (form.get('phone') ?? '').replaceAll(/[\s()+.-]/g, '')
    if (digits !== '' && !/^[0-9]{7,15}$/.test(digits))
      return {
        ...(await inbox({ ...visit, query: new URLSearchParams({ location: location.id }) }, words.wrongPhone)),
        status: 400,
      }
    const name = (form.get('name') ?? '').trim().slice(0, 200)
    const wish = { ...(digits !== '' && { phone: `+${digits}` }), ...(name !== '' && { name }) }
    const { contact } = await threads.upsert(company.accountId, location.id, wish)
    return seeOther(`${base}/inbox?conversation=${contact.conversationId}`)
  }

  async function act(visit: Visit, name: string): Promise<PageAnswer> {
    const { words, base, company, locations } = visit
    if (name === 'inbox') return write(visit)
    const form = readForm(visit.body)
    if (name === 'contacts') return addContact(visit, form)
    if (name === 'dnd') {
      const contact = mine(visit, await threads.find(form.get('contact') ?? ''))
      if (contact === undefined) return gone(words)
      await threads.change(contact.id, { dnd: form.get('dnd') === 'on' })
      return seeOther(`${base}/inbox?conversation=${contact.conversationId}`)
    }
    const location = locations.find(({ id }) => id === form.get('location'))
    if (name !== 'uninstall' || location === undefined) return gone(words)
    await oauth.revoke(company.accountId, location.id)
    await tell('UNINSTALL', company, location.id)
    return seeOther(`${base}/inbox?location=${location.id}`)
  }

  async function show(visit: Visit, name: string): Promise<PageAnswer> {
    const { words, query, base } = visit
    if (name === 'inbox') return inbox(visit)
    if (name === 'thread') {
      const contact = mine(visit, await threads.ofConversation(query.get('conversation') ?? ''))
      if (contact === undefined) return gone(words)
      const newest = { date: Number.MAX_SAFE_INTEGER, before: Number.MAX_SAFE_INTEGER, rows: SHOWN }
      const messages = await db.read(messagesBefore, { conversationId: contact.conversationId, ...newest })
      const next = `${base}/thread?conversation=${contact.conversationId}&at=${clock.now()}#newest`
      return html(threadPage(words, base, messages.toReversed(), next))
    }
    const file = name === 'files' ? await files.find(visit.path[1] ?? '') : undefined
    if (file === undefined) return gone(words)
    const type = INLINE.test(file.mimeType) ? file.mimeType : 'application/octet-stream'
    return { status: 200, headers: { 'content-type': type }, body: Buffer.from(file.bytes) }
  }

  return {
    async answer(pageToken, request) {
      const words = wordsFor(request.language)
      const company = await companies.ofPage(pageToken)
      if (company === undefined) return gone(words)
      const locations = await companies.locations(company.accountId)
      const visit: Visit = { ...request, words, company, locations, base: `/sandbox/ghl/${pageToken}` }
      const [first = '', second] = request.path
      if (first === 'oauth' && second === 'chooselocation') return consent(visit)
      return request.method === 'POST' ? act(visit, first) : show(visit, first)
    },
  }
}

/** Types that cannot contain a script. */
const INLINE = /^(image\/(png|jpeg|gif|webp)|audio\/|video\/|application\/pdf$)/

/** A form without files. A longer body than the page's forms send is read as empty. */
const readForm = (body: Buffer) => new URLSearchParams(body.length > FORM_BYTES ? '' : body.toString())

const html = (body: string, status = 200): PageAnswer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
})
const gone = (words: PageWords): PageAnswer => html(gonePage(words), 404)
const seeOther = (location: string): PageAnswer => ({ status: 303, headers: { location }, body: '' })
