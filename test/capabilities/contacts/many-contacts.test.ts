import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTagCounts } from '../../../main/capabilities/contacts/tags.ts'
import { createSearch, type ContactQuery } from '../../../main/capabilities/contacts/search.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { shortestOf, slowness } from '../../support/loop-stretch.ts'

const PEOPLE = 100_000
const account = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId

let database: TestDatabase
let search: ReturnType<typeof createSearch>

/** Half are called Ana and are customers, half are called Bea and are guests; all are Silva, and two of the Anas are VIPs. */
beforeAll(async () => {
  database = await testDatabase()
  search = createSearch(database.db)
  const { raw } = database
  const people = `WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${PEOPLE})`
  raw.exec(`BEGIN;
    INSERT INTO accounts (id, name, change_at, created_at) VALUES ('${account}', 'A', 0, 0);
    ${people} INSERT INTO contacts (seq, account_id, number, reversed, phone, given_name, created_at, updated_at)
      SELECT seq, '${account}', '120' || (20000000 + seq), seq || '', '120' || (20000000 + seq),
        CASE seq % 2 WHEN 0 THEN 'Ana Silva' ELSE 'Bea Silva' END, 0, 0 FROM n;
    ${people} INSERT INTO contact_terms (contact_seq, term, account_id)
      SELECT seq, CASE seq % 2 WHEN 0 THEN 'ana' ELSE 'bea' END, '${account}' FROM n;
    ${people} INSERT INTO contact_terms (contact_seq, term, account_id) SELECT seq, 'silva', '${account}' FROM n;
    ${people} INSERT INTO contact_tags (contact_seq, tag, account_id)
      SELECT seq, CASE seq % 2 WHEN 0 THEN 'customer' ELSE 'guest' END, '${account}' FROM n;
    ${people} INSERT INTO contact_tags (contact_seq, tag, account_id)
      SELECT seq, 'VIP', '${account}' FROM n WHERE seq % 50000 = 0;
    COMMIT`)
})
afterAll(() => database.close())

/** All pages of a query, each as how many people it has. */
async function pagesOf(query: ContactQuery, limit = 50): Promise<number[]> {
  const pages: number[] = []
  let after: Parameters<typeof search>[2]['after']
  do {
    const page = await search(account, query, { after, limit, country: null })
    pages.push(page.contacts.length)
    after = page.next
  } while (after !== undefined && pages.length < 20)
  return pages
}

test.each<[string, ContactQuery, number[]]>([
  ['a rare tag beside a frequent word', { q: 'ana', tag: 'VIP' }, [2]],
  ['a rare tag beside two frequent words', { q: 'silva ana', tag: 'VIP' }, [2]],
  ['a rare tag beside a word of others', { q: 'bea', tag: 'VIP' }, [0]],
  ['a word that nobody has beside a frequent one', { q: 'silva zoe' }, [0]],
  ['a word and a tag that never meet', { q: 'bea', tag: 'customer' }, [0, 0, 0, 0, 0, 0]],
  ['two words that never meet', { q: 'ana bea' }, [0, 0, 0, 0, 0, 0]],
  ['digits of everybody and a rare tag', { q: '1202', tag: 'VIP' }, [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]],
])('people with %s are found in limited pages, without blocking others', async (_, query, pages) => {
  expect(await pagesOf(query)).toEqual(pages)
  const page = () => search(account, query, { after: undefined, limit: 50, country: null })
  expect((await shortestOf(4, page, 20)) / slowness()).toBeLessThan(20)
})

test('a search for two words finds each matching person once', async () => {
  const seen = new Set<number>()
  let count = 0
  let after: Parameters<typeof search>[2]['after']
  do {
    const page = await search(account, { q: 'si an' }, { after, limit: 500, country: null })
    for (const { seq } of page.contacts) seen.add(seq)
    count += page.contacts.length
    after = page.next
  } while (after !== undefined)
  expect([count, seen.size]).toEqual([PEOPLE / 2, PEOPLE / 2])
})

test('the tags of an account are counted without blocking others', async () => {
  const tagsOf = createTagCounts(database.db)
  expect(await tagsOf(account)).toEqual([
    { tag: 'VIP', contacts: 2 },
    { tag: 'customer', contacts: PEOPLE / 2 },
    { tag: 'guest', contacts: PEOPLE / 2 },
  ])
  expect((await shortestOf(4, () => tagsOf(account), 20)) / slowness()).toBeLessThan(20)
})
