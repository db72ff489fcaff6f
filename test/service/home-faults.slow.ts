import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { listenForCommands } from '../../main/faces/control.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { commandHere } from '../support/command.ts'
import { placeEmptyDatabase, tempFolder } from '../support/database.ts'
import { world } from '../support/world.ts'

const ENTRY = resolve(import.meta.dirname, '../../main/headless.ts')
const environment = { PATH: process.env['PATH'], SWITCHBOARD_VAULT: 'file' }
let home = ''

beforeEach(async () => {
  home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  await placeEmptyDatabase(join(home, 'switchboard.db'))
})

describe('a file in place of a folder of the home', () => {
  test.each(['backups', 'facts', 'files', 'recordings', 'files/incoming'])(
    '%s ends the start with a sentence that names it',
    async (name) => {
      const path = join(home, name)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, '')
      const sentence = `${path} is a file, but Switchboard needs a folder there. Move the file away, then start again.`
      await expect(world({ home })).rejects.toThrow(sentence)
      rmSync(path)
      await (await world({ home, seed: 2 })).close()
    },
  )

  test.each(['keys list', 'backup', 'restore', 'doctor --offline'])('is named by %s', async (line) => {
    writeFileSync(join(home, 'backups'), '')
    const { code, out, err } = await commandHere([...line.split(' '), '--home', home], environment)
    expect(code).not.toBe(0)
    expect(`${out}${err}`).toContain(`${join(home, 'backups')} is a file, but Switchboard needs a folder there.`)
    expect(`${out}${err}`).not.toContain('--home')
  })

  test('in place of the home itself sends to another one', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    for (const place of [file, join(file, 'below')]) {
      const { code, err } = await commandHere(['keys', 'list', '--home', place], environment)
      expect([code, err]).toEqual([
        1,
        `${file} is a file, so the home folder can't be ${place}. Choose another one with --home.\n`,
      ])
    }
  })
})

/** Root may do everything, so it looks as somebody else. */
const UID = process.getuid?.() === 0 ? 65_534 : process.getuid?.()

function runAsOwner(line: string) {
  for (const path of [home, ...globSync(join(home, '**'))]) chownSync(path, UID ?? 0, UID ?? 0)
  return (...modes: readonly (readonly [string, number])[]) => {
    for (const [name, mode] of modes) chmodSync(join(home, name), mode)
    const { status, stdout, stderr } = spawnSync(process.execPath, [ENTRY, ...line.split(' '), '--home', home], {
      ...{ encoding: 'utf8', env: environment, timeout: 30_000 },
      ...(UID === undefined ? {} : { uid: UID }),
    })
    return { code: status, text: `${stdout}${stderr}` }
  }
}

describe.skipIf(process.platform === 'win32')('what this user cannot read or write', () => {
  const LINES = ['serve --port 0', 'keys list', 'restore', 'doctor --offline']
  const FAULTS = [
    ['.', 0o500],
    ['backups', 0o500],
    ['facts', 0o300],
    ['files', 0o000],
    ['recordings', 0o500],
    ['switchboard.db', 0o000],
    ['switchboard.db', 0o400],
    ['vault.key', 0o000],
  ] as const

  test.each(FAULTS)('%s with mode %o is named, and no other home', async (name, mode) => {
    for (const folder of ['backups', 'facts', 'files', 'recordings']) mkdirSync(join(home, folder), { recursive: true })
    writeFileSync(join(home, 'vault.key'), '')
    const run = runAsOwner(LINES[FAULTS.findIndex(([one, its]) => one === name && its === mode) % LINES.length] ?? '')
    const { code, text } = run([name, mode])
    chmodSync(join(home, name), 0o700)
    expect(code).not.toBe(0)
    expect(text).toContain(`This user can't read and write ${join(home, name)}. The home folder belongs to the user`)
    expect(text).not.toMatch(/--home|^\s+at |No database/m)
  })

  test('all of the home is named by commands', () => {
    for (const line of ['serve --port 0', 'doctor --offline', 'console']) {
      const run = runAsOwner(line)
      const { code, text } = run(['.', 0o000])
      chmodSync(home, 0o700)
      expect([code, text]).toEqual([
        1,
        `This user can't read ${join(home, 'settings.json')}. Start Switchboard as the user it belongs to.\n`,
      ])
    }
  })

  test('the socket of a service that another user runs', async () => {
    const server = await listenForCommands({
      address: join(home, 'control.sock'),
      carryOut: async () => null,
      log: silentLog,
    })
    onTestFinished(() => server.close())
    const { code, text } = runAsOwner('keys list')(['control.sock', 0o000])
    expect([code, text]).toEqual([1, 'The home folder belongs to another user. Run this command as that user.\n'])
  })
})
