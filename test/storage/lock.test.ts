import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HomeInUseError, lockHome } from '../../main/storage/lock.ts'
import { startChild } from '../support/child.ts'
import { tempFolder } from '../support/database.ts'
import { slowness } from '../support/loop-stretch.ts'

const HOLDER = join(import.meta.dirname, 'locking-child.ts')
let home: string

beforeEach(() => {
  home = tempFolder()
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

test('C-06 a second process is refused immediately, and a start succeeds after kill -9 of the first', async () => {
  const first = startChild(HOLDER, home)
  await first.hasWritten(1)

  const askedAt = performance.now()
  const sentence = `Another Switchboard (process ${first.pid}) is already using the home folder ${home}. Quit it first, or use another --home.`
  expect(() => lockHome(home)).toThrow(new HomeInUseError(home, first.pid))
  expect((performance.now() - askedAt) / slowness()).toBeLessThan(1_000)

  const second = startChild(HOLDER, home)
  expect(await second.ended()).toBe(1)
  expect(second.lines).toEqual([sentence])

  await first.kill()
  const third = startChild(HOLDER, home)
  await third.hasWritten(1)
  expect(third.lines).toEqual(['locked'])
  await third.kill()
})

test('the refusal says if a short-lived command uses the home folder', () => {
  const lock = lockHome(home, 'command')
  expect(() => lockHome(home)).toThrow(new HomeInUseError(home, process.pid, 'command'))
  expect(() => lockHome(home)).toThrow('A command (process')
  lock.release()
})

test('a process cannot lock a home folder twice, and can lock it again after releasing it', () => {
  const first = lockHome(home)
  expect(() => lockHome(home)).toThrow(HomeInUseError)

  first.release()
  first.release()
  lockHome(home).release()
})

test('the message omits the process id if it is unknown', () => {
  const lock = lockHome(home)
  rmSync(join(home, 'lock.pid'))

  expect(() => lockHome(home)).toThrow(`Another Switchboard is already using the home folder ${home}.`)
  lock.release()
})

test('two home folders can be locked by two owners', () => {
  const locks = [lockHome(join(home, 'a')), lockHome(join(home, 'b'))]

  for (const lock of locks) lock.release()
})

test('a damaged lock file does not prevent a start, and locks again', () => {
  writeFileSync(join(home, 'lock.db'), 'no database'.repeat(1_000))
  const lock = lockHome(home)
  expect(() => lockHome(home)).toThrow(HomeInUseError)
  lock.release()
})
