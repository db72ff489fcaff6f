import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemRandom } from '../../main/kernel/ids.ts'
import { Secret } from '../../main/kernel/secret.ts'
import { createFileVault } from '../../main/vault/file.ts'
import { VaultError } from '../../main/vault/vault.ts'
import { tempFolder } from '../support/database.ts'

const PASSPHRASE = new Secret('correct horse battery staple')
let home: string

beforeEach(() => {
  home = join(tempFolder(), 'home')
})
afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }))

const vault = (passphrase: Secret | null = null) =>
  createFileVault({ home, passphrase, random: systemRandom, cost: 2 ** 10 })

describe.each([
  ['a key file', null],
  ['a passphrase', PASSPHRASE],
])('a file vault with %s', (_, passphrase) => {
  test('keeps secrets across a restart', async () => {
    await vault(passphrase).write('master', new Secret('ключ'))
    const reopened = vault(passphrase)
    expect((await reopened.read('master'))?.open()).toBe('ключ')
    expect(await reopened.read('other')).toBeNull()
  })

  test('forgets removed secrets', async () => {
    const open = vault(passphrase)
    await open.write('a', new Secret('1'))
    await open.write('b', new Secret('2'))
    await open.remove('a')
    const reopened = vault(passphrase)
    expect(await reopened.read('a')).toBeNull()
    expect((await reopened.read('b'))?.open()).toBe('2')
  })

  test('stores concurrent writes', async () => {
    const open = vault(passphrase)
    await Promise.all(Array.from({ length: 20 }, (_one, i) => open.write(`n${i}`, new Secret(String(i)))))
    const reopened = vault(passphrase)
    for (let i = 0; i < 20; i++) expect((await reopened.read(`n${i}`))?.open()).toBe(String(i))
  })

  test('contains nothing readable and leaves no temporary files', async () => {
    await vault(passphrase).write('master', new Secret('plain-to-see'))
    for (const name of readdirSync(home)) {
      expect(readFileSync(join(home, name), 'utf8')).not.toContain('plain-to-see')
      expect(readFileSync(join(home, name), 'utf8')).not.toContain(Buffer.from('plain-to-see').toString('base64'))
    }
    expect(readdirSync(home).toSorted()).toEqual(passphrase ? ['vault.json'] : ['vault.json', 'vault.key'])
  })

  test.skipIf(process.platform === 'win32')('can be read by its owner only', async () => {
    const open = vault(passphrase)
    await open.write('master', new Secret('x'))
    await open.write('master', new Secret('y'))
    expect(statSync(home).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(home)) expect(statSync(join(home, name)).mode & 0o777).toBe(0o600)
  })

  test('an altered file does not open', async () => {
    await vault(passphrase).write('master', new Secret('x'))
    const path = join(home, 'vault.json')
    const file = JSON.parse(readFileSync(path, 'utf8')) as { box: string }
    const box = Buffer.from(file.box, 'base64')
    box.writeUInt8(box.readUInt8(0) ^ 1, 0)
    writeFileSync(path, JSON.stringify({ ...file, box: box.toString('base64') }))
    await expect(vault(passphrase).read('master')).rejects.toThrow(/Can't decrypt .*vault\.json/)
  })

  test.each(['', '{}', 'null', '[]', '{"form":"switchboard-vault-2"}'])('refuses the content %j', async (content) => {
    await vault(passphrase).write('master', new Secret('x'))
    writeFileSync(join(home, 'vault.json'), content)
    const read = vault(passphrase).read('master')
    await expect(read).rejects.toThrow(VaultError)
    await expect(read).rejects.toThrow('Put a copy of it in its place')
  })
})

describe('a file vault', () => {
  test('reports a wrong passphrase', async () => {
    await vault(PASSPHRASE).write('master', new Secret('x'))
    const error = vault(new Secret('something else')).read('master')
    await expect(error).rejects.toThrow(VaultError)
    await expect(error).rejects.toThrow(/SWITCHBOARD_VAULT_PASSPHRASE is not its passphrase/)
  })

  test('asks for the passphrase it was created with', async () => {
    await vault(PASSPHRASE).write('master', new Secret('x'))
    await expect(vault().read('master')).rejects.toThrow(/needs a passphrase\. Set SWITCHBOARD_VAULT_PASSPHRASE/)
  })

  test('refuses a passphrase if it was created without one', async () => {
    await vault().write('master', new Secret('x'))
    await expect(vault(PASSPHRASE).read('master')).rejects.toThrow(/created without a passphrase/)
  })

  test('reports a missing key file', async () => {
    await vault().write('master', new Secret('x'))
    rmSync(join(home, 'vault.key'))
    await expect(vault().read('master')).rejects.toThrow(/vault\.key is missing, .* If you moved the home folder/)
  })

  test.each(['', 'AAAA'])('reports a damaged key file %j and what to do', async (content) => {
    await vault().write('master', new Secret('x'))
    writeFileSync(join(home, 'vault.key'), content)
    await expect(vault().read('master')).rejects.toThrow(/vault\.key is damaged: .* Put a copy of it in its place/)
  })

  test('reports the key file of another home', async () => {
    await vault().write('master', new Secret('x'))
    writeFileSync(join(home, 'vault.key'), Buffer.alloc(32, 9).toString('base64'))
    await expect(vault().read('master')).rejects.toThrow(/vault\.key is not its key/)
    writeFileSync(join(home, 'vault.key'), 'short')
    await expect(vault().read('master')).rejects.toThrow(/vault\.key is damaged/)
  })
})
