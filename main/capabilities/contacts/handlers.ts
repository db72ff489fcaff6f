import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { COLUMN_NAMES } from '../../contract/list-columns.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Principal } from '../../kernel/access.ts'
import { importNumbers } from '../../kernel/number-import.ts'
import { readCsv } from '../../kernel/csv.ts'
import type { Db } from '../../kernel/db.ts'
import type { Files } from '../../kernel/files.ts'
import { createImportTurns } from '../../kernel/import-turns.ts'
import type { Cursors } from '../../kernel/page.ts'
import { readPhone } from '../../kernel/phone-number.ts'
import { Answer, type Existence, type Handlers } from '../handler.ts'
import { deciderOf } from '../opt-outs/index.ts'
import type { ContactRecord, contactsContract } from './contract.ts'
import { nameOf, type Contact, type ContactDetail, type Contacts } from './index.ts'
import type { MetaContactBook } from './meta-contact-book.ts'

interface HandlerDeps {
  readonly db: Db
  readonly cursors: Cursors
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly contacts: Contacts
  readonly metaContactBook: MetaContactBook
}

const SAMPLES = 5
const SAMPLE_LENGTH = 100

const notFound = () => new ApiError('not_found', 'There is no contact with this number.')

/** @throws ApiError not_found */
const createFind = (contacts: Contacts) => async (principal: Principal, phone: string) => {
  const read = readPhone(phone, await contacts.country(principal.accountId)) ?? phone
  const contact = await contacts.find(principal.accountId, read)
  if (contact === undefined) throw notFound()
  return contact
}

export function contactsExistence(contacts: Contacts): Existence<typeof contactsContract> {
  const find = createFind(contacts)
  const exists = (principal: Principal, { phone }: { readonly phone: string }) => find(principal, phone)
  return { getContact: exists, updateContact: exists, deleteContact: exists }
}

