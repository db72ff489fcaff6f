import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { moveCommand } from '../../main/commands/move.ts'
import { CommandError } from '../../main/commands/terminal.ts'
import { noSmallDisk, smallDisk } from '../faults/small-disk.ts'
import { tempFolder } from '../support/database.ts'

let folder: string
let asked: string[]
beforeEach(() => {
  folder = tempFolder()
  asked = []
  const remove = folder
  onTestFinished(() => rmSync(remove, { recursive: true, force: true }))
  writeFileSync(join(folder, 'passphrase'), 'correct horse battery\n')
})

/** @returns what it printed. */
async function moveOut(to: string, answer: () => unknown = () => ({ session: 'sealed' })): Promise<string> {
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  const argv = ['out', '--instance', 'ID', '--to', to, '--passphrase-file', join(folder, 'passphrase'), '--yes']
  const ask = ({ command }: { command: string }) => {
    asked.push(command)
    return Promise.resolve({ result: answer() })
  }
  await moveCommand(argv, ask, { out: print, err: print, isInteractive: false }, { now: () => 0 })
  return printed.join('\n')
}

test('the session is written to a new file that only its user can read', async () => {
  const to = join(folder, 'shop.session')
  expect(await moveOut(to)).toContain(`Its session is in ${to}`)
  expect(readFileSync(to, 'utf8')).toBe('sealed')
  expect(statSync(to).mode & 0o777).toBe(0o600)
})

test('an instance is not disconnected if its session cannot be stored', async () => {
  const there = join(folder, 'there.session')
  writeFileSync(there, 'the only export of another number')
  await expect(moveOut(there)).rejects.toThrow(
    new CommandError(`${there} already exists. Choose another file. Nothing was changed.`),
  )
  expect(readFileSync(there, 'utf8')).toBe('the only export of another number')
  await expect(moveOut(join(folder, 'missing', 'shop.session'))).rejects.toThrow(
    /could not be created.*Nothing was changed/,
  )
  expect(asked).toEqual([])
})

test('when the export is refused, no empty file is left', async () => {
  const to = join(folder, 'shop.session')
  const refuse = () => {
    throw new CommandError('This instance has no phone.')
  }
  await expect(moveOut(to, refuse)).rejects.toThrow('This instance has no phone.')
  expect(existsSync(to)).toBe(false)
})

test.skipIf(noSmallDisk !== undefined)('when the disk is full, it says where the session still is', async () => {
  const disk = smallDisk(1)
  onTestFinished(() => disk.remove())
  const to = join(disk.dir, 'shop.session')
  await expect(moveOut(to, () => ({ session: 'x'.repeat(2_000_000) }))).rejects.toThrow(
    /could not be written to .*ENOSPC.*repeat the command, or restart the instance/,
  )
  expect(existsSync(to)).toBe(false)
})
