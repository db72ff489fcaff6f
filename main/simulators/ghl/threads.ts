import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { invalid, notFound } from './answers.ts'
import type { Deliveries } from './deliveries.ts'
import { ghlId } from './ids.ts'
import {
  contactByConversation,
  contactByEmail,
  contactById,
  contactByPhone,
  insertContact,
  insertMessage,
  markRead,
  messageById,
  noteMessage,
  setStatus,
  updateContact,
  type Contact,
  type Message,
} from './thread-store.ts'

export interface ContactWish {
  /** With plus sign. */
  readonly phone?: string | undefined
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly dnd?: boolean | undefined
  readonly tags?: readonly string[] | undefined
  /** Custom and standard fields by key. */
  readonly fields?: Readonly<Record<string, string>> | undefined
}

interface ThreadsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly deliveries: Deliveries
  readonly onChange: (accountId: AccountId) => void
}

export type Threads = ReturnType<typeof createThreads>

/** Contacts and their messages. */
export function createThreads({ db, clock, random, deliveries, onChange }: ThreadsDeps) {
  const changed = (tx: Tx, { accountId }: { readonly accountId: AccountId }) =>
    tx.afterCommit(() => onChange(accountId))

  const get = (read: Pick<Tx, 'one'>, id: string) => read.one(contactById, { id })

  const create = async (
    tx: Tx,
    place: { readonly accountId: AccountId; readonly locationId: string },
    { phone, email, name, dnd, tags, fields }: ContactWish,
  ): Promise<Contact> => {
    const contact: Contact = {
      ...place,
      seq: await tx.next('sandbox_ghl_contacts'),
      id: ghlId(random),
      conversationId: ghlId(random),
      phone: phone ?? null,
      email: email ?? null,
      name: name ?? null,
      dnd: dnd === true ? 1 : 0,
      tags: JSON.stringify(tags ?? []),
      fields: JSON.stringify(fields ?? {}),
      unread: 0,
      createdAtMs: clock.now(),
      lastMessageSeq: 0,
    }
    await tx.run(insertContact, contact)
    changed(tx, contact)
    return contact
  }

  const change = async (tx: Tx, contact: Contact, wish: ContactWish): Promise<Contact> => {
    const { name, dnd, tags, fields } = wish
    const next: Contact = {
      ...contact,
      ...(await joined(tx, contact, wish)),
      name: name ?? contact.name,
      dnd: dnd === undefined ? contact.dnd : dnd ? 1 : 0,
      tags: JSON.stringify(tags === undefined ? JSON.parse(contact.tags) : [...new Set(tags)]),
      fields: JSON.stringify({ ...(JSON.parse(contact.fields) as object), ...fields }),
    }
    await tx.run(updateContact, next)
    if (next.dnd !== contact.dnd) {
      const { accountId, locationId } = contact
      await deliveries.add(tx, { accountId, locationId, path: 'app', body: dndBody(next) })
    }
    changed(tx, next)
    return next
  }

  /** A value that belongs to another contact is ignored silently. */
  async function joined(tx: Tx, { id, locationId, ...contact }: Contact, { phone, email }: ContactWish) {
    const byPhone = phone === undefined ? undefined : await tx.one(contactByPhone, { locationId, phone })
    const byEmail = email === undefined ? undefined : await tx.one(contactByEmail, { locationId, email })
    const isFree = (owner: Contact | undefined) => owner === undefined || owner.id === id
    return {
      phone: phone !== undefined && isFree(byPhone) ? phone : contact.phone,
      email: email !== undefined && isFree(byEmail) ? email : contact.email,
    }
  }

  function dndBody({ id, locationId, phone, name, dnd }: Contact) {
    const at = new Date(clock.now()).toISOString()
    return {
      type: 'ContactDndUpdate',
      locationId,
      id,
      ...(phone !== null && { phone }),
      ...(name !== null && { name }),
      dnd: dnd === 1,
      dndSettings: { SMS: { status: dnd === 1 ? 'active' : 'inactive' } },
      dateUpdated: at,
      timestamp: at,
      webhookId: ghlId(random),
    }
  }

  const say = async (
    tx: Tx,
    contact: Contact,
    said: Omit<Message, 'seq' | 'id' | 'conversationId' | 'error'>,
  ): Promise<Message> => {
    const message: Message = {
      ...said,
      ...{ seq: await tx.next('sandbox_ghl_messages'), id: ghlId(random), error: null },
      conversationId: contact.conversationId,
    }
    await tx.run(insertMessage, message)
    await tx.run(noteMessage, { id: contact.id, seq: message.seq, unread: message.direction === 'inbound' ? 1 : 0 })
    changed(tx, contact)
    return message
  }

  return {
    find: (id: string) => get({ one: db.readOne }, id),
    ofConversation: (conversationId: string) => db.readOne(contactByConversation, { conversationId }),
    ofPhone: (locationId: string, phone: string) => db.readOne(contactByPhone, { locationId, phone }),

    /** As POST /contacts/upsert: matched by the email first, then by the exact spelling of the phone. */
    upsert: (accountId: AccountId, locationId: string, wish: ContactWish) =>
      db.commit(async (tx) => {
        const { phone, email } = wish
        const byEmail = email === undefined ? undefined : await tx.one(contactByEmail, { locationId, email })
        const known = byEmail ?? (phone === undefined ? undefined : await tx.one(contactByPhone, { locationId, phone }))
        if (known !== undefined) return { contact: await change(tx, known, wish), isNew: false }
        return { contact: await create(tx, { accountId, locationId }, wish), isNew: true }
      }),

    change: (id: string, wish: ContactWish) =>
      db.commit(async (tx) => {
        const contact = await get(tx, id)
        if (contact === undefined) throw notFound('Contact')
        return change(tx, contact, wish)
      }),

    /** Adds a message of the app: one from the contact, or one that was sent elsewhere. */
    add: (
      contact: Contact,
      said: Pick<Message, 'direction' | 'type' | 'text' | 'dateMs'> & { attachments: string[] },
    ) =>
      db.commit((tx) =>
        say(tx, contact, {
          ...said,
          attachments: JSON.stringify(said.attachments),
          source: 'api',
          status: said.direction === 'inbound' ? 'delivered' : 'sent',
        }),
      ),

    /** Stores a message of a CRM user, and sends it to the provider in the same commit. */
    write: (contact: Contact, text: string, attachments: readonly string[]): Promise<Message> =>
      db.commit(async (tx) => {
        const message = await say(tx, contact, {
          direction: 'outbound',
          type: 'SMS',
          text,
          attachments: JSON.stringify(attachments),
          source: 'app',
          status: 'pending',
          dateMs: clock.now(),
        })
        const { accountId, locationId, id: contactId, phone } = contact
        const body = {
          contactId,
          locationId,
          messageId: message.id,
          type: 'SMS',
          ...(phone !== null && { phone }),
          message: text,
          attachments,
          userId: 'sandboxUser000000001',
        }
        await deliveries.add(tx, { accountId, locationId, path: 'outbound', body })
        return message
      }),

    /** Like GoHighLevel, accepts any known status in any order. */
    setStatus: (id: string, status: string, error: string | null): Promise<Message> =>
      db.commit(async (tx) => {
        const message = await tx.one(messageById, { id })
        if (message === undefined) throw notFound('Message')
        if (!isStatus(status)) throw invalid('status must be pending, delivered, read or failed')
        await tx.run(setStatus, { id, status, error: status === 'failed' ? error : null })
        const contact = await tx.one(contactByConversation, { conversationId: message.conversationId })
        if (contact !== undefined) changed(tx, contact)
        return { ...message, status, error }
      }),

    read: (id: string) => db.commit((tx) => tx.run(markRead, { id })),
  }
}

const isStatus = (word: string): word is Message['status'] =>
  ['pending', 'sent', 'delivered', 'read', 'failed'].includes(word)
