import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemRandom } from '../../main/kernel/ids.ts'
import type { Log, LogFields } from '../../main/kernel/log.ts'
import { createSeal } from '../../main/kernel/seal.ts'
import { Secret } from '../../main/kernel/secret.ts'
import { openVault, type OpenVault } from '../../main/vault/open.ts'
import { VaultError } from '../../main/vault/vault.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/service-process.ts'
import { memoryVault, standInKeytar, type StandInKeytar } from '../support/vault.ts'

let clock: FakeClock
let database: TestDatabase
let keytar: StandInKeytar
let warnings: LogFields[]
let open: OpenVault[]

beforeEach(async () => {
  clock = fakeClock()
  database = await testDatabase(undefined, { clock })
  keytar = standInKeytar()
  warnings = []
  open = []
})

afterEach(async () => {
  for (const vault of open) vault.close()
  await database.close()
})

type Settings = Partial<Parameters<typeof openVault>[0]['config']>
type More = Partial<Omit<Parameters<typeof openVault>[0], 'config'>>

/** Opens as a start of the service would; time passes while the keychain is asked. */
async function start(settings: Settings = {}, more: More = {}): Promise<OpenVault> {
  const log: Log = { debug() {}, info() {}, error() {}, warn: (fields) => void warnings.push(fields) }
  const opening = openVault({
    config: { home: database.dir, vault: null, vaultPassphrase: null, ...settings },
    db: database.db,
    clock,
    random: systemRandom,
    log,
    importKeytar: async () => keytar,
    ...more,
  })
  const progress = { isSettled: false }
  opening.then(
    (vault) => {
      open.push(vault)
      progress.isSettled = true
    },
    () => (progress.isSettled = true),
  )
  while (!progress.isSettled) {
    await clock.advance(500)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return opening
}

const inMeta = (name: string) =>
  (database.raw.prepare('SELECT value FROM meta WHERE name = ?').get(name) as { value: string } | undefined)?.value

const sealOf = (vault: OpenVault) => createSeal({ masterKey: vault, random: systemRandom })

describe('a new home', () => {
  test('keeps its master key in the keychain if it works', async () => {
    const vault = await start()
    expect(vault).toMatchObject({ kind: 'keychain', notice: null })
    expect(vault.state()).toBe('open')
    expect(vault.key()).toHaveLength(32)
    expect(inMeta('vault_kind')).toBe('keychain')
    expect([...keytar.entries.keys()]).toEqual([`Switchboard/master-key:${inMeta('home_id')}`])
    expect(existsSync(join(database.dir, 'vault.json'))).toBe(false)
    expect(warnings).toEqual([])
  })

  test.each(['absent', 'locked', 'hangs'] as const)('uses the file vault if the keychain is %s', async (mood) => {
    keytar.become(mood)
    const vault = await start()
    expect(vault.kind).toBe('file')
    expect(vault.state()).toBe('open')
    expect(vault.notice).toContain(join(database.dir, 'vault.json'))
    expect(inMeta('vault_kind')).toBe('file')
    expect(warnings).toEqual([])
  })

  test('uses the file vault without the keychain library', async () => {
    const vault = await start(
      {},
      { importKeytar: () => Promise.reject(new Error('Failed to load keytar native addon')) },
    )
    expect(vault.kind).toBe('file')
    expect(vault.notice).toMatch(/library could not be loaded/)
  })

  test('does not use the keychain if it is set to use a file', async () => {
    const vault = await start({ vault: 'file' })
    expect(vault).toMatchObject({ kind: 'file', notice: null })
    expect(keytar.calls).toEqual([])
    expect(warnings).toEqual([])
  })

  test('is sealed without a fallback if the keychain it is set to use does not work', async () => {
    keytar.become('absent')
    const vault = await start({ vault: 'keychain' })
    expect(vault.kind).toBe('keychain')
    expect(vault.state()).toBe('sealed')
    expect(vault.problem()).toMatch(/keychain refused: .*[^.]\.$/)
    expect(existsSync(join(database.dir, 'vault.json'))).toBe(false)
    keytar.become('works')
    expect(await vault.unlock()).toBe('open')
  })

  test('tests the keychain with an entry of its own and removes it', async () => {
    await start()
    const [set, get, remove] = keytar.calls
    const name = set?.slice('set '.length)
    expect(name).toMatch(/^probe:/)
    expect([get, remove]).toEqual([`get ${name}`, `delete ${name}`])
  })
})

describe('a home', () => {
  test.each<['keychain' | 'file', Secret | null]>([
    ['keychain', null],
    ['file', null],
    ['file', new Secret('correct horse battery')],
  ])('in the %s has the same master key after a restart', async (kind, vaultPassphrase) => {
    const first = await start({ vault: kind, vaultPassphrase })
    const sealed = sealOf(first).seal(new Secret('whsec_x'), 'webhook:1')
    const second = await start({ vaultPassphrase })
    expect(second.key()).toEqual(first.key())
    expect(sealOf(second).open(sealed, 'webhook:1').open()).toBe('whsec_x')
  })

  test('never changes its vault by a setting', async () => {
    await start({ vault: 'file' })
    await expect(start({ vault: 'keychain' })).rejects.toThrow(
      /keeps its master key in the file vault.*remove the setting/,
    )
  })

  test('accepts a key whose check value was lost in a crash', async () => {
    const first = await start()
    database.raw.prepare("DELETE FROM meta WHERE name = 'master_key_check'").run()
    expect((await start()).key()).toEqual(first.key())
  })

  test('names the missing file of the file vault and stops', async () => {
    await start({ vault: 'file' })
    rmSync(join(database.dir, 'vault.json'))
    const opening = start()
    await expect(opening).rejects.toThrow(VaultError)
    await expect(opening).rejects.toThrow(/Restore vault\.json/)
  })

  test('stops with a wrong passphrase for the file vault', async () => {
    await start({ vault: 'file', vaultPassphrase: new Secret('correct horse battery') })
    await expect(start({ vaultPassphrase: new Secret('wrong horse battery') })).rejects.toThrow(/is not its passphrase/)
  })
})

describe('a home on the keychain', () => {
  test.each(['locked', 'absent', 'hangs'] as const)(
    'is sealed while it is %s and opens within 31 s afterwards',
    async (mood) => {
      const first = await start()
      keytar.become(mood)
      const vault = await start()
      const changes: string[] = []
      vault.onChange(() => changes.push(vault.state()))
      expect(vault.state()).toBe('sealed')
      expect(vault.key()).toBeNull()
      expect(vault.problem()).not.toBeNull()
      expect(vault.prompt()).toBe('repeated')
      expect(existsSync(join(database.dir, 'vault.json'))).toBe(false)

      await clock.advance(29_000)
      expect(changes).toEqual([])
      keytar.become('works')
      keytar.answerPrompts()
      await clock.advance(2_000)
      expect(changes).toEqual(['open'])
      expect(vault.key()).toEqual(first.key())
      expect(vault.problem()).toBeNull()
      expect(clock.waiting()).toBe(0)
    },
  )

  test('is sealed if its key is missing, and creates no new one', async () => {
    await start()
    const before = new Map(keytar.entries)
    keytar.entries.clear()
    const vault = await start()
    expect(vault.state()).toBe('sealed')
    expect(vault.problem()).toMatch(/does not contain this home's master key/)
    await clock.advance(120_000)
    expect(keytar.entries.size).toBe(0)
    for (const [name, value] of before) keytar.entries.set(name, value)
    expect(await vault.unlock()).toBe('open')
  })

  test('is sealed if the keychain has another key', async () => {
    await start()
    for (const name of keytar.entries.keys()) keytar.entries.set(name, Buffer.alloc(32).toString('base64'))
    const vault = await start()
    expect(vault.state()).toBe('sealed')
    expect(vault.problem()).toMatch(/a different master key/)
  })

  test('never has more than one call in progress, even if one hangs', async () => {
    await start()
    keytar.become('hangs')
    const vault = await start()
    await clock.advance(300_000)
    void vault.unlock()
    await clock.advance(1_000)
    expect(keytar.outstanding).toBe(1)
  })

  test('reports the same problem once, not every 30 s', async () => {
    await start()
    keytar.become('absent')
    await start()
    await clock.advance(300_000)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ event: 'vault.sealed', kind: 'keychain' })
  })

  test('stays open when the keychain locks later', async () => {
    const vault = await start()
    keytar.become('locked')
    await clock.advance(120_000)
    expect(vault.state()).toBe('open')
  })
})

