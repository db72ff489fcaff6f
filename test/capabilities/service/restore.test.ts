import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HOME_FACTS } from '../../../main/kernel/meta.ts'
import { clientOf } from '../agency/agency-world.ts'
import { asConsole } from '../../support/console.ts'
import { tempFolder } from '../../support/database.ts'
import { browserOf, builtConsole, signedIn } from '../../support/panel.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'

function homeOfTest(): string {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** The service is ended and started again in its home. */
async function again(before: World, seed: number): Promise<World> {
  await before.close()
  return worldOfTest({ home: before.home, vault: before.vault, clock: before.clock, seed })
}

const backupOf = async (w: World): Promise<string> => {
  const { body } = await asConsole(w)('POST', '/v1/service/backups')
  return body.file.split(/[\\/]/).at(-1)
}
const listOf = async (w: World) => (await asConsole(w)('GET', '/v1/service/backups')).body
const restore = (w: World, name: string, query = '?confirm=true') =>
  asConsole(w)('POST', `/v1/service/backups/${name}/restore${query}`)
const namesOf = async (w: World) => (await w.api('GET', '/v1/instances')).body.data.map(({ name }: any) => name)

describe('the list of backups', () => {
  test('shows each with its time, size and reason, the newest first', async () => {
    const w = await worldOfTest()
    expect(await listOf(w)).toEqual({ data: [], staged: null, restored: null })
    const first = await backupOf(w)
    await w.clock.advance(60_000)
    const second = await backupOf(w)
    writeFileSync(join(w.home, 'backups', 'notes.txt'), 'not ours')
    const { data } = await listOf(w)
    expect(data).toEqual([
      {
        name: second,
        made_at: '2026-01-05T12:01:00.000Z',
        reason: 'manual',
        bytes: expect.any(Number),
        state: 'usable',
      },
      {
        name: first,
        made_at: '2026-01-05T12:00:00.000Z',
        reason: 'manual',
        bytes: expect.any(Number),
        state: 'usable',
      },
    ])
    expect(data[0].bytes).toBeGreaterThan(10_000)
  })

  test('marks those that cannot be used here: of another home, of a later version, unreadable', async () => {
    const w = await worldOfTest()
    const own = await backupOf(w)
    const stranger = await worldOfTest({ seed: 9 })
    const theirs = await backupOf(stranger)
    const put = (from: string, name: string) => copyFileSync(from, join(w.home, 'backups', name))
    put(join(stranger.home, 'backups', theirs), 'switchboard-20260105T120001Z-manual.db')
    put(join(w.home, 'backups', own), 'switchboard-20260105T120002Z-manual.db')
    const later = new Database(join(w.home, 'backups', 'switchboard-20260105T120002Z-manual.db'))
    later.pragma('user_version = 9999')
    later.close()
    writeFileSync(join(w.home, 'backups', 'switchboard-20260105T120003Z-manual.db'), 'no database')
    const states = (await listOf(w)).data.map(({ state }: { state: string }) => state)
    expect(states).toEqual(['unreadable', 'newer', 'foreign', 'usable'])
    for (const [second, words] of [
      [1, 'another home'],
      [2, 'newer version of Switchboard'],
      [3, 'cannot be read|no backup'],
    ] as const) {
      const { status, body } = await restore(w, `switchboard-20260105T12000${second}Z-manual.db`)
      expect([status, body.error.code]).toEqual([409, 'invalid_state'])
      expect(body.error.message).toMatch(new RegExp(words))
    }
    expect((await listOf(w)).staged).toBeNull()
  })

  test('includes those made before the keychain was first opened', async () => {
    const w = await worldOfTest()
    const early = new Database(join(w.home, 'backups', await backupOf(w)))
    early.prepare('DELETE FROM meta WHERE name IN (?, ?, ?)').run(...Object.values(HOME_FACTS))
    early.close()
    expect((await listOf(w)).data).toMatchObject([{ state: 'usable' }])
  })
})

describe('a restore', () => {
  test('asks for confirmation, and changes nothing before the next start', async () => {
    const w = await worldOfTest()
    await w.instance({ name: 'Then' })
    const name = await backupOf(w)
    await w.instance({ name: 'Since' })
    expect((await restore(w, name, '')).body.error.code).toBe('confirmation_required')
    expect((await listOf(w)).staged).toBeNull()
    const { status, body } = await restore(w, name)
    expect([status, body.staged]).toEqual([202, { name, asked_at: '2026-01-05T12:00:00.000Z' }])
    expect((await namesOf(w)).toSorted()).toEqual(['Since', 'Then'])
  })

  test('previews what will be different', async () => {
    const w = await worldOfTest()
    const line = await w.pair()
    const key = await w.key()
    const [given, deleted] = [await w.pair('12025550105'), await w.pair('12025550106')]
    const client = await clientOf(w)
    const name = await backupOf(w)
    await w.clock.advance(60_000)
    const preview = () => asConsole(w)('GET', `/v1/service/backups/${name}/restore`)
    const none = {
      ...{ messages: 0, instances: 0, clients: 0, webhooks: 0, api_keys: 0, members: 0, contacts: 0, access_links: 0 },
      ...{ ai_agents: 0, faq: 0, documents: 0, planned_calls: 0, voice_widgets: 0, crm_connections: 0 },
    }
    const same = { opt_outs: 0, revocations: 0, payments: 0, transfers: 0 }
    expect((await preview()).body).toEqual({
      ...{ name, made_at: '2026-01-05T12:00:00.000Z', gone: none, kept: same, signed_out: 0, paused_campaigns: [] },
    })
    await w.instance()
    await w.api('POST', `/v1/instances/${line.id}/messages`, { to: '12025550101', text: 'Hello' })
    await w.api('POST', '/v1/opt-outs', { phone: '12025550102' })
    await asConsole(w)('DELETE', `/v1/keys/${key.id}`)
    await w.api('POST', `/v1/agency/instances/${given.id}/transfer`, { account_id: client.id })
    await w.api('DELETE', `/v1/instances/${deleted.id}?confirm=true`)
    const campaign = await w.api('POST', '/v1/campaigns', {
      ...{ instance_ids: [line.id], name: 'Offer', messages: [{ text: 'Hi' }], start: true },
      recipients: [{ phone: '12025550103' }, { phone: '12025550104' }],
      config: { minDelay: 60, maxDelay: 60, checkNumbers: false },
    })
    const at = `/v1/instances/${line.id}`
    // People who were written to, or opted out, are contacts as well.
    await w.api('POST', '/v1/contacts', { phone: '12025550107', name: 'Ana' })
    await w.api('POST', `${at}/access-links`, {})
    const agent = await w.api('POST', `${at}/ai/agents`, { name: 'Reception', provider: 'builtin' })
    await w.api('POST', `${at}/ai/faq`, { question: 'When are you open?', answer: 'From 8 to 18.' })
    await w.api('PUT', `${at}/crm-webhook`, { url: 'https://crm.example.com/hook' })
    await w.api('POST', `${at}/voice/enable`)
    await w.api('POST', `${at}/voice/widgets`, { name: 'Shop', allowed_origins: ['https://shop.example.com'] })
    const call = { to_number: '12025550108', agent_id: agent.body.id, scheduled_at: '2026-01-06T12:00:00.000Z' }
    await w.api('POST', `${at}/voice/calls`, call)
    await asConsole(w)('POST', '/v1/members', { name: 'Bia', email: 'bia@example.com' })
    await w.quiet()
    const { body } = await preview()
    expect(body).toMatchObject({
      gone: {
        ...{ ...none, messages: expect.any(Number), instances: 1, contacts: 3, access_links: 1, ai_agents: 1, faq: 1 },
        ...{ members: 1, planned_calls: 1, voice_widgets: 1, crm_connections: 1 },
      },
      kept: { ...same, opt_outs: 1, revocations: 1, transfers: 1 },
      signed_out: 1,
      paused_campaigns: [{ campaign_id: campaign.body.campaign_id, name: 'Offer' }],
    })
    expect(body.gone.messages).toBeGreaterThan(0)
    expect((await asConsole(w)('GET', '/v1/service/backups/nothing.db/restore')).status).toBe(404)
    writeFileSync(join(w.home, 'backups', name), 'no database')
    expect((await preview()).body.error.code).toBe('invalid_state')
  })

  test('brings the state back at the next start, and keeps the one before as a backup', async () => {
    const home = homeOfTest()
    const first = await world({ home })
    await first.instance({ name: 'Then' })
    const name = await backupOf(first)
    await first.instance({ name: 'Since' })
    await first.clock.advance(5_000)
    await restore(first, name)

    const second = await again(first, 2)
    expect(await namesOf(second)).toEqual(['Then'])
    const { restored, staged, data } = await listOf(second)
    expect(staged).toBeNull()
    expect(restored).toEqual({ name, safety_copy: data[0].name, problem: null })
    expect(data[0]).toMatchObject({ reason: 'before-restore', state: 'usable' })
    expect(readdirSync(home).filter((file) => /restor/.test(file))).toEqual([])

    await restore(second, data[0].name)
    const third = await again(second, 3)
    expect((await namesOf(third)).toSorted()).toEqual(['Since', 'Then'])

    const fourth = await again(third, 4)
    expect((await listOf(fourth)).restored).toBeNull()
    expect((await namesOf(fourth)).toSorted()).toEqual(['Since', 'Then'])
  })

  test('can be cancelled', async () => {
    const first = await world({ home: homeOfTest() })
    const name = await backupOf(first)
    await first.instance({ name: 'Since' })
    await restore(first, name)
    expect((await asConsole(first)('DELETE', '/v1/service/restore')).status).toBe(204)
    expect((await asConsole(first)('DELETE', '/v1/service/restore')).status).toBe(204)
    const second = await again(first, 2)
    expect(await namesOf(second)).toEqual(['Since'])
    expect((await listOf(second)).restored).toBeNull()
  })

  test('keeps revoked keys revoked, the password, and sessions; no number is used twice', async () => {
    const first = await world({ home: homeOfTest(), consoleFolder: builtConsole() })
    const leaked = await first.key()
    const gone = await signedIn(first)
    await asConsole(first)('PUT', '/v1/service/password', { password: 'the one of then, long' })
    const name = await backupOf(first)
    await asConsole(first)('DELETE', `/v1/keys/${leaked.id}`)
    await asConsole(first)('PUT', '/v1/service/password', { password: 'the one of now, longer' })
    const here = await signedIn(first)
    await gone.ask('DELETE', '/panel/session')
    await first.instance()
    await first.quiet()
    const numbersOf = async (w: World) =>
      Object.fromEntries(
        (await w.rows<{ name: string; value: number }>('SELECT name, value FROM counters')).map((row) => [
          row.name,
          row.value,
        ]),
      )
    const before = await numbersOf(first)
    await restore(first, name)

    const second = await again(first, 2)
    expect((await second.api('GET', '/v1/me', undefined, { key: leaked.key })).status).toBe(401)
    const browserWith = (cookie: string) => {
      const browser = browserOf(second)
      browser.cookie = `switchboard_${second.host.split(':')[1] ?? ''}=${cookie.split('=')[1] ?? ''}`
      return browser
    }
    expect((await browserWith(here.cookie).ask('GET', '/panel/session')).status).toBe(200)
    expect((await browserWith(gone.cookie).ask('GET', '/panel/session')).status).toBe(401)
    expect((await browserOf(second).signIn({ password: 'the one of then, long' })).status).toBe(401)
    expect((await browserOf(second).signIn({ password: 'the one of now, longer' })).status).toBe(204)
    for (const [counter, value] of Object.entries(await numbersOf(second)))
      expect(value, counter).toBeGreaterThanOrEqual(before[counter] ?? 0)
  })

  test('C-07 never repeats an attempt number that a receiver has seen since the backup', async () => {
    const first = await world({ home: homeOfTest() })
    await first.api('PUT', '/v1/sandbox/catcher/crm', { status: 500 })
    await first.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/crm', events: ['instance.created'] })
    await first.instance()
    await first.quiet()
    // The copy is made while an attempt is under way: it will know of two.
    await first.api('PUT', '/v1/sandbox/catcher/crm', { hang: true })
    await first.clock.advance(15_000)
    const name = await backupOf(first)
    await first.api('PUT', '/v1/sandbox/catcher/crm', { status: 500 })
    await first.clock.advance(120_000)
    await first.quiet()
    const [open] = (await first.api('GET', '/v1/webhooks/deliveries')).body.data
    expect(open.attempts).toBeGreaterThanOrEqual(3)
    await restore(first, name)

    const second = await again(first, 2)
    await second.api('PUT', '/v1/sandbox/catcher/crm', { status: 200 })
    await second.clock.advance(120_000)
    await second.quiet()
    const { data } = (await second.api('GET', '/v1/webhooks/deliveries')).body
    expect(data).toMatchObject([{ id: open.id, status: 'delivered', attempts: 13 }])
    const { attempt_log: log } = (await second.api('GET', `/v1/webhooks/deliveries/${open.id}`)).body
    expect(log.map(({ attempt, outcome }: any) => `${attempt} ${outcome}`)).toEqual([
      '1 http_error',
      '12 interrupted',
      '13 success',
    ])
  })

  test('C-07 nor that of a delivery that had ended by then and was redelivered by hand since', async () => {
    const first = await world({ home: homeOfTest() })
    await first.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/crm', events: ['instance.created'] })
    await first.instance()
    await first.quiet()
    const [ended] = (await first.api('GET', '/v1/webhooks/deliveries')).body.data
    const name = await backupOf(first)
    await first.api('POST', `/v1/webhooks/deliveries/${ended.id}/retry`)
    await first.quiet()
    await restore(first, name)

    const second = await again(first, 2)
    const { body } = await second.api('POST', `/v1/webhooks/deliveries/${ended.id}/retry`)
    expect([ended.attempts, body.attempts]).toEqual([1, 3])
  })

  test('C-07 does not resend what was sent since, and recreates what was only created here', async () => {
    const first = await world({ home: homeOfTest() })
    const { id } = await first.pair('12025550100')
    const name = await backupOf(first)
    const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })
    const repeat = async (w: World) => {
      const sent = await w.api(
        'POST',
        `/v1/instances/${id}/messages`,
        { to: '12025550101', text: 'once' },
        keyed('order-1'),
      )
      const made = await w.api('POST', '/v1/instances', { name: 'B' }, keyed('made-1'))
      return { sent, made }
    }
    const { sent, made } = await repeat(first)
    expect([sent.status, made.status]).toEqual([201, 201])
    await first.quiet()
    await restore(first, name)

    const second = await again(first, 2)
    const repeated = await repeat(second)
    expect(repeated.sent.body).toEqual(sent.body)
    expect(repeated.sent.headers['idempotent-replayed']).toBe('true')
    expect(repeated.made.body.id).not.toBe(made.body.id)
    expect(await namesOf(second)).toContain('B')
  })

  test('ignores leftovers of an interrupted restore of another backup', async () => {
    const first = await world({ home: homeOfTest() })
    for (let i = 0; i < 40; i++) await first.instance({ name: `Then ${i}` })
    const early = await backupOf(first)
    for (const { id } of (await first.api('GET', '/v1/instances')).body.data.slice(1))
      await first.api('DELETE', `/v1/instances/${id}?confirm=true`)
    await first.clock.advance(5_000)
    const late = await backupOf(first)
    const draft = join(first.home, 'switchboard.db.restoring')
    copyFileSync(join(first.home, 'backups', early), draft)
    const killed = new Database(draft)
    killed.pragma('cache_size = 2')
    killed.exec('BEGIN')
    killed.exec("UPDATE instances SET name = name || 'x'; UPDATE events SET head = head || ' '")
    const journal = readFileSync(`${draft}-journal`)
    killed.close()
    writeFileSync(`${draft}-journal`, journal)
    await restore(first, late)

    const second = await again(first, 2)
    expect((await listOf(second)).restored).toMatchObject({ name: late, problem: null })
    expect(await namesOf(second)).toHaveLength(1)
    expect(readdirSync(second.home).filter((file) => /restor/.test(file))).toEqual([])
  })

  test('of a backup that is damaged by then is cancelled: the present state stays, and the window is told why', async () => {
    const first = await world({ home: homeOfTest() })
    const name = await backupOf(first)
    await first.instance({ name: 'Since' })
    await restore(first, name)
    writeFileSync(join(first.home, 'backups', name), 'x'.repeat(8_192))
    const second = await again(first, 2)
    expect(await namesOf(second)).toEqual(['Since'])
    expect((await listOf(second)).restored).toMatchObject({ name, safety_copy: null, problem: expect.any(String) })
  })

  test('of a backup with damaged pages is refused immediately', async () => {
    const w = await worldOfTest()
    const file = join(w.home, 'backups', await backupOf(w))
    const copy = new Database(file, { readonly: true })
    const root = copy.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'instances'").pluck().get() as number
    const pageBytes = Number(copy.pragma('page_size', { simple: true }))
    copy.close()
    const bytes = readFileSync(file)
    bytes.fill(0xa5, (root - 1) * pageBytes, root * pageBytes)
    writeFileSync(file, bytes)
    const { status, body } = await restore(w, file.split('/').at(-1) ?? '')
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('damaged')])
    expect((await listOf(w)).staged).toBeNull()
  })

  test.each([['switchboard-20200101T000000Z-manual.db'], ['..%2Fswitchboard.db'], ['%2e%2e'], ['lock.db']])(
    'of %s, which is not a backup, is not found',
    async (name) => {
      const w = await worldOfTest()
      await backupOf(w)
      expect((await restore(w, name)).status).toBe(404)
    },
  )
})
