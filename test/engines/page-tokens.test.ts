import Database from 'better-sqlite3'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPageTokens } from '../../main/engines/page-token.ts'
import { createSessions } from '../../main/engines/sandbox/sessions.ts'
import type { InstanceId } from '../../main/kernel/ids.ts'
import { createSeal, SealBroken } from '../../main/kernel/seal.ts'
import { sql } from '../../main/kernel/sql.ts'
import { asConsole } from '../support/console.ts'
import { testDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { newHome } from '../support/restores.ts'
import { world, type World } from '../support/world.ts'

async function createOfficial(w: World, network: 'live' | 'sandbox'): Promise<{ id: string; url: string }> {
  const { status, body } = await w.api('POST', '/v1/instances', { engine: 'official', network })
  expect(status, JSON.stringify(body)).toBe(201)
  return { id: body.id, url: body.onboarding_url }
}

const tokenOf = (url: string) => new URL(url).pathname.split('/').at(-1) ?? ''
const shownBy = async (w: World, id: string) =>
  ((await asConsole(w)('GET', `/v1/instances/${id}`)).body as { onboarding_url?: string }).onboarding_url
const statusOf = async (w: World, url: string) =>
  (await w.api('GET', new URL(url).pathname, undefined, { key: null })).status

const bytesOf = (home: string) =>
  ['switchboard.db', 'switchboard.db-wal']
    .map((name) => join(home, name))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file))

const TABLES = ['official_numbers', 'sandbox_lines'] as const

/** Puts tokens there as versions before did. */
function writeInClear(home: string, tokens: ReadonlyMap<string, string>): void {
  const db = new Database(join(home, 'switchboard.db'))
  for (const table of TABLES)
    for (const [id, token] of tokens)
      db.prepare(`UPDATE ${table} SET token = ?, token_hash = NULL, token_sealed = NULL WHERE instance_id = ?`).run(
        token,
        id,
      )
  db.close()
}

const inClear = (home: string) => {
  const db = new Database(join(home, 'switchboard.db'), { readonly: true })
  const counts = TABLES.map((table) =>
    db.prepare(`SELECT COUNT(*) FROM ${table} WHERE token IS NOT NULL`).pluck().get(),
  )
  db.close()
  return counts
}

test('no token of a connect page is stored unencrypted, and it can be shown again', async () => {
  const w = await world({ home: newHome() })
  for (const network of ['live', 'sandbox'] as const) {
    const { id, url } = await createOfficial(w, network)
    expect(tokenOf(url)).toHaveLength(32)
    expect(await shownBy(w, id)).toBe(url)
    expect(await statusOf(w, url)).toBe(200)
    expect(bytesOf(w.home).some((bytes) => bytes.includes(tokenOf(url)))).toBe(false)
  }
})

test('tokens from earlier versions still open their pages, and are sealed when the service starts', async () => {
  const home = newHome()
  const first = await world({ home })
  const made = [await createOfficial(first, 'live'), await createOfficial(first, 'sandbox')]
  await first.close()
  writeInClear(home, new Map(made.map(({ id }, at) => [id, `token-of-before-${String(at)}`])))
  expect(inClear(home)).toEqual([1, 1])

  const w = await world({ home, vault: first.vault, seed: 2 })
  for (const [at, { id, url }] of made.entries()) {
    const before = url.replace(tokenOf(url), `token-of-before-${String(at)}`)
    expect(await statusOf(w, before)).toBe(200)
    expect(tokenOf((await shownBy(w, id)) ?? '')).toBe(tokenOf(before))
    expect(await statusOf(w, url)).toBe(404)
  }
  expect(inClear(home)).toEqual([0, 0])
})

test('tokens are recognized while the vault is locked, and not shown', async () => {
  const home = newHome()
  const first = await world({ home })
  const { id, url } = await createOfficial(first, 'sandbox')
  await first.close()
  first.vault.lock()

  const w = await world({ home, vault: first.vault, seed: 2 })
  expect(await statusOf(w, url)).toBe(200)
  expect(await shownBy(w, id)).toBeUndefined()
})

test('5,000 tokens of an earlier version are sealed once, each for its own row only', async () => {
  const { db, close } = await testDatabase()
  onTestFinished(close)
  const seal = createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random: seededRandom(1) })
  const pageTokens = createPageTokens({ db, seal, random: seededRandom(2) })
  const add = sql<{ id: string; token: string }>(
    "INSERT INTO sandbox_lines (instance_id, account_id, engine, up, token) VALUES (:id, 'acc', 'official', 0, :token)",
  )
  const ids = Array.from({ length: 5_000 }, (_, at) => `instance-${String(at)}` as InstanceId)
  await db.commit(async (tx) => {
    for (const id of ids) await tx.run(add, { id, token: `token of ${id}` })
  })

  const sessions = createSessions({ db, pageTokens })
  await sessions.load()

  const shown = (id: InstanceId, row = sessions.of(id)) => row && pageTokens.show(id, row)
  expect(ids.filter((id) => shown(id) !== `token of ${id}`)).toEqual([])
  const again = createSessions({ db, pageTokens })
  await again.load()
  const [one, other] = ids
  expect(again.all().filter(({ token }) => token !== null)).toEqual([])
  expect(again.of(one!)?.tokenSealed).toEqual(sessions.of(one!)?.tokenSealed)
  expect(() => shown(one!, again.of(other!))).toThrow(SealBroken)
})
