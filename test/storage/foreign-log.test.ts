import { copyFileSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createIds } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { lastConfirmedCommit, readCommitCount } from '../../main/storage/commit-count.ts'
import type { Migration } from '../../main/storage/migrate.ts'
import { listDataLosses } from '../../main/storage/data-loss.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openStorage } from '../../main/storage/sqlite.ts'
import { seededRandom } from '../support/random.ts'
import { asConsole } from '../support/console.ts'
import { backUp, newHome } from '../support/restores.ts'
import { world, worldOfTest, type World } from '../support/world.ts'

const names = async (w: World): Promise<string[]> =>
  (await w.api('GET', '/v1/instances')).body.data.map(({ name }: { name: string }) => name).toSorted()

/** Copies the files of a running home, lets more happen, and closes it. */
async function closedHome(): Promise<{ home: string; file: string; clock: World['clock']; vault: World['vault'] }> {
  const home = newHome()
  const w = await world({ home })
  const file = join(home, 'switchboard.db')
  await w.instance({ name: 'Before' })
  for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, join(home, `older${part}`))
  for (let i = 0; i < 30; i++) await w.instance({ name: `After ${String(i).padStart(2, '0')}` })
  await w.close()
  return { home, file, clock: w.clock, vault: w.vault }
}

const soundness = (file: string): unknown => {
  const connection = new Database(file, { readonly: true })
  try {
    return connection.pragma('integrity_check', { simple: true })
  } finally {
    connection.close()
  }
}

test('an older log placed beside a closed database is set aside, and nothing is lost', async () => {
  const { home, file, clock, vault } = await closedHome()
  copyFileSync(join(home, 'older-wal'), `${file}-wal`)
  const w = await worldOfTest({ home, clock, vault, seed: 2 })
  expect(await names(w)).toHaveLength(31)
  const [folder = ''] = readdirSync(home).filter((name) => name.startsWith('quarantine-'))
  expect(readdirSync(join(home, folder))).toEqual(['switchboard.db-wal'])
  expect((await w.api('GET', '/healthz', undefined, { key: null })).body).toEqual({ status: 'ok', problems: [] })
  await w.close()
  expect(soundness(file)).toBe('ok')
})

test('an older database with its own log is reported to lack the later commits', async () => {
  const { home, file, clock, vault } = await closedHome()
  for (const part of ['', '-wal']) {
    copyFileSync(join(home, `older${part}`), `${file}${part}`)
    utimesSync(`${file}${part}`, new Date(Date.now() - 3_600_000), new Date(Date.now() - 3_600_000))
  }
  const w = await worldOfTest({ home, clock, vault, seed: 2 })
  expect(await names(w)).toEqual(['Before'])
  expect((await w.api('GET', '/healthz', undefined, { key: null })).body.problems).toEqual(['data_lost'])
})

test.each([
  ['the note of the last end is gone', (note: string) => rmSync(note)],
  ['the note of the last end no longer holds', (note: string) => writeFileSync(note, '')],
])('the log of a service that was killed when %s is read', async (_, leave) => {
  const { home, file, clock, vault } = await closedHome()
  const killed = await world({ home, clock, vault, seed: 2 })
  await killed.instance({ name: 'Last' })
  for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, join(home, `killed${part}`))
  await killed.close()
  for (const part of ['', '-wal']) copyFileSync(join(home, `killed${part}`), `${file}${part}`)
  leave(`${file}.closed`)
  const w = await worldOfTest({ home, clock, vault, seed: 3 })
  expect(await names(w)).toContain('Last')
})

test('the clean-shutdown note is cleared before anything is written', async () => {
  const { file, clock } = await closedHome()
  const noteAtLook: string[] = []
  const ids = createIds(clock, seededRandom(9))
  const step: Migration = { ...(MIGRATIONS.at(-1) as Migration), version: 9_999, name: 'next', sql: 'SELECT 1' }
  const migrations = [...MIGRATIONS, step]
  const sees = { ...silentLog, info: () => void noteAtLook.push(readFileSync(`${file}.closed`, 'utf8')) }
  const db = await openStorage({ file, migrations, ids, clock, log: sees, statements: [] })
  await db.close()
  expect(noteAtLook).toEqual([''])
})

