import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHomeFault } from '../../main/service/home-faults.ts'
import { lockHome } from '../../main/storage/lock.ts'
import { tempFolder } from '../support/database.ts'

const REPLACED = ['lock.pid', 'switchboard.db.closed', 'control.sock', 'restore.json']

test.each([...REPLACED, 'vault.key', 'vault.json', 'switchboard.db'])(
  'reports a folder named %s, and what to do',
  (name) => {
    const home = tempFolder()
    onTestFinished(() => rmSync(home, { recursive: true }))
    mkdirSync(join(home, name))

    expect(findHomeFault(home)).toBe(
      `${join(home, name)} is a folder, but Switchboard needs a file there. Move the folder away, then start again.`,
    )
  },
)

test('does not leave a home locked if its owner cannot be written', () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true }))
  mkdirSync(join(home, 'lock.pid'))
  expect(() => lockHome(home)).toThrow(/EISDIR|directory/)

  rmSync(join(home, 'lock.pid'), { recursive: true })
  lockHome(home).release()
})
