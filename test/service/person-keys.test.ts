import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { campaignOf } from '../capabilities/campaigns/campaign-world.ts'
import { asConsole } from '../support/console.ts'
import { newHome } from '../support/restores.ts'
import { until } from '../support/service-process.ts'
import { world, worldOfTest, type World } from '../support/world.ts'

const STEPS = MIGRATIONS.filter(({ name }) => name === 'person-keys' || name === 'person-chats')

/** Numbers as an earlier version compared them: digit by digit but for Brazilian mobiles. */
const EARLIER = { now: '525512345678', before: '5215512345678' }

/** Changes a home that no service has open, and has the next start take it for one of the version before. */
function asBefore(home: string, change: (db: Database.Database) => void): void {
  const db = new Database(join(home, 'switchboard.db'))
  change(db)
  db.exec('DROP TABLE person_rekeyings')
  for (const { sql } of STEPS) db.exec(sql)
  db.close()
}

async function upgraded(w: World, change: (db: Database.Database) => void, seed = 2): Promise<World> {
  await w.close()
  asBefore(w.home, change)
  return worldOfTest({ home: w.home, vault: w.vault, clock: w.clock, seed })
}

const contact = async (w: World, phone: string) => (await w.api('GET', `/v1/contacts/${phone}`)).body

test('merges the contacts of one person', async () => {
  const w = await world({ home: newHome() })
  await w.api('POST', '/v1/contacts', { phone: EARLIER.now, name: 'Lupe', tags: ['vip'] })
  await w.api('POST', '/v1/contacts', { phone: '12025550123', name: 'Ana', tags: ['lead'] })
  await w.api('POST', '/v1/contacts', { phone: '4915112345678' })
  const after = await upgraded(w, (db) => {
    db.prepare('UPDATE contacts SET number = ?, reversed = ?, phone = ? WHERE phone = ?').run(
      ...[EARLIER.before, '8765432155125', EARLIER.before, '12025550123'],
    )
    db.prepare('UPDATE contacts SET number = ?, phone = ? WHERE phone = ?').run(
      ...['49015112345678', '49015112345678', '4915112345678'],
    )
  })
  const { data } = (await after.api('GET', '/v1/contacts')).body as { data: { phone: string }[] }
  expect(data.map(({ phone }) => phone)).toEqual(['49015112345678', EARLIER.now])
  expect(await contact(after, EARLIER.before)).toMatchObject({
    ...{ phone: EARLIER.now, name: 'Lupe', tags: ['lead', 'vip'] },
  })
  expect(await contact(after, '+49 151 12345678')).toMatchObject({ phone: '49015112345678' })
  for (const q of ['5678', 'lupe', EARLIER.now]) {
    const found = (await after.api('GET', `/v1/contacts?q=${q}`)).body as { data: object[] }
    expect(found.data).toMatchObject(q === '5678' ? [{}, {}] : [{ phone: EARLIER.now }])
  }
})

test('an opt-out under one spelling applies to all spellings, once', async () => {
  const w = await world({ home: newHome() })
  for (const phone of [EARLIER.now, '12025550123', '12025550124'])
    await w.api('POST', '/v1/opt-outs', { phone, note: phone })
  const after = await upgraded(w, (db) => {
    const set = db.prepare('UPDATE opt_outs SET number = ?, phone = ? WHERE phone = ?')
    set.run(EARLIER.before, EARLIER.before, '12025550123')
    set.run('4407911123401', '4407911123401', '12025550124')
  })
  const { data } = (await after.api('GET', '/v1/opt-outs')).body as { data: object[] }
  expect(data).toMatchObject([{ phone: '4407911123401' }, { phone: EARLIER.now, note: EARLIER.now }])
  for (const phone of [EARLIER.now, EARLIER.before, '447911123401'])
    expect((await after.api('GET', `/v1/opt-outs?phone=${phone}`)).body).toMatchObject({ data: [{}] })
})