describe('a keychain with a prompt', () => {
  const startBeforePerson = (settings: Settings = {}) => start(settings, { isInteractive: true })

  /** Begun while the keychain shows a prompt, which the start does not wait for. */
  async function startWithPrompt(): Promise<{ vault: OpenVault; changes: unknown[] }> {
    keytar.become('hangs')
    const begun = clock.mono()
    const vault = await startBeforePerson()
    expect(clock.mono() - begun).toBeLessThan(2_000)
    expect([vault.state(), vault.prompt()]).toEqual(['sealed', 'waiting'])
    expect(vault.problem()).toMatch(/has not answered yet/)
    const changes: unknown[] = []
    vault.onChange(() => changes.push([vault.state(), vault.prompt()]))
    return { vault, changes }
  }

  /** No person answers within the second in which it comes up. */
  async function answer(mood: 'works' | 'absent'): Promise<void> {
    await clock.advance(1_500)
    keytar.become(mood)
    keytar.answerPrompts()
    await clock.advance(1_000)
  }

  test('does not delay the start, and opens when the prompt is answered', async () => {
    const first = await start()
    const { vault, changes } = await startWithPrompt()
    await clock.advance(60_000)
    await answer('works')
    expect(changes).toEqual([['open', null]])
    expect(vault.key()).toEqual(first.key())
    expect(clock.waiting()).toBe(0)
  })

  test('is chosen for a new home once the prompt is answered', async () => {
    const { vault } = await startWithPrompt()
    expect([vault.kind, vault.notice, inMeta('vault_kind')]).toEqual(['keychain', null, undefined])
    await answer('works')
    expect([vault.kind, vault.notice, vault.state()]).toEqual(['keychain', null, 'open'])
    expect(inMeta('vault_kind')).toBe('keychain')
  })

  test('is replaced by the file vault with a notice if the prompt is dismissed', async () => {
    const { vault, changes } = await startWithPrompt()
    await answer('absent')
    await until('the file vault', () => vault.state() === 'open')
    expect([vault.kind, inMeta('vault_kind')]).toEqual(['file', 'file'])
    expect(vault.notice).toContain(join(database.dir, 'vault.json'))
    expect(changes.at(-1)).toEqual(['open', null])
  })

  test('does not repeat a dismissed prompt until it is requested', async () => {
    await start()
    const { vault, changes } = await startWithPrompt()
    await answer('absent')
    expect(changes).toEqual([['sealed', 'on_request']])
    expect(vault.problem()).toMatch(/The keychain refused/)
    const calls = keytar.calls.length
    await clock.advance(600_000)
    expect(keytar.calls).toHaveLength(calls)
    keytar.become('works')
    expect(await vault.unlock()).toBe('open')
    expect(changes).toEqual([
      ['sealed', 'on_request'],
      ['open', null],
    ])
  })

  test.each(['a home on the keychain', 'a new home'])(
    'keeps a prompt open after two minutes and uses its answer: %s',
    async (which) => {
      if (which !== 'a new home') await start()
      const { vault } = await startWithPrompt()
      await clock.advance(121_000)
      expect(vault.prompt()).toBe('repeated')
      expect(vault.problem()).toMatch(/did not answer within 120 s/)
      expect(vault.problem()?.includes('set vault to file')).toBe(which === 'a new home')
      await clock.advance(200_000)
      expect(keytar.outstanding).toBe(1)
      await answer('works')
      await clock.advance(31_000)
      expect([vault.state(), vault.kind]).toEqual(['open', 'keychain'])
    },
  )

  test('retries a keychain that refuses without a prompt', async () => {
    await start()
    keytar.become('locked')
    const vault = await startBeforePerson()
    expect(vault.prompt()).toBe('repeated')
    keytar.become('works')
    await clock.advance(31_000)
    expect(vault.state()).toBe('open')
  })

  test('stops the start at a wrong passphrase', async () => {
    await start({ vault: 'file', vaultPassphrase: new Secret('correct horse battery') })
    await expect(startBeforePerson({ vaultPassphrase: new Secret('wrong horse battery') })).rejects.toThrow(
      /is not its passphrase/,
    )
  })

  test('writes and reports nothing after it was closed', async () => {
    const { vault } = await startWithPrompt()
    vault.close()
    await answer('works')
    await clock.advance(60_000)
    expect([vault.state(), clock.waiting(), warnings]).toEqual(['sealed', 0, []])
    expect([inMeta('home_id'), inMeta('master_key_check'), [...keytar.entries.keys()]]).toEqual([
      undefined,
      undefined,
      [],
    ])
  })
})

test('uses a given vault regardless of the settings', async () => {
  const handed = memoryVault()
  const first = await start({ vault: 'file' }, { vault: handed })
  expect(first.kind).toBe('memory')
  expect((await start({ vault: 'file' }, { vault: handed })).key()).toEqual(first.key())
  handed.lock()
  const sealed = await start({}, { vault: handed })
  expect(sealed.state()).toBe('sealed')
  handed.unlock()
  await clock.advance(31_000)
  expect(sealed.state()).toBe('open')
})
