import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../support/database.ts'
import { asConsole } from '../../support/console.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const UNKNOWN = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
const NOT_FOUND = { code: 'not_found', message: 'There is no instance with this id.' }

let w: World

beforeEach(async () => {
  w = await worldOfTest()
})

const recreate = (id: string, key?: string, query = '?confirm=true') =>
  w.api('POST', `/v1/instances/${id}/recreate${query}`, undefined, key === undefined ? {} : { key })
const recreateAll = (instance_ids: unknown, key?: string, query = '?confirm=true') =>
  w.api('POST', `/v1/instances/batch/recreate${query}`, { instance_ids }, key === undefined ? {} : { key })
const read = async (id: string) => (await w.api('GET', `/v1/instances/${id}`)).body

describe('recreating one instance', () => {
  test.each(['pair', 'official'] as const)('starts pairing again, and another number can connect (%s)', async (how) => {
    const made = await w[how]('12025550123', { external_ref: 'ref' })
    const mark = await w.mark()
    expect(await recreate(made.id)).toMatchObject({
      status: 202,
      body: { id: made.id, status: 'recreating', pairing_required: true },
    })
    const begun = how === 'pair' ? ['instance.connecting', 'instance.qr.updated'] : ['instance.connecting']
    expect(await w.typesSince(mark)).toEqual(begun)
    expect(await read(made.id)).toMatchObject({ external_ref: 'ref', phone_number: null, connected: false })

    if (how === 'pair') {
      const { pairing_code } = (await w.api('GET', `/v1/instances/${made.id}/qr`)).body
      await w.api('POST', '/v1/sandbox/phones/12025550177/scan', { pairing_code })
    } else {
      expect(await read(made.id)).not.toHaveProperty('onboarding_url')
      const { onboarding_url } = (await asConsole(w)('GET', `/v1/instances/${made.id}`)).body
      expect(onboarding_url).toMatch(/\/onboard\//)
      expect(onboarding_url).not.toBe(made.onboarding_url)
      await w.api('POST', `/v1/sandbox/instances/${made.id}/onboard`, { number: '12025550177' })
    }
    expect(await w.typesSince(mark)).toEqual([...begun, 'instance.connected'])
    expect(await read(made.id)).toMatchObject({ status: 'connected', phone_number: '12025550177' })
  })

  test('keeps its messages and their idempotency keys', async () => {
    const { id } = await w.pair()
    const send = () =>
      w.api(
        'POST',
        `/v1/instances/${id}/messages`,
        { to: '12025550199', text: 'Hi' },
        { headers: { 'idempotency-key': 'before-recreate' } },
      )
    const sent = await send()
    expect(sent.status, sent.text).toBe(201)
    await w.mark()
    const before = (await w.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)).body
    await recreate(id)
    await w.mark()
    expect((await w.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)).body).toEqual(before)
    expect(before).toMatchObject({ status: 'read' })
    const repeated = await send()
    expect([repeated.body, repeated.headers['idempotent-replayed']]).toEqual([sent.body, 'true'])
  })

  test('stops messages to its old number', async () => {
    const { id } = await w.pair('12025550123')
    await recreate(id)
    const mark = await w.mark()
    await w.api('POST', '/v1/sandbox/phones/12025550199/messages', { to: '12025550123', text: 'Hi' })
    expect(await w.typesSince(mark)).toEqual([])
  })

  test('requires confirm=true, and does nothing without it', async () => {
    const made = await w.pair()
    const mark = await w.mark()
    for (const query of ['', '?confirm=false', '?confirm=1']) {
      expect(await recreate(made.id, undefined, query)).toMatchObject({
        status: 400,
        body: { error: { code: 'confirmation_required', retryable: false } },
      })
    }
    expect(await w.typesSince(mark)).toEqual([])
    expect(await read(made.id)).toEqual(made)
  })

  test('requires instances:write and access to the instance', async () => {
    const [mine, other] = [await w.pair(), await w.pair()]
    const stranger = await w.stranger()
    const reader = await w.key({ scopes: ['instances:read'] })
    const older = await w.key({ scopes: ['instances:manage'], instances: [mine.id] })
    expect(await recreate(mine.id, reader.key)).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    })
    for (const [id, key] of [
      [other.id, older.key],
      [mine.id, stranger.key],
      [UNKNOWN, undefined],
    ] as const) {
      expect(await recreate(id, key)).toMatchObject({ status: 404, body: { error: NOT_FOUND } })
    }
    expect((await read(other.id)).status).toBe('connected')
    expect((await recreate(mine.id, older.key)).status).toBe(202)
    await w.api('DELETE', `/v1/instances/${mine.id}?confirm=true`)
    expect(await recreate(mine.id)).toMatchObject({ status: 404, body: { error: NOT_FOUND } })
  })
})