test('sends a campaign once to a person listed under two spellings', async () => {
  const w = await world({ home: newHome() })
  const a = await w.pair()
  const sentTo = '4915112345679'
  const phones = [EARLIER.now, '12025550123', '4915112345678', '12025550124', sentTo]
  const campaignId = await campaignOf(w, { instances: [a], phones, start: false })
  const after = await upgraded(w, (db) => {
    const set = db.prepare('UPDATE campaign_recipients SET canonical = ?, phone = ? WHERE phone = ?')
    set.run(EARLIER.before, EARLIER.before, '12025550123')
    set.run('49015112345678', '49015112345678', '4915112345678')
    set.run('49015112345679', '49015112345679', '12025550124')
    db.prepare("UPDATE campaign_recipients SET status = 'sent' WHERE canonical = '49015112345679'").run()
  })
  const found = await after.rows(
    'SELECT canonical, status, skip_reason FROM campaign_recipients WHERE campaign_id = :campaignId ORDER BY position',
    { campaignId },
  )
  expect(found).toEqual([
    { canonical: EARLIER.now, status: 'pending', skip_reason: null },
    { canonical: EARLIER.before, status: 'skipped', skip_reason: 'contacted' },
    { canonical: '4915112345678', status: 'pending', skip_reason: null },
    { canonical: sentTo, status: 'sent', skip_reason: null },
    { canonical: '49015112345679', status: 'skipped', skip_reason: 'contacted' },
  ])
})

test('an interrupted start begins again and drops no recipient', async () => {
  const w = await world({ home: newHome() })
  const a = await w.pair()
  await campaignOf(w, {
    instances: [a],
    phones: ['4915112345678', EARLIER.now, '12025550123', '12025550124'],
    start: false,
  })
  const once = await upgraded(w, (db) => {
    const set = db.prepare('UPDATE campaign_recipients SET canonical = ?, phone = ? WHERE phone = ?')
    set.run(EARLIER.before, EARLIER.before, '12025550123')
    set.run('49015112345678', '49015112345678', '12025550124')
    db.prepare("UPDATE campaign_recipients SET status = 'failed' WHERE phone = '4915112345678'").run()
  })
  const recipients = (of: World) =>
    of.rows<{ canonical: string; status: string }>(
      'SELECT canonical, status FROM campaign_recipients ORDER BY position',
    )
  const expected = [
    { canonical: '49015112345678', status: 'failed' },
    { canonical: EARLIER.now, status: 'pending' },
    { canonical: EARLIER.before, status: 'skipped' },
    // What failed under one spelling is tried under the other.
    { canonical: '4915112345678', status: 'pending' },
  ]
  expect(await recipients(once)).toEqual(expected)
  expect(await recipients(await upgraded(once, () => {}, 3))).toEqual(expected)
})

test('merges two chats with one person under the older spelling', async () => {
  const w = await world({ home: newHome() })
  const a = await w.pair()
  const said = async (of: World, chat: string, text: string) =>
    of.api('POST', `/v1/instances/${a.id}/messages`, { to: chat, text })
  await said(w, EARLIER.now, 'First')
  await said(w, '12025550123', 'Second')
  await said(w, '12025550124', 'Third')
  await said(w, '12025550125', 'Another person')
  const after = await upgraded(w, (db) => {
    const set = db.prepare('UPDATE messages SET chat = ? WHERE chat = ?')
    set.run(EARLIER.before, '12025550123')
    set.run('551191234567', '12025550124')
  })
  const path = `/v1/instances/${a.id}/conversations`
  const chats = async () =>
    (await asConsole(after)('GET', path)).body.data.map(({ chat }: { chat: string }) => chat).toSorted()
  await until('one chat of each person', async () => (await chats()).length === 3 || undefined)
  expect(await chats()).toEqual(['12025550125', EARLIER.now, '551191234567'].toSorted())
  const { data } = (await asConsole(after)('GET', `${path}/${EARLIER.now}/messages`)).body
  expect(data.map(({ text }: { text: string }) => text).toSorted()).toEqual(['First', 'Second'])
  expect((await said(after, EARLIER.before, 'Fourth')).status).toBe(201)
  expect(await chats()).toHaveLength(3)
  expect(await after.rows('SELECT name FROM person_rekeyings')).toEqual([])
})

test('runs once: a later start reads no rows', async () => {
  const w = await world({ home: newHome() })
  const after = await upgraded(w, () => {})
  expect(await after.rows('SELECT name FROM person_rekeyings')).toEqual([])
})
