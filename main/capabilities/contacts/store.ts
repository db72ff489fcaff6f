import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'

export interface Contact {
  readonly seq: number
  readonly number: string
  readonly phone: string
  readonly givenName: string | null
  readonly pushName: string | null
  readonly lastInAtMs: number | null
  readonly lastOutAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

const COLUMNS = `c.seq, c.number, c.phone, c.given_name AS givenName, c.push_name AS pushName, c.last_in_at AS lastInAtMs,
  c.last_out_at AS lastOutAtMs, c.created_at AS createdAtMs, c.updated_at AS updatedAtMs`

type OfNumber = { accountId: AccountId; number: string }

export const contactOf = sql<OfNumber, Contact>(
  `SELECT ${COLUMNS} FROM contacts c WHERE c.account_id = :accountId AND c.number = :number`,
)

export const insertContact = sql<Contact & { accountId: AccountId; reversed: string }>(
  `INSERT INTO contacts (seq, account_id, number, reversed, phone, given_name, push_name, last_in_at, last_out_at,
     created_at, updated_at)
   VALUES (:seq, :accountId, :number, :reversed, :phone, :givenName, :pushName, :lastInAtMs, :lastOutAtMs,
     :createdAtMs, :updatedAtMs)`,
)

export const setNames = sql<{ seq: number; givenName: string | null; pushName: string | null; now: number }>(
  'UPDATE contacts SET given_name = :givenName, push_name = :pushName, updated_at = :now WHERE seq = :seq',
)

export const touchContact = sql<{ seq: number; now: number }>('UPDATE contacts SET updated_at = :now WHERE seq = :seq')

export const setLastIn = sql<{ seq: number; at: number }>(
  'UPDATE contacts SET last_in_at = :at WHERE seq = :seq AND (last_in_at IS NULL OR last_in_at < :at)',
)
export const setLastOut = sql<{ seq: number; at: number }>(
  'UPDATE contacts SET last_out_at = :at WHERE seq = :seq AND (last_out_at IS NULL OR last_out_at < :at)',
)
export const setInstanceIn = sql<{ seq: number; instanceId: string; at: number }>(
  `INSERT INTO contact_instances (contact_seq, instance_id, last_in_at) VALUES (:seq, :instanceId, :at)
   ON CONFLICT (contact_seq, instance_id) DO UPDATE SET last_in_at = excluded.last_in_at
   WHERE contact_instances.last_in_at IS NULL OR contact_instances.last_in_at < excluded.last_in_at`,
)
export const setInstanceOut = sql<{ seq: number; instanceId: string; at: number }>(
  `INSERT INTO contact_instances (contact_seq, instance_id, last_out_at) VALUES (:seq, :instanceId, :at)
   ON CONFLICT (contact_seq, instance_id) DO UPDATE SET last_out_at = excluded.last_out_at
   WHERE contact_instances.last_out_at IS NULL OR contact_instances.last_out_at < excluded.last_out_at`,
)

export const insertTerm = sql<{ seq: number; term: string; accountId: AccountId }>(
  `INSERT INTO contact_terms (contact_seq, term, account_id) VALUES (:seq, :term, :accountId)
   ON CONFLICT (contact_seq, term) DO NOTHING`,
)
export const insertTag = sql<{ seq: number; tag: string; accountId: AccountId }>(
  `INSERT INTO contact_tags (contact_seq, tag, account_id) VALUES (:seq, :tag, :accountId)
   ON CONFLICT (contact_seq, tag) DO NOTHING`,
)

type OfContact = { seq: number }
export const tagsOf = sql<OfContact, { tag: string }>(
  'SELECT tag FROM contact_tags WHERE contact_seq = :seq ORDER BY tag',
)
export const removeTerms = sql<OfContact>('DELETE FROM contact_terms WHERE contact_seq = :seq')
export const removeTags = sql<OfContact>('DELETE FROM contact_tags WHERE contact_seq = :seq')
export const removeInstances = sql<OfContact>('DELETE FROM contact_instances WHERE contact_seq = :seq')
export const removeIdentities = sql<OfContact>('DELETE FROM contact_identities WHERE contact_seq = :seq')
export const removeContact = sql<OfContact>('DELETE FROM contacts WHERE seq = :seq')
export const removeOfInstance = sql<{ instanceId: string }>(
  'DELETE FROM contact_instances WHERE instance_id = :instanceId',
)

export type OwnedContact = Contact & { readonly accountId: AccountId }
export const contactsAfter = sql<{ after: number; rows: number }, OwnedContact>(
  `SELECT ${COLUMNS}, c.account_id AS accountId FROM contacts c WHERE c.seq > :after ORDER BY c.seq LIMIT :rows`,
)
export const setNumber = sql<{ seq: number; number: string; reversed: string }>(
  'UPDATE contacts SET number = :number, reversed = :reversed WHERE seq = :seq',
)
export const setPhone = sql<{ seq: number; phone: string; now: number }>(
  'UPDATE contacts SET phone = :phone, updated_at = :now WHERE seq = :seq',
)
export const moveIdentities = sql<{ from: number; to: number }>(
  'UPDATE contact_identities SET contact_seq = :to WHERE contact_seq = :from',
)
export const copyTags = sql<{ from: number; to: number }>(
  `INSERT INTO contact_tags (contact_seq, tag, account_id)
     SELECT :to, tag, account_id FROM contact_tags WHERE contact_seq = :from
   ON CONFLICT (contact_seq, tag) DO NOTHING`,
)
export const instancesOfContact = sql<
  OfContact,
  { instanceId: string; lastInAtMs: number | null; lastOutAtMs: number | null }
>(
  `SELECT instance_id AS instanceId, last_in_at AS lastInAtMs, last_out_at AS lastOutAtMs FROM contact_instances
   WHERE contact_seq = :seq`,
)

export interface InstanceContact extends Pick<Contact, 'seq' | 'number' | 'phone' | 'pushName' | 'createdAtMs'> {
  readonly inAtMs: number | null
  readonly outAtMs: number | null
  /** Number of other instances that have exchanged messages with this person. */
  readonly others: number
}
export const contactsOfInstance = sql<{ instanceId: string }, InstanceContact>(
  `SELECT c.seq, c.number, c.phone, c.push_name AS pushName, c.created_at AS createdAtMs, i.last_in_at AS inAtMs,
     i.last_out_at AS outAtMs,
     (SELECT COUNT(*) FROM contact_instances o WHERE o.contact_seq = c.seq AND o.instance_id <> :instanceId) AS others
   FROM contact_instances i JOIN contacts c ON c.seq = i.contact_seq WHERE i.instance_id = :instanceId`,
)
type ToAccount = OfContact & { to: AccountId }
export const rehomeIdentities = sql<ToAccount>(
  'UPDATE contact_identities SET account_id = :to WHERE contact_seq = :seq',
)
export const moveContact = sql<ToAccount>('UPDATE contacts SET account_id = :to WHERE seq = :seq')
export const moveTerms = sql<ToAccount>('UPDATE contact_terms SET account_id = :to WHERE contact_seq = :seq')
export const moveTags = sql<ToAccount>('UPDATE contact_tags SET account_id = :to WHERE contact_seq = :seq')
export const reassign = sql<{ instanceId: string; from: number; to: number }>(
  'UPDATE contact_instances SET contact_seq = :to WHERE contact_seq = :from AND instance_id = :instanceId',
)

export interface IdentityRow {
  readonly seq: number
  readonly kind: 'lid' | 'bsuid' | 'username'
  readonly value: string
}

/** A name belongs to one contact. */
export const putIdentity = sql<IdentityRow & { accountId: AccountId }>(
  `INSERT INTO contact_identities (account_id, kind, value, contact_seq) VALUES (:accountId, :kind, :value, :seq)
   ON CONFLICT (account_id, kind, value) DO UPDATE SET contact_seq = excluded.contact_seq`,
)
export const usernameOf = sql<{ seq: number }, { value: string }>(
  "SELECT value FROM contact_identities WHERE contact_seq = :seq AND kind = 'username' ORDER BY value LIMIT 1",
)
export const removeUsername = sql<{ seq: number }>(
  "DELETE FROM contact_identities WHERE contact_seq = :seq AND kind = 'username'",
)
export const contactsByUsername = sql<
  { accountId: AccountId; rows: number; from: string; to: string; after: string },
  Contact & { readonly username: string }
>(
  `SELECT ${COLUMNS}, i.value AS username FROM contact_identities i JOIN contacts c ON c.seq = i.contact_seq
   WHERE i.account_id = :accountId AND i.kind = 'username' AND i.value >= :from AND i.value < :to AND i.value > :after
   ORDER BY i.value LIMIT :rows`,
)
export const contactOfIdentity = sql<{ accountId: AccountId; value: string }, Contact>(
  `SELECT ${COLUMNS} FROM contact_identities i JOIN contacts c ON c.seq = i.contact_seq
   WHERE i.account_id = :accountId AND i.kind IN ('lid', 'bsuid') AND i.value = :value`,
)
export const identitiesOfContacts = sqlOfList<number, object, IdentityRow>(
  (list) => `SELECT contact_seq AS seq, kind, value FROM contact_identities WHERE contact_seq IN (${list})
   ORDER BY contact_seq, kind, value`,
)

// Lists. Each has an index that yields its rows in their order.

type Page = { accountId: AccountId; rows: number }

export const newestContacts = sql<Page & { beforeSeq: number }, Contact>(
  `SELECT ${COLUMNS} FROM contacts c WHERE c.account_id = :accountId AND c.seq < :beforeSeq
   ORDER BY c.seq DESC LIMIT :rows`,
)
export const contactsWithTag = sql<Page & { tag: string; beforeSeq: number }, Contact>(
  `SELECT ${COLUMNS} FROM contact_tags t JOIN contacts c ON c.seq = t.contact_seq
   WHERE t.account_id = :accountId AND t.tag = :tag AND t.contact_seq < :beforeSeq
   ORDER BY t.contact_seq DESC LIMIT :rows`,
)

/** One row per matching word, so a contact may appear several times. */
export const contactsByTerm = sql<
  Page & { from: string; to: string; afterTerm: string; afterSeq: number },
  Contact & { term: string }
>(
  `SELECT ${COLUMNS}, t.term FROM contact_terms t JOIN contacts c ON c.seq = t.contact_seq
   WHERE t.account_id = :accountId AND t.term >= :from AND t.term < :to
     AND (t.term, t.contact_seq) > (:afterTerm, :afterSeq)
   ORDER BY t.term, t.contact_seq LIMIT :rows`,
)
export const contactsByFirstDigits = sql<Page & { from: string; to: string; after: string }, Contact>(
  `SELECT ${COLUMNS} FROM contacts c
   WHERE c.account_id = :accountId AND c.number >= :from AND c.number < :to AND c.number > :after
   ORDER BY c.number LIMIT :rows`,
)
export const contactsByLastDigits = sql<
  Page & { from: string; to: string; after: string },
  Contact & { reversed: string }
>(
  `SELECT ${COLUMNS}, c.reversed FROM contacts c
   WHERE c.account_id = :accountId AND c.reversed >= :from AND c.reversed < :to AND c.reversed > :after
   ORDER BY c.reversed LIMIT :rows`,
)

export const nextTag = sql<{ accountId: AccountId; after: string }, { tag: string | null }>(
  'SELECT MIN(tag) AS tag FROM contact_tags WHERE account_id = :accountId AND tag > :after',
)
export const countOfTag = sql<
  { accountId: AccountId; tag: string; afterSeq: number; rows: number },
  { contacts: number; lastSeq: number | null }
>(
  `SELECT COUNT(*) AS contacts, MAX(contact_seq) AS lastSeq FROM (
     SELECT contact_seq FROM contact_tags WHERE account_id = :accountId AND tag = :tag AND contact_seq > :afterSeq
     ORDER BY contact_seq LIMIT :rows) AS counted`,
)

export const tagsOfContacts = sqlOfList<number, object, { seq: number; value: string }>(
  (list) =>
    `SELECT contact_seq AS seq, tag AS value FROM contact_tags WHERE contact_seq IN (${list}) ORDER BY contact_seq, tag`,
)
export const instancesOfContacts = sqlOfList<
  number,
  object,
  { seq: number; instanceId: string; lastInAtMs: number | null; lastOutAtMs: number | null }
>(
  (list) => `SELECT contact_seq AS seq, instance_id AS instanceId, last_in_at AS lastInAtMs, last_out_at AS lastOutAtMs
   FROM contact_instances WHERE contact_seq IN (${list}) ORDER BY contact_seq, instance_id`,
)
export const termsOfContacts = sqlOfList<number, object, { seq: number; value: string }>(
  (list) => `SELECT contact_seq AS seq, term AS value FROM contact_terms WHERE contact_seq IN (${list})`,
)
export const lastContactOf = sqlOfList<
  string,
  { accountId: AccountId },
  { number: string; instanceId: string; lastInAtMs: number | null; lastOutAtMs: number | null }
>(
  (list) => `SELECT c.number, i.instance_id AS instanceId, i.last_in_at AS lastInAtMs, i.last_out_at AS lastOutAtMs
   FROM contacts c JOIN contact_instances i ON i.contact_seq = c.seq
   WHERE c.account_id = :accountId AND c.number IN (${list})`,
)