describe('recreating several instances', () => {
  test('returns a result for each, and the same error for inaccessible and unknown instances', async () => {
    const [mine, other] = [await w.pair(), await w.official()]
    const { key } = await w.key({ instances: [mine.id] })
    const answer = await recreateAll([UNKNOWN, mine.id, other.id], key)
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } })
    expect(answer.body.results).toEqual([
      { id: UNKNOWN, error: NOT_FOUND },
      { id: mine.id, status: 'recreating' },
      { id: other.id, error: NOT_FOUND },
    ])
    await w.mark()
    expect((await read(mine.id)).phone_number).toBeNull()
    expect((await read(other.id)).status).toBe('connected')
    const stranger = await w.stranger()
    expect((await recreateAll([other.id], stranger.key)).body).toMatchObject({
      accepted: 0,
      results: [{ id: other.id, error: NOT_FOUND }],
    })
  })

  test('is not confused with an instance named batch', async () => {
    expect(await recreateAll([])).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } })
    expect(await w.api('GET', '/v1/instances/batch/recreate')).toMatchObject({ status: 405 })
    for (const path of ['/v1/instances/batch', '/v1/instances/batch/health']) {
      expect(await w.api('GET', path)).toMatchObject({ status: 404, body: { error: NOT_FOUND } })
    }
  })

  test('checks instances:write first, then confirm=true, then the body', async () => {
    const made = await w.pair()
    const mark = await w.mark()
    const reader = await w.key({ scopes: ['instances:read'] })
    const refusals = [
      [403, 'insufficient_scope', await recreateAll('x', reader.key, '')],
      [400, 'confirmation_required', await recreateAll('x', undefined, '')],
      [400, 'validation_error', await recreateAll([made.id, made.id])],
      [400, 'validation_error', await recreateAll([made.id, 'batch'])],
      [400, 'validation_error', await recreateAll(Array.from({ length: 51 }, () => UNKNOWN))],
      [400, 'validation_error', await w.api('POST', '/v1/instances/batch/recreate?confirm=true')],
    ] as const
    for (const [status, code, answer] of refusals) {
      expect(answer).toMatchObject({ status, body: { error: { code } } })
    }
    expect(await w.typesSince(mark)).toEqual([])
    expect(await read(made.id)).toEqual(made)
  })
})

test('a recreate that was interrupted by a crash is completed at the next start', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const before = await worldOfTest({ home })
  const { id } = await before.pair('12025550123')
  await before.close()
  // As the first commit of a recreate leaves it; the engine has not wiped yet.
  const raw = new Database(join(home, 'switchboard.db'))
  const cut =
    "UPDATE instances SET status = 'recreating', logged_in = 0, phone_number = NULL, discard = 'wipe' WHERE id = ?"
  raw.prepare(cut).run(id)
  const { n: mark } = raw.prepare('SELECT MAX(seq) AS n FROM events').get() as { n: number }
  raw.close()

  const after = await worldOfTest({ home, vault: before.vault, seed: 2 })
  expect(await after.typesSince(mark)).toEqual(['instance.connecting', 'instance.qr.updated'])
  expect((await after.api('GET', `/v1/instances/${id}`)).body).toMatchObject({ status: 'qr', phone_number: null })
})
