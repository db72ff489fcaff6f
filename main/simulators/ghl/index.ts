import type { GhlContact, GhlConversation, GhlFault, GhlMessage } from '../../contract/sandbox-ghl.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { createOutbound, type Responder, type Resolve } from '../../outbound/outbound.ts'
import { createSimulatorListener } from '../listener.ts'
import { createCompanies } from './companies.ts'
import { createDeliveries } from './deliveries.ts'
import { createGhlFaults } from './faults.ts'
import { createGhlFiles } from './files.ts'
import { createLimits } from './limits.ts'
import { createOauth, type GhlApp } from './oauth.ts'
import { createPages, type GhlPages } from './pages.ts'
import { createRoutes } from './routes.ts'
import {
  contactsOfAccount,
  messageById,
  messageBySeq,
  messagesBefore,
  type Contact,
  type Message,
} from './thread-store.ts'
import { createThreads } from './threads.ts'

export { FILE_HOST } from './files.ts'
export type { GhlPages } from './pages.ts'

export interface GhlSimulatorDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly resolve: Resolve
  /** URL of this service, without a trailing slash: requests are sent there. */
  readonly callbackBase: () => string
  /** Allowed calls of a location in ten seconds. */
  readonly burst: number
  readonly onChange: (accountId: AccountId) => void
}

interface MessagePage {
  readonly dateMs: number
  readonly seq: number
}

/** GoHighLevel from an app's point of view: an API with its own listener, pages, and signed requests. */
export interface GhlSimulator {
  readonly app: GhlApp
  /** URL of the API; starts to listen on first use. */
  apiUrl(): Promise<string>
  /** PEM. */
  publicKey(): Promise<string>
  /** The path of the account's pages, such as `/sandbox/ghl/…`. */
  pagePath(accountId: AccountId): Promise<string>
  /** Runs in the commit that ends the access of a person who may know that path. */
  endPages(tx: Tx, accountId: AccountId): Promise<void>
  readonly pages: GhlPages
  /** Answers for the host of its files. */
  readonly files: Responder
  fail(accountId: AccountId, kind: GhlFault, times: number): void
  /** Newest first. @param before the last one shown; null: the first page. */
  conversations(
    accountId: AccountId,
    before: { readonly message: number; readonly seq: number } | null,
    rows: number,
  ): Promise<{ readonly record: GhlConversation; readonly message: number; readonly seq: number }[]>
  conversation(accountId: AccountId, conversationId: string): Promise<Contact | undefined>
  messages(
    contact: Contact,
    before: MessagePage | null,
    rows: number,
  ): Promise<(MessagePage & { record: GhlMessage })[]>
  /** Writes as a CRM user. */
  write(contact: Contact, text: string, attachments: readonly string[]): Promise<GhlMessage>
  /** @returns undefined if the location belongs to another account. */
  addContact(
    accountId: AccountId,
    wish: { readonly phone?: string; readonly email?: string; readonly name?: string; readonly locationId?: string },
  ): Promise<{ readonly contact: GhlContact; readonly isNew: boolean } | undefined>
  contact(accountId: AccountId, id: string): Promise<Contact | undefined>
  setDnd(contactId: string, dnd: boolean): Promise<GhlContact>
  /** Runs once the service listens: sends waiting requests. */
  start(): Promise<void>
  close(): Promise<void>
}

const NEWEST = Number.MAX_SAFE_INTEGER

