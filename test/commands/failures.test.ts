import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockHome } from '../../main/storage/lock.ts'
import { testHome, type TestHome } from '../support/service-process.ts'

let home: TestHome

beforeEach(() => {
  home = testHome()
})
afterEach(() => home.remove())

const COMMANDS = [
  ['keys', 'list'],
  ['keys', 'create', '--name', 'One'],
  ['backup'],
  ['restore'],
  ['restore', 'latest', '--yes'],
  ['doctor', '--offline'],
  ['console'],
  ['move', 'out', '--instance', 'one', '--file', 'two'],
] as const

/** @returns what makes the home folder unusable again. */
const FAULTS: Readonly<Record<string, () => Promise<void> | void>> = {
  'an unknown flag': () => {},
  async 'a damaged database without backups'() {
    await home.key('First')
    rmSync(join(home.dir, 'backups'), { recursive: true, force: true })
    writeFileSync(join(home.dir, 'switchboard.db'), Buffer.alloc(16_384, 7))
  },
  'a folder where the database should be'() {
    mkdirSync(join(home.dir, 'switchboard.db'), { recursive: true })
  },
  'a file where the home folder should be'() {
    rmSync(home.dir, { recursive: true, force: true })
    writeFileSync(home.dir, '')
  },
  'settings that are not JSON'() {
    mkdirSync(home.dir, { recursive: true })
    writeFileSync(join(home.dir, 'settings.json'), '{')
  },
}

describe.each(Object.keys(FAULTS))('with %s', (fault) => {
  test.each(COMMANDS.map((words) => ({ words, line: words.join(' ') })))(
    '$line prints sentences and no stack trace',
    async ({ words }) => {
      await FAULTS[fault]?.()
      const args = fault === 'an unknown flag' ? [...words, '--nonsense'] : words
      const { code, out, err } = await home.command(...args)
      expect([0, 1, 2]).toContain(code)
      expect(err).not.toMatch(/^\s+at |node:internal|\.ts:\d+|\.js:\d+/m)
      expect(`${out}${err}`.trim().length).toBeGreaterThan(10)
      if (code !== 0 && words[0] !== 'doctor') expect(err.trim().length).toBeGreaterThan(20)
    },
  )
})

test('backup in a folder without a database says so and creates nothing, because its name may be wrong', async () => {
  const place = join(home.dir, 'mistyped')
  const { code, out, err } = await home.commandAt(place, 'backup')
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(`There is no database in ${place}, so there is nothing to back up. Check --home.`)
  expect(existsSync(place)).toBe(false)
})

test('a start waits for a command that uses the home folder, and then takes it over', async () => {
  await home.key('First')
  const command = lockHome(home.dir, 'command')
  const service = home.launch()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect([service.errors(), service.out()]).toEqual([expect.not.stringContaining('already using'), ''])
  command.release()
  const { url } = await service.listening
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(existsSync(join(home.dir, 'lock.pid'))).toBe(true)
  expect(await service.end('SIGTERM')).toBe(0)
})
