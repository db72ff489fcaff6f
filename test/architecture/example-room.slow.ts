import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tempFolder } from '../support/database.ts'
import { EXAMPLE_FILES, EXAMPLE_LINES } from './example-room.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const LANGUAGES = ['en', 'pt-BR', 'es']
const copy = tempFolder()

/** The project with a small room more: its table, a job with progress and pause, a screen and words. */
beforeAll(() => {
  for (const file of git('ls-files', '-z').split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(ROOT, file), join(copy, file))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const [file, text] of Object.entries(EXAMPLE_FILES)) write(file, text)
  for (const language of LANGUAGES) write(`renderer/locales/${language}/notes.json`, '{ "title": "Notes" }\n')
  for (const [file, changes] of Object.entries(EXAMPLE_LINES)) {
    const before = readFileSync(join(copy, file), 'utf8')
    const after = changes.reduce((text, { before: place, line }) => {
      expect(text.split(place).length, `${place} in ${file}`).toBe(2)
      return text.replace(place, `${line}${place}`)
    }, before)
    write(file, after)
  }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  writeFileSync(join(copy, file), text)
}

function run(...args: string[]): string {
  try {
    return execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return `FAILED\n${stdout}${stderr}`
  }
}

test('a room consists of a folder, entries in the lists, a migration, texts and a screen', () => {
  const own = ['main/capabilities/notes/', 'renderer/rooms/notes/', 'renderer/locales/', 'test/']
  const outside = [...Object.keys(EXAMPLE_FILES), ...Object.keys(EXAMPLE_LINES)].filter(
    (file) => !own.some((folder) => file.startsWith(folder)),
  )
  expect(outside.toSorted()).toEqual([
    'main/README.md',
    'main/capabilities/contracts.ts',
    'main/capabilities/rooms.ts',
    'main/contract/job-kinds.ts',
    'main/storage/migrations/999-notes.ts',
    'main/storage/migrations/index.ts',
    'main/storage/table-rules.ts',
  ])
})

test('it compiles, window included', () => {
  expect(run('node_modules/typescript7/bin/tsc', '--noEmit')).toBe('')
  // With what `npm run check` remembers, only the files that differ are looked at.
  const memory = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/window.tsbuildinfo']
  expect(run('node_modules/vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'renderer', ...memory)).toBe('')
})

test('its own test passes, and those of the error catalogue, the queries and the README map', () => {
  const files = [
    'test/notes.test.ts',
    'test/architecture',
    'test/storage/queries.test.ts',
    'test/storage/portable.test.ts',
    'test/storage/table-rules.test.ts',
  ]
  const output = run(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/notes.config.ts',
    '--no-color',
    ...files,
  )
  expect(output).toMatch(/\d+ passed, 0 failed/)
})