export function createGhlSimulator(deps: GhlSimulatorDeps): GhlSimulator {
  const { db, clock, random, log, resolve, callbackBase, burst, onChange } = deps
  const app: GhlApp = {
    clientId: '65f0sandbox0000000000000-sandbox1',
    clientSecret: 'sandbox-client-secret',
    providerId: 'sandboxProvider00001',
  }
  // It can reach only this service.
  const outbound = createOutbound({
    ...{ clock, resolve, trustedRanges: ['127.0.0.0/8', '::1/128'] },
    only: () => [new URL(callbackBase()).origin],
  })
  const companies = createCompanies({ db, random })
  const faults = createGhlFaults()
  const deliveries = createDeliveries({ db, clock, log, outbound, faults, callbackBase })
  const threads = createThreads({ db, clock, random, deliveries, onChange })
  const files = createGhlFiles({ db, clock, random })
  const oauth = createOauth({ db, clock, random, app, companies, faults })
  const limits = createLimits(clock, burst)
  const answer = createRoutes({ db, app, companies, oauth, threads, files, faults, limits })
  const listener = createSimulatorListener({ log, name: 'ghl', answer, maxBodyBytes: 110 * 1024 * 1024 })
  let listening: Promise<string> | undefined

  const toConversation = async (contact: Contact): Promise<GhlConversation> => {
    const last =
      contact.lastMessageSeq === 0 ? undefined : await db.readOne(messageBySeq, { seq: contact.lastMessageSeq })
    return {
      id: contact.conversationId,
      location_id: contact.locationId,
      contact_id: contact.id,
      phone: contact.phone,
      name: contact.name,
      dnd: contact.dnd === 1,
      unread: contact.unread,
      last_message: last?.text ?? null,
      last_message_at: last === undefined ? null : new Date(last.dateMs).toISOString(),
    }
  }

  return {
    app,
    apiUrl: () => (listening ??= listener.listen(0)),
    publicKey: deliveries.publicKey,
    pagePath: async (accountId) => `/sandbox/ghl/${(await companies.of(accountId)).pageToken}`,
    endPages: companies.endPages,
    pages: createPages({ db, clock, random, companies, oauth, threads, files, deliveries }),
    files: files.answer,
    fail: faults.arm,
    async conversations(accountId, before, rows) {
      const from = { beforeMessage: before?.message ?? NEWEST, before: before?.seq ?? NEWEST }
      const found = await db.read(contactsOfAccount, { accountId, ...from, rows })
      return Promise.all(
        found.map(async (contact) => ({
          record: await toConversation(contact),
          ...{ message: contact.lastMessageSeq, seq: contact.seq },
        })),
      )
    },
    async conversation(accountId, conversationId) {
      const contact = await threads.ofConversation(conversationId)
      return contact?.accountId === accountId ? contact : undefined
    },
    async messages(contact, before, rows) {
      const from = { date: before?.dateMs ?? NEWEST, before: before?.seq ?? NEWEST }
      const found = await db.read(messagesBefore, { conversationId: contact.conversationId, ...from, rows })
      return found.map((message) => ({
        ...{ dateMs: message.dateMs, seq: message.seq },
        record: toRecord(message, contact),
      }))
    },
    async write(contact, text, attachments) {
      const { id } = await threads.write(contact, text, attachments)
      const stored = await db.readOne(messageById, { id })
      if (stored === undefined) throw new Error('The message that was just stored is gone')
      return toRecord(stored, contact)
    },
    async addContact(accountId, { locationId, ...wish }) {
      await companies.of(accountId)
      const locations = await companies.locations(accountId)
      const location = locations.find(({ id }) => locationId === undefined || id === locationId)
      if (location === undefined) return undefined
      const { contact, isNew } = await threads.upsert(accountId, location.id, wish)
      return { contact: toContactRecord(contact), isNew }
    },
    async contact(accountId, id) {
      const contact = await threads.find(id)
      return contact?.accountId === accountId ? contact : undefined
    },
    setDnd: async (contactId, dnd) => toContactRecord(await threads.change(contactId, { dnd })),
    start: deliveries.start,
    async close() {
      const stopped = deliveries.stop()
      await outbound.close()
      await stopped
      await listening?.catch(() => {})
      await listener.close()
    },
  }
}

const toRecord = (message: Message, { id: contact_id }: Contact): GhlMessage => ({
  id: message.id,
  conversation_id: message.conversationId,
  contact_id,
  direction: message.direction,
  type: message.type,
  text: message.text,
  attachments: JSON.parse(message.attachments) as string[],
  source: message.source,
  status: message.status,
  error: message.error,
  created_at: new Date(message.dateMs).toISOString(),
})

const toContactRecord = (contact: Contact): GhlContact => ({
  id: contact.id,
  location_id: contact.locationId,
  conversation_id: contact.conversationId,
  phone: contact.phone,
  email: contact.email,
  name: contact.name,
  dnd: contact.dnd === 1,
  tags: JSON.parse(contact.tags) as string[],
  custom_fields: JSON.parse(contact.fields) as Record<string, string>,
  created_at: new Date(contact.createdAtMs).toISOString(),
})
