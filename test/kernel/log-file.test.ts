import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogFile, teeLog, type LogFile } from '../../main/kernel/log-file.ts'
import { silentLog, type LogFields, type LogLevel } from '../../main/kernel/log.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder } from '../support/database.ts'

let folder: string
const open: LogFile[] = []

beforeEach(() => {
  folder = join(tempFolder(), 'logs')
})
afterEach(() => {
  for (const file of open.splice(0)) file.close()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

function logFile(more: { bytes?: number; files?: number; level?: LogLevel } = {}): LogFile {
  const file = createLogFile({
    ...{ folder, clock: fakeClock(), level: 'info', bytes: 1_000, files: 3, folders: ['/home/ada'] },
    ...more,
  })
  open.push(file)
  return file
}

const lines = (name = 'switchboard.log') =>
  readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogFields)

test('a line is an object with its time, level and event, in a file that only its owner can read', () => {
  logFile().warn({ event: 'delivery.retry', attempt: 2 })
  expect(lines()).toEqual([{ time: '2026-01-05T12:00:00.000Z', level: 'warn', event: 'delivery.retry', attempt: 2 }])
  expect(statSync(join(folder, 'switchboard.log')).mode & 0o777).toBe(0o600)
})

test('secrets and personal data are redacted before a line is written', () => {
  logFile().error({
    event: 'request.failed',
    cause: { message: 'POST https://example.com/hook?token=abc from 12025550100 with Bearer swb_abcdefghijkl' },
    place: '/home/ada/switchboard',
  })
  const text = readFileSync(join(folder, 'switchboard.log'), 'utf8')
  expect(text).not.toMatch(/token=abc|12025550100|swb_|\/home\/ada|hook/)
  expect(lines()).toMatchObject([{ event: 'request.failed', place: '~/switchboard' }])
})

test('files are rotated when they are full, and the oldest is deleted', () => {
  const file = logFile()
  for (let n = 0; n < 60; n++) file.info({ event: `line.${n}`, text: 'x'.repeat(20) })
  expect(readdirSync(folder).toSorted()).toEqual(['switchboard.1.log', 'switchboard.2.log', 'switchboard.log'])
  const all = ['switchboard.2.log', 'switchboard.1.log', 'switchboard.log'].flatMap((name) => lines(name))
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1_000)
  // The newest lines are there, none twice and none left out between.
  expect(all.map(({ event }) => event)).toEqual(
    Array.from({ length: all.length }, (_, n) => `line.${60 - all.length + n}`),
  )
})

test('the next process appends to the same file', () => {
  logFile().info({ event: 'one' })
  open.splice(0).forEach((file) => file.close())
  logFile().info({ event: 'two' })
  expect(lines().map(({ event }) => event)).toEqual(['one', 'two'])
})

test.each([
  ['info', ['info', 'warn', 'error']],
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['error', ['error']],
] as const)('level %s keeps %j', (level, kept) => {
  const file = logFile({ level })
  for (const of of ['debug', 'info', 'warn', 'error'] as const) file[of]({ event: 'x' })
  expect(lines().map((line) => line['level'])).toEqual(kept)
})

test.each([{ files: 0 }, { level: 'silent' as const }])('nothing is written with %j', (more) => {
  logFile(more).error({ event: 'x' })
  expect(() => readdirSync(folder)).toThrow('ENOENT')
})

test('an unwritable folder causes no errors, is reported once, and writing resumes once it is possible', () => {
  writeFileSync(folder, 'a file where the folder should be')
  const file = logFile()
  const heard: (string | null)[] = []
  // Who hears of it may want to log it.
  file.onChange(() => (heard.push(file.problem()), file.warn({ event: 'log.not_kept' })))
  for (const event of ['lost', 'lost as well']) file.info({ event })
  expect(heard).toEqual([
    `Can't write the log file (EEXIST: file already exists, mkdir '${folder}'). Logs go to standard error only. ` +
      'Lines missing so far: 1. Check file permissions and free space. Logging resumes automatically.',
  ])
  rmSync(folder)
  mkdirSync(folder)
  chmodSync(folder, 0o700)
  file.info({ event: 'kept' })
  expect([heard.slice(1), file.problem()]).toEqual([[null], null])
  expect(lines()).toMatchObject([{ event: 'log.lines_lost', lines: 3 }, { event: 'kept' }, { event: 'log.not_kept' }])
})

test('a tee log passes every line to both logs', () => {
  const seen: string[] = []
  const hearing = { ...silentLog, info: ({ event }: LogFields) => void seen.push(event) }
  teeLog(hearing, { ...silentLog, info: ({ event }) => void seen.push(`again ${event}`) }).info({ event: 'x' })
  expect(seen).toEqual(['x', 'again x'])
})