test('an older file in place of a closed database undoes nothing that must stay, however new the file looks', async () => {
  const home = newHome()
  const w = await world({ home })
  const file = join(home, 'switchboard.db')
  const { id } = await w.pair('12025550100')
  const key = (await asConsole(w)('POST', '/v1/keys', { name: 'Revoked later', scopes: ['messages:send'] })).body
  await w.close()
  copyFileSync(file, join(home, 'older'))

  const running = await world({ home, clock: w.clock, vault: w.vault, seed: 2 })
  await running.api('POST', '/v1/opt-outs', { phone: '12025550177' })
  await asConsole(running)('DELETE', `/v1/keys/${key.id}`)
  const headers = { 'idempotency-key': 'once' }
  const send = async (from: World) =>
    from.api('POST', `/v1/instances/${id}/messages`, { to: '12025550178', text: 'once' }, { headers })
  const first = await send(running)
  expect(first.status).toBe(201)
  await running.close()
  copyFileSync(join(home, 'older'), file)

  const after = await worldOfTest({ home, clock: w.clock, vault: w.vault, seed: 3 })
  expect((await after.api('GET', '/healthz', undefined, { key: null })).body.problems).toEqual(['data_lost'])
  expect((await after.api('GET', '/v1/opt-outs')).body.data).toEqual([
    expect.objectContaining({ phone: expect.stringContaining('12025550177') }),
  ])
  expect((await after.api('GET', '/v1/me', undefined, { key: key.key })).body.error?.code).toBe('unauthorized')
  const again = await send(after)
  expect([again.status, again.body.id]).toEqual([201, first.body.id])
})

test('after a crash, an older log in place of the last one is set aside if the file alone is newer', async () => {
  const home = newHome()
  const w = await world({ home })
  const file = join(home, 'switchboard.db')
  await w.instance({ name: 'Before' })
  copyFileSync(`${file}-wal`, join(home, 'older-wal'))
  for (let i = 0; i < 30; i++) await w.instance({ name: `After ${i}` })
  const other = new Database(file)
  other.pragma('wal_checkpoint(TRUNCATE)')
  other.close()
  copyFileSync(file, join(home, 'killed'))
  await w.close()
  copyFileSync(join(home, 'killed'), file)
  copyFileSync(join(home, 'older-wal'), `${file}-wal`)
  rmSync(`${file}.closed`)

  const after = await worldOfTest({ home, clock: w.clock, vault: w.vault, seed: 2 })
  expect(await names(after)).toHaveLength(31)
  const [folder = ''] = readdirSync(home).filter((name) => name.startsWith('quarantine-'))
  expect(readdirSync(join(home, folder))).toContain('switchboard.db-wal')
  await after.close()
  expect(soundness(file)).toBe('ok')
})

test('a home folder from a version without commit counts opens unchanged, and counts commits from then on', async () => {
  const { home, file, clock, vault } = await closedHome()
  const connection = new Database(file)
  connection.exec("DELETE FROM meta WHERE name = 'commit_count'")
  connection.close()
  rmSync(`${file}.closed`)
  const facts = join(home, 'facts')
  for (const name of readdirSync(facts)) {
    const lines = readFileSync(join(facts, name), 'utf8').split('\n')
    writeFileSync(join(facts, name), lines.filter((line) => !line.includes('"commits"')).join('\n'))
  }
  writeFileSync(`${file}-wal`, '')
  const w = await worldOfTest({ home, clock, vault, seed: 2 })
  expect((await w.api('GET', '/healthz', undefined, { key: null })).body).toEqual({ status: 'ok', problems: [] })
  await w.instance({ name: 'Counted' })
  await w.close()
  expect(readCommitCount(file)).toBe(lastConfirmedCommit(facts)?.count)
})

test('a unit that changes no row writes nothing, and is not counted', async () => {
  const { file, clock } = await closedHome()
  const ids = createIds(clock, seededRandom(9))
  const db = await openStorage({ file, migrations: MIGRATIONS, ids, clock, log: silentLog, statements: [] })
  const before = [db.revision(), readCommitCount(file)]
  await db.commit((tx) => tx.run({ text: "UPDATE accounts SET name = 'Other' WHERE id = 'nobody'" }, {}))
  expect([db.revision(), readCommitCount(file)]).toEqual(before)
  await db.commit((tx) => tx.run({ text: "UPDATE accounts SET name = 'Other'" }, {}))
  expect(readCommitCount(file)).toBe(Number(before[1]) + 1)
  await db.close()
})

test('a backup used on another machine is reported to lack all later commits, however new its file is', async () => {
  const w = await world({ home: newHome() })
  await w.instance({ name: 'Before' })
  await w.clock.advance(60_000)
  const madeAtMs = w.clock.now()
  const name = await backUp(w)
  await w.clock.advance(1_200_000)
  await w.instance({ name: 'After' })
  await w.close()
  const home = newHome()
  copyFileSync(join(w.home, 'backups', name), join(home, 'switchboard.db'))
  const atMs = w.clock.now() / 1_000
  utimesSync(join(home, 'switchboard.db'), atMs, atMs)

  const other = await worldOfTest({ home, clock: w.clock, vault: w.vault, seed: 2 })
  const [sentence = ''] = listDataLosses(home)
  const [, from = ''] = /Changes made between (\S+) and/.exec(sentence) ?? []
  expect(Date.parse(from)).toBeLessThanOrEqual(madeAtMs)
  expect(Date.parse(from)).toBeGreaterThan(madeAtMs - 120_000)
  expect(sentence).toContain('or switchboard.db is a copy')
  await other.close()
})
