import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testHome, type TestHome } from '../support/service-process.ts'

const NEWER = 9_999

let home: TestHome

beforeEach(() => {
  home = testHome()
})
afterEach(() => home.remove())

const keyNames = async () => {
  const { code, out, err } = await home.command('keys', 'list', '--json')
  return code === 0 ? (JSON.parse(out) as { data: { name: string }[] }).data.map(({ name }) => name) : err
}

/** What a later Switchboard does at its first start: a new table, and a higher version. */
function upgrade(): void {
  const database = new Database(join(home.dir, 'switchboard.db'))
  database.exec('CREATE TABLE of_tomorrow (id TEXT PRIMARY KEY) STRICT; INSERT INTO of_tomorrow VALUES (1)')
  database.pragma(`user_version = ${NEWER}`)
  database.close()
}

test('D-12 a backup from before an upgrade is restored by the version that made it, and what was revoked since stays revoked', async () => {
  const kept = await home.key('Kept')
  const revoked = await home.key('Revoked')
  const { file } = JSON.parse((await home.command('backup', '--json')).out) as { file: string }
  const name = file.split(/[\\/]/).at(-1)!
  await home.command('keys', 'revoke', revoked.id)
  upgrade()

  expect(await keyNames()).toContain(`(schema ${NEWER}, `)
  expect(await keyNames()).toContain('go back to a backup from before the upgrade with npm run restore')
  expect((await home.command('restore')).out).toContain(name)
  const restored = await home.command('restore', name, '--yes')
  expect([restored.code, restored.err]).toEqual([0, ''])
  expect(restored.out).toMatch(
    new RegExp(`^Restored ${name}. The previous state was saved as switchboard-.*-before-restore.db`),
  )

  expect(await keyNames()).toEqual(expect.arrayContaining(['Kept', 'Revoked']))
  const { data } = JSON.parse((await home.command('keys', 'list', '--json')).out) as {
    data: { id: string; revoked_at: string | null }[]
  }
  const revokedAt = new Map(data.map((key) => [key.id, key.revoked_at]))
  expect([revokedAt.get(kept.id), revokedAt.get(revoked.id)]).toEqual([null, expect.any(String)])
  // The upgraded database is still there for the later version.
  const saved = readdirSync(join(home.dir, 'backups')).find((one) => one.endsWith('-before-restore.db'))!
  const database = new Database(join(home.dir, 'backups', saved), { readonly: true })
  expect(database.pragma('user_version', { simple: true })).toBe(NEWER)
  database.close()
})
