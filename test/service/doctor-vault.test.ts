import { expect, test } from 'vitest'
import { systemRandom } from '../../main/kernel/ids.ts'
import { checkRunningVault } from '../../main/service/doctor/vault.ts'
import { openVault } from '../../main/vault/open.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { testDatabase } from '../support/database.ts'
import { standInKeytar } from '../support/vault.ts'

/** What the doctor says beside a running service, which has its master key in memory. */
async function homeWithKeychain() {
  const database = await testDatabase()
  const keytar = standInKeytar()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const world = {
    config: { home: database.dir, vault: null, vaultPassphrase: null },
    ...{ clock: systemClock, random: systemRandom, log, importKeytar: async () => keytar },
  }
  const vault = await openVault({ ...world, db: database.db })
  const running = { kind: vault.kind, state: vault.state(), asking: vault.prompt(), problem: vault.problem() }
  vault.close()
  return { keytar, look: () => checkRunningVault(world, database.db, running), close: () => database.close() }
}

test('reports no fault for a keychain that has the key', async () => {
  const home = await homeWithKeychain()
  expect(await home.look()).toMatchObject({ subject: 'vault', state: 'well' })
  await home.close()
})

test.each<[string, (keytar: ReturnType<typeof standInKeytar>) => unknown]>([
  ['is locked', (keytar) => keytar.become('locked')],
  ['has lost the entry', (keytar) => keytar.entries.clear()],
  [
    'has the key of another home',
    (keytar) =>
      [...keytar.entries.keys()].forEach((name) => keytar.entries.set(name, Buffer.alloc(32, 7).toString('base64'))),
  ],
])('reports a keychain that %s before the next start needs it', async (_what, happen) => {
  const home = await homeWithKeychain()
  happen(home.keytar)
  const { state, says } = await home.look()
  expect([state, says]).toEqual(['look', expect.stringContaining('the next start needs it')])
  await home.close()
})
