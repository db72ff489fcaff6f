import { appendFileSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { factFilesIn, factsFolderOf, openFactLog } from '../../main/storage/fact-log.ts'
import { compactFacts, readFacts } from '../../main/storage/read-facts.ts'
import { tempFolder, testDatabase } from '../support/database.ts'

let folder = ''
let nowMs = 0
beforeEach(() => {
  folder = join(tempFolder(), 'facts')
  nowMs = 1_000
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const open = () => openFactLog({ folder, now: () => nowMs, onProblem: (error) => expect(error).toBeUndefined() })
const line = (table: string, row: unknown[]) => JSON.stringify([table, row])
const paused = (seq: number, value: 0 | 1) => line('crm_links', [seq, value])
const rowsOf = (table: string) => readFacts(folder).tables.get(table)?.rows ?? []

test('the last fact of each row is kept across restarts, and only its owner can read the file', () => {
  const first = open()
  first.note('crm_links', paused(1, 1))
  first.note('crm_links', paused(2, 1))
  first.write()
  first.close()
  nowMs = 9_000
  const second = open()
  second.note('crm_links', paused(1, 0))
  second.note('crm_links', JSON.stringify(['crm_links', null, [2]]))
  second.write()
  second.close()
  expect(readFacts(folder)).toEqual({
    sinceMs: 1_000,
    clockMovedMs: null,
    tables: new Map([['crm_links', { rows: [[1, 0]], gone: [[2]] }]]),
  })
  const [file = ''] = factFilesIn(folder)
  if (process.platform !== 'win32')
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
})

test('incomplete and altered entries are skipped, and the entries after them are read', () => {
  const first = open()
  first.note('crm_links', paused(1, 1))
  first.write()
  first.close()
  const [file = ''] = factFilesIn(folder)
  const [, whole = ''] = readFileSync(file, 'utf8').split('\n')
  appendFileSync(file, `${whole.replace('[1,1]', '[7,1]')}\n${whole.slice(0, 20)}`)
  const second = open()
  second.note('crm_links', paused(2, 1))
  second.write()
  second.close()
  expect(rowsOf('crm_links')).toEqual([
    [1, 1],
    [2, 1],
  ])
})

test('a fact that is rolled back before the commit is not written', () => {
  const log = open()
  log.note('crm_links', paused(1, 1))
  const mark = log.mark()
  log.note('crm_links', paused(2, 1))
  log.undo(mark)
  log.write()
  log.close()
  expect(rowsOf('crm_links')).toEqual([[1, 1]])
})

test('a counter is written every few seconds and at the end, with its latest value', () => {
  const log = open()
  const counted = (sent: number) => {
    log.note('safety_counts', line('safety_counts', ['ins', 1, sent, 0, 0, 0, 0]))
    log.write()
  }
  for (let sent = 1; sent <= 50; sent++) counted(sent)
  expect(rowsOf('safety_counts')).toEqual([])
  nowMs += 5_000
  counted(51)
  expect(rowsOf('safety_counts')).toEqual([['ins', 1, 51, 0, 0, 0, 0]])
  counted(52)
  log.close()
  expect(rowsOf('safety_counts')).toEqual([['ins', 1, 52, 0, 0, 0, 0]])
})

test('a counter is still written after the clock was set back', () => {
  const log = open()
  nowMs += 86_400_000
  const counted = (sent: number) => {
    log.note('safety_counts', line('safety_counts', ['ins', 1, sent, 0, 0, 0, 0]))
    log.write()
  }
  counted(1)
  nowMs -= 86_400_000
  counted(2)
  expect(rowsOf('safety_counts')).toEqual([['ins', 1, 2, 0, 0, 0, 0]])
  log.close()
})

const HOUR = 3_600_000
const key = (name: string, expiresAtMs: number) =>
  line('idempotency_keys', ['ins', name, '', 'done', 'b', 'msg_1', 201, null, 1, expiresAtMs])
const expiriesOf = () =>
  Object.fromEntries(rowsOf('idempotency_keys').map(([, name, , , , , , , , expiresAtMs]) => [name, expiresAtMs]))

test('when the clock is set, the times of earlier facts move like those of rows', () => {
  const log = open()
  const noted = (json: string, table = 'idempotency_keys') => {
    log.note(table, json)
    log.write()
  }
  noted(key('expired', 90 * HOUR))
  noted(key('live', 120 * HOUR))
  noted(line('safety_counts', ['ins', 400, 5, 0, 0, 0, 0]), 'safety_counts')
  noted(line('safety_counts', ['ins', 404, 3, 0, 0, 0, 0]), 'safety_counts')
  noted(line('safety_counts', ['ins', 4, 7, 0, 0, 0, 0]), 'safety_counts')
  log.noteClockSet({ byMs: 10 * HOUR, fromMs: 100 * HOUR }, 10 * HOUR)
  log.write()
  noted(key('since', 125 * HOUR))
  log.noteClockSet({ byMs: -HOUR, fromMs: 111 * HOUR }, 9 * HOUR)
  log.write()
  log.close()
  const expected = () => {
    expect(expiriesOf()).toEqual({ expired: 90 * HOUR, live: 129 * HOUR, since: 124 * HOUR })
    expect(rowsOf('safety_counts').map(([, quarter, sent]) => [quarter, sent])).toEqual([
      [4, 7],
      [436, 5],
      [440, 3],
    ])
    expect(readFacts(folder).clockMovedMs).toBe(9 * HOUR)
  }
  expected()

  // The file is no longer written to, and is compacted; a crash leaves both.
  const [file = ''] = factFilesIn(folder)
  const whole = readFileSync(file)
  writeFileSync(file.replace('000001', '000002'), '')
  while (compactFacts(folder, 0));
  expected()
  writeFileSync(file, whole)
  expected()
})

test('a clock change that is retried after a failed commit moves facts once', () => {
  const log = open()
  log.note('idempotency_keys', key('live', 120 * HOUR))
  for (const fromMs of [100 * HOUR, 100 * HOUR + 1]) {
    log.noteClockSet({ byMs: HOUR, fromMs }, HOUR)
    log.write()
  }
  log.close()
  expect([expiriesOf(), readFacts(folder).clockMovedMs]).toEqual([{ live: 121 * HOUR }, HOUR])
})

test('a clock change that is rolled back before the commit does not take effect', () => {
  const log = open()
  log.note('idempotency_keys', key('live', 120 * HOUR))
  const mark = log.mark()
  log.noteClockSet({ byMs: HOUR, fromMs: HOUR }, HOUR)
  log.undo(mark)
  log.write()
  log.close()
  expect([expiriesOf(), readFacts(folder).clockMovedMs]).toEqual([{ live: 120 * HOUR }, null])
})

test('a full file is followed by another; compaction keeps what a backup needs and drops the rest', () => {
  const log = open()
  const body = 'x'.repeat(2_000)
  for (let i = 0; i < 4_500; i++) {
    nowMs += 1
    log.note('accounts', line('accounts', [`acc${i % 10}`, `${body}${i}`, null, null, null, 'active', null, 1]))
    log.write()
  }
  log.close()
  expect(factFilesIn(folder)).toHaveLength(3)
  const known = () =>
    rowsOf('accounts')
      .map((row) => JSON.stringify(row))
      .toSorted()
  const before = known()
  expect(before).toHaveLength(10)
  while (compactFacts(folder, 0));
  expect(known()).toEqual(before)
  const [first = '', second = ''] = factFilesIn(folder)
  for (const file of [first, second]) expect(statSync(file).size).toBeLessThan(100_000)
  expect(readdirSync(folder)).toHaveLength(3)

  const began = (file: string) =>
    (JSON.parse(readFileSync(file, 'utf8').split('\n')[0]?.slice(9) ?? '') as [string, number])[1]
  const secondBegan = began(second)
  while (compactFacts(folder, secondBegan + 1));
  expect(factFilesIn(folder)).toHaveLength(2)
  expect(readFacts(folder).sinceMs).toBe(secondBegan)
})

test('a failed unit adds no facts, and a successful unit adds all its facts', async () => {
  const { db, dir, close } = await testDatabase()
  const add = { text: "INSERT INTO crm_queues VALUES (:id, 'acc', 0, 0, 0, NULL)" }
  const want = { text: 'INSERT INTO crm_contacts (queue, number, dnd) VALUES (:queue, :number, 1)' }
  const units = ['kept', 'undone', 'also kept'].map((number) =>
    db.commit(async (tx) => {
      await tx.run(want, { queue: 'q', number })
      if (number === 'undone') throw new Error('refused')
      await tx.run(add, { id: number })
    }),
  )
  expect((await Promise.allSettled(units)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const facts = readFacts(factsFolderOf(join(dir, 'switchboard.db')))
  expect(facts.tables.get('crm_contacts')?.rows.map(([, number]) => number)).toEqual(['kept', 'also kept'])
  await close()
})