export function contactsHandlers({
  db,
  cursors,
  files,
  contacts,
  metaContactBook,
}: HandlerDeps): Handlers<typeof contactsContract> {
  const inTurn = createImportTurns()
  const find = createFind(contacts)

  const show = async ({ accountId }: Principal, contact: Contact): Promise<ContactRecord> => {
    const [detail] = await contacts.detail(accountId, [contact])
    if (detail === undefined) throw notFound()
    return toRecord(detail)
  }

  return {
    async listContacts({ principal: { accountId }, query: { q, tag, phone, limit = LIMITS.pageSizeDefault, cursor } }) {
      const list = `contacts:${accountId}:${JSON.stringify([q, tag, phone])}`
      const after = cursor === undefined ? undefined : cursors.decode(list, cursor)
      const country = await contacts.country(accountId)
      const page = await contacts.search(accountId, { q, tag, phone }, { after, limit, country })
      return {
        data: (await contacts.detail(accountId, page.contacts)).map(toRecord),
        next_cursor: page.next === undefined ? null : cursors.encode(list, page.next),
        has_more: page.next !== undefined,
      }
    },

    async listContactNames({ principal: { accountId }, query }) {
      const people = await contacts.namesOf(accountId, [...new Set(query.phones.split(','))])
      return {
        data: people.filter(({ name, number, username }) => name !== null || number === null || username !== null),
      }
    },

    async createContact({ principal, body: { phone: text, opted_out: isOptedOut, ...change } }) {
      const { accountId } = principal
      const phone = readPhone(text, await contacts.country(accountId))
      if (phone === undefined)
        throw new ApiError(
          'validation_error',
          'phone is not a phone number. Write it with its country code, for example 12025550123.',
        ).because('not_phone', { field: 'phone' })
      const saved = await db.commit((tx) =>
        contacts.save(tx, accountId, phone, { ...change, isOptedOut, source: deciderOf(principal) }),
      )
      return new Answer({ status: saved.isNew ? 201 : 200, body: await show(principal, saved.contact) })
    },

    getContact: async ({ principal, params }) => show(principal, await find(principal, params.phone)),

    async updateContact({ principal, params, body: { opted_out: isOptedOut, ...change } }) {
      const { phone } = await find(principal, params.phone)
      const { contact } = await db.commit((tx) =>
        contacts.save(tx, principal.accountId, phone, { ...change, isOptedOut, source: deciderOf(principal) }),
      )
      return show(principal, contact)
    },

    async deleteContact({ principal, params }) {
      const contact = await find(principal, params.phone)
      const [detail] = await contacts.detail(principal.accountId, [contact])
      const addresses = [contact.phone, ...(detail?.identities ?? []).map(({ value }) => value)]
      await db.commit(async (tx) => {
        if (await contacts.remove(tx, principal.accountId, contact.phone))
          await metaContactBook.forget(tx, principal.accountId, [...new Set(addresses)])
      })
      return undefined
    },

    async importContacts({ principal: { accountId }, body, query }) {
      const everyRow = query.tag === undefined ? [] : [query.tag.trim()].filter((tag) => tag !== '')
      return importNumbers<'name' | 'tags'>(files, {
        source: body.stream,
        country: await contacts.country(accountId),
        columns: [
          { field: 'phone', wanted: query.phone, names: COLUMN_NAMES.phone, isRequired: true },
          { field: 'name', wanted: query.name, names: COLUMN_NAMES.name },
          { field: 'tags', wanted: query.tags, names: COLUMN_NAMES.tags },
        ],
        save: (rows) =>
          inTurn(accountId, body.ended, () =>
            db.commit(async (tx) => {
              let [created, updated] = [0, 0]
              for (const { phone, values } of rows) {
                const name = values.name?.slice(0, LIMITS.contactNameLength)
                const moreTags = [...tagsIn(values.tags ?? ''), ...everyRow]
                const saved = await contacts.save(tx, accountId, phone, { name, moreTags, source: 'import' })
                if (saved.isNew) created++
                else if (saved.isChanged) updated++
              }
              return { created, updated }
            }),
          ),
      })
    },

    listContactTags: async ({ principal }) => ({ data: [...(await contacts.tags(principal.accountId))] }),

    async previewCsv({ body }) {
      const { header, delimiter, portions } = await readCsv(body.stream)
      const samples: (readonly string[])[] = []
      try {
        for await (const rows of portions) {
          samples.push(...rows.slice(0, SAMPLES - samples.length).map(({ cells }) => cells))
          if (samples.length === SAMPLES) break
        }
      } catch (error) {
        // The sample is the beginning of a file and may end within a row.
        if (samples.length === 0 || !(error instanceof ApiError)) throw error
      }
      const columns = header.map((name, at) => ({
        name,
        samples: samples.map((cells) => (cells[at] ?? '').slice(0, SAMPLE_LENGTH)),
      }))
      return { delimiter, columns }
    },
  }
}

const tagsIn = (text: string): readonly string[] =>
  text
    .split(/[,;|]/)
    .map((tag) => tag.trim().slice(0, LIMITS.tagLength))
    .filter((tag) => tag !== '')
    .slice(0, LIMITS.contactTags)

const toRecord = ({ contact, tags, isOptedOut, identities, instances }: ContactDetail): ContactRecord => ({
  phone: contact.phone,
  name: nameOf(contact),
  identities: [...identities],
  tags: [...tags],
  opted_out: isOptedOut,
  last_inbound_at: isoTimeOrNull(contact.lastInAtMs),
  last_outbound_at: isoTimeOrNull(contact.lastOutAtMs),
  instances: instances.map(({ instanceId, lastInAtMs, lastOutAtMs }) => ({
    instance_id: instanceId,
    last_inbound_at: isoTimeOrNull(lastInAtMs),
    last_outbound_at: isoTimeOrNull(lastOutAtMs),
  })),
  created_at: isoTime(contact.createdAtMs),
  updated_at: isoTime(contact.updatedAtMs),
})
