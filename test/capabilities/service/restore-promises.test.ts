import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { clientOf, pairedIn, typesOf } from '../agency/agency-world.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { asConsole } from '../../support/console.ts'
import { backUp, goBack, newHome, WAYS } from '../../support/restores.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { CARDS, onWorld } from '../billing/billing-world.ts'
import {
  campaign,
  campaignOf,
  expectCountsRight,
  phonesFrom,
  receivedBy,
  recipientsOf,
} from '../campaigns/campaign-world.ts'

/** A service is started twice in each. */
const DAY_MS = 86_400_000

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('when %s', (way) => {
  test('D-10 a person who wrote STOP since gets no campaign', async () => {
    const w = await world({ home: newHome() })
    const line = await w.pair()
    const [stopped = '', other = ''] = phonesFrom(2)
    const id = await campaignOf(w, { instances: [line], phones: [stopped, other], start: false })
    const name = await backUp(w)
    await w.api('POST', `/v1/sandbox/phones/${stopped}/messages`, { to: line.phone_number, text: 'STOP' })
    await w.quiet()
    const optedOut = async (of: World) => (await of.api('GET', '/v1/opt-outs')).body.data
    expect(await optedOut(w)).toHaveLength(1)

    const after = await goBack(w, name, way)
    expect(await optedOut(after)).toMatchObject([{ phone: stopped }])
    expect((await after.api('POST', `/v1/campaigns/${id}/start`)).status).toBe(200)
    await after.pass(3_000)
    const rows = (await recipientsOf(after, id)).map(({ phone, status }) => [phone, status])
    expect(rows).toEqual([
      [stopped, 'skipped'],
      [other, expect.stringMatching(/^(sent|delivered|read)$/)],
    ])
  })

  test('D-10 a person who may have asked for no campaigns since is still asked about', async () => {
    const w = await world({ home: newHome() })
    const line = await w.pair()
    const [unsure = '', other = ''] = phonesFrom(2)
    const name = await backUp(w)
    for (const phone of [unsure, other])
      await w.api('POST', `/v1/sandbox/phones/${phone}/messages`, { to: line.phone_number, text: 'please stop this' })
    await w.quiet()
    const questions = async (of: World) => (await of.api('GET', '/v1/opt-out-questions')).body.data
    const [, asked] = await questions(w)
    const answered = `/v1/instances/${line.id}/opt-out-questions/${asked.message_id}`
    expect((await w.api('POST', answered, { chat: asked.chat, opt_out: false })).status).toBe(204)
    const [open] = await questions(w)

    const after = await goBack(w, name, way)
    const text = way === 'a person restores it' ? open.text : ''
    expect(await questions(after)).toEqual([{ ...open, text }])
    const decided = `/v1/instances/${line.id}/opt-out-questions/${open.message_id}`
    expect((await after.api('POST', decided, { chat: open.chat, opt_out: true })).status).toBe(204)
    expect((await after.api('GET', '/v1/opt-outs')).body.data).toMatchObject([{ phone: open.chat }])
  })

  test('D-10 a number that a person disconnected since stays disconnected until somebody connects it', async () => {
    const w = await world({ home: newHome() })
    const [line, other] = [await w.pair(), await w.pair()]
    const name = await backUp(w)
    expect((await w.api('POST', `/v1/instances/${line.id}/disconnect`)).status).toBe(200)

    const after = await goBack(w, name, way)
    await after.pass(5_000)
    const statusOf = async (id: string) => (await after.api('GET', `/v1/instances/${id}`)).body.status
    expect([await statusOf(line.id), await statusOf(other.id)]).toEqual(['disconnected', 'connected'])
    await after.api('POST', `/v1/instances/${line.id}/restart`)
    await after.pass(5_000)
    expect(await statusOf(line.id)).toBe('connected')
  })

  test('D-10 a half-sent campaign messages nobody twice, even days later, and stays paused', async () => {
    const w = await world({ home: newHome() })
    const line = await w.pair()
    const phones = phonesFrom(24)
    const id = await campaignOf(w, {
      instances: [line],
      phones,
      config: { minDelay: 1, maxDelay: 1, checkNumbers: false },
    })
    await w.pass(3_000)
    const name = await backUp(w)
    const sentThen = (await recipientsOf(w, id)).filter(({ status }) => status !== 'pending').map(({ phone }) => phone)
    await w.pass(4_000)
    const sentSince = (await recipientsOf(w, id)).filter(({ status }) => status !== 'pending').map(({ phone }) => phone)
    expect(sentSince.length).toBeGreaterThan(sentThen.length + 1)
    expect(sentSince.length).toBeLessThan(phones.length)

    // The keys of the sends have expired by then.
    const after = await goBack(w, name, way, 2 * DAY_MS)
    expect(await campaign(after, id)).toMatchObject({ status: 'paused', pause_reason: 'restored' })
    const before = await receivedBy(after)
    await after.pass(3_000)
    expect(await receivedBy(after)).toEqual(before)
    const known = (await recipientsOf(after, id)).filter(({ status }) => status !== 'pending').map(({ phone }) => phone)
    expect(known).toEqual(expect.arrayContaining(sentSince))
    await expectCountsRight(after, id)

    expect((await after.api('POST', `/v1/campaigns/${id}/resume`)).status).toBe(200)
    await after.pass(25_000)
    expect((await campaign(after, id)).status).toBe('completed')
    const gained = [...(await receivedBy(after))].filter(([phone, count]) => count > (before.get(phone) ?? 0))
    // Everybody who was left, and nobody else.
    expect(gained.map(([phone]) => phone).toSorted()).toEqual(phones.filter((phone) => !known.includes(phone)))
    await expectCountsRight(after, id)
  })

  test('D-10 a purchase stays bought, and its Idempotency-Key buys nothing more', async () => {
    const w = await world({ home: newHome() })
    const b = onWorld(w)
    await b.card(CARDS.works)
    const name = await backUp(w)
    const key = { 'idempotency-key': 'order-1' }
    const bought = await b.buy({ plan: 'growth' }, key)
    await b.rest()
    expect(await b.charged()).toBe(7_900)

    const after = onWorld(await goBack(w, name, way))
    const again = await after.w.api('POST', '/v1/billing/purchases', { plan: 'growth' }, { headers: key })
    expect([again.status, again.body.id]).toEqual([201, bought.id])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(await after.purchases()).toMatchObject([{ id: bought.id, status: 'paid' }])
    expect(await after.subscription()).toMatchObject({ plan: 'growth', status: 'active' })
    // The simulated provider is in the same database, and is lost with it.
    if (way === 'a person restores it') expect(await after.charged()).toBe(7_900)
    else expect(await after.charged()).toBe(0)
  })

  test('D-10 a message that was sent since with a key is never reported as unsent', async () => {
    const w = await world({ home: newHome(), settings: { sendTimeoutMs: 1_000 } })
    const line = await w.pair()
    const path = `/v1/instances/${line.id}/messages`
    const send = (of: World, key: string, to: string) =>
      of.api('POST', path, { to, text: key }, { headers: { 'idempotency-key': key } })
    const find = (of: World, key: string) => of.api('GET', `${path}?idempotency_key=${key}`)
    const name = await backUp(w)
    const sent = await send(w, 'sent', '12025551001')
    const sending = send(w, 'unknown', '12025550504')
    await w.pass(2_000)
    expect([sent.status, (await sending).status]).toEqual([201, 504])

    const after = await goBack(w, name, way)
    const [found, doubtful] = [await find(after, 'sent'), await find(after, 'unknown')]
    expect(await find(after, 'never')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    if (way === 'a person restores it') {
      expect(found).toMatchObject({ status: 200, body: { message_id: sent.body.message_id, to: '12025551001' } })
      expect(doubtful).toMatchObject({ status: 200, body: { status: 'queued', to: '12025550504' } })
      await after.pass(60_000)
      expect((await find(after, 'unknown')).body.status).toBe('delivered')
      expect(await send(after, 'unknown', '12025550504')).toMatchObject({ status: 201, body: { sent: true } })
      return
    }
    // What was in the message is lost. That it may have left is not.
    for (const answer of [found, doubtful, await send(after, 'unknown', '12025550504')]) {
      expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_state'])
      expect(answer.body.error.message).toContain('may have been sent')
      expect(answer.body.error.message).toContain('Do not send it again')
    }
  })

  test('D-10 revoked links, removed members and suspended accounts stay so', async () => {
    const w = await world({ home: newHome() })
    const call = asConsole(w)
    const must = async (of: World, method: string, path: string, body?: object) => {
      const answer = await of.api(method, path, body)
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
      return answer.body
    }
    const client = await must(w, 'POST', '/v1/agency/accounts', { name: 'Bakery', slots_allocated: 1 })
    const line = await w.instance()
    const links = `/v1/instances/${line.id}/access-links`
    await must(w, 'POST', links, { permanent: true })
    const [link] = (await must(w, 'GET', links)).data
    expect((await call('POST', '/v1/members', { name: 'Ana', email: 'ana@example.com' })).status).toBe(201)
    const [member] = (await call('GET', '/v1/members')).body.data
    const name = await backUp(w)
    await must(w, 'DELETE', `${links}/${link.id}`)
    expect((await call('DELETE', `/v1/members/${member.id}?confirm=true`)).status).toBe(204)
    await must(w, 'POST', `/v1/agency/accounts/${client.id}/suspend`)

    const after = await goBack(w, name, way)
    const revoked = (await must(after, 'GET', links)).data[0]
    expect(revoked).toMatchObject({ id: link.id, state: 'revoked' })
    expect((await asConsole(after)('GET', '/v1/members')).body.data).toEqual([])
    expect((await must(after, 'GET', `/v1/agency/accounts/${client.id}`)).status).toBe('suspended')
  })

  test('D-10 a transferred number stays with its new owner, and a deleted one returns signed out', async () => {
    const w = await world({ home: newHome(), settings: { graphBaseUrl: 'sandbox' } })
    const [before, since] = [await clientOf(w, { name: 'Before' }), await clientOf(w, { name: 'Since' })]
    const given = await pairedIn(w, before, '12025550161')
    const deleted = await w.pair('12025550162')
    const official = await w.official('12025550163')
    const name = await backUp(w)
    const moved = await w.api('POST', `/v1/agency/instances/${given.id}/transfer`, { account_id: since.id })
    expect(moved.status, moved.text).toBe(200)
    for (const { id } of [deleted, official]) await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
    await w.quiet()

    const after = await goBack(w, name, way)
    const seenBy = async ({ key }: { readonly key: string }, id: string) => {
      const { status, body } = await after.api('GET', `/v1/instances/${id}`, undefined, { key })
      return status === 200 ? body.status : status
    }
    expect([await seenBy(before, given.id), await seenBy(since, given.id)]).toEqual([404, 'connected'])
    expect((await typesOf(after, before.id)).at(-1)).toBe('instance.deleted')
    for (const { id } of [deleted, official]) {
      const { body } = await after.api('GET', `/v1/instances/${id}`)
      expect(body).toMatchObject({ status: 'disconnected', logged_in: false, last_disconnect_reason: 'restored' })
      const sent = await after.api('POST', `/v1/instances/${id}/messages`, { to: '12025550199', text: 'Hello' })
      expect([sent.status, sent.body.error.code]).toEqual([409, 'not_ready'])
    }
  })

  test('D-10 a number whose new owner is not in the backup is signed out', async () => {
    const w = await world({ home: newHome() })
    const before = await clientOf(w, { name: 'Before' })
    const given = await pairedIn(w, before, '12025550164')
    const name = await backUp(w)
    const since = await clientOf(w, { name: 'Since' })
    const moved = await w.api('POST', `/v1/agency/instances/${given.id}/transfer`, { account_id: since.id })
    expect(moved.status, moved.text).toBe(200)

    const after = await goBack(w, name, way)
    const { body } = await after.api('GET', `/v1/instances/${given.id}`, undefined, { key: before.key })
    expect(body).toMatchObject({ status: 'disconnected', logged_in: false, last_disconnect_reason: 'restored' })
  })
})

describe('settings by a number’s new owner before a restore to an older backup', () => {
  const SETTINGS = [
    ['PATCH', 'line-settings', { pace: { per_minute: 10 } }],
    ['PUT', 'ai/provider-keys/custom', { base_url: 'https://model.sandbox/v1' }],
    ['PUT', 'webhook', { url: 'https://catcher.sandbox/new', events: ['MESSAGE'] }],
  ] as const
  const TABLES = ['instance_line_settings', 'ai_provider_keys', 'instance_webhooks']

  const rowsOf = (w: World) => {
    const database = new Database(join(w.home, 'switchboard.db'), { readonly: true })
    const rows = TABLES.map((table) => database.prepare(`SELECT * FROM ${table}`).all())
    database.close()
    return rows
  }

  async function transferred() {
    const w = await world({ home: newHome() })
    const [before, since] = [await clientOf(w, { name: 'Before' }), await clientOf(w, { name: 'Since' })]
    const key = before.key
    const { body: given } = await w.api('POST', '/v1/instances', { name: 'Given', network: 'live' }, { key })
    const old = { online: true }
    expect((await w.api('PATCH', `/v1/instances/${given.id}/line-settings`, old, { key })).status).toBe(200)
    const name = await backUp(w)
    const path = `/v1/agency/instances/${given.id}/transfer`
    expect((await w.api('POST', path, { account_id: since.id })).status).toBe(200)
    for (const [method, end, body] of SETTINGS) {
      const set = await asConsole(w, { accountId: since.id as AccountId })(
        method,
        `/v1/instances/${given.id}/${end}`,
        body,
      )
      expect(set.status, JSON.stringify(set.body)).toBeLessThan(300)
    }
    // A proxy and a key would be tried before they are stored.
    const database = new Database(join(w.home, 'switchboard.db'))
    database.exec(
      "UPDATE instance_line_settings SET proxy_type = 'socks5', proxy_host = 'new.example', proxy_port = 1, proxy_sealed = x'01'",
    )
    database.exec("UPDATE ai_provider_keys SET key = x'02'")
    database.close()
    const rows = rowsOf(w)
    expect(rows.map((some) => some.length)).toEqual([1, 1, 1])
    return { w, name, given, since, rows }
  }

  test('D-10 return once the transfer was repeated', async () => {
    const { w, name, given, since, rows } = await transferred()
    const after = await goBack(w, name, 'a person restores it')
    expect((await after.api('GET', `/v1/instances/${given.id}`, undefined, { key: since.key })).status).toBe(200)
    expect(rowsOf(after)).toEqual(rows)
  })

  test('D-10 are not left to the owner of the backup if the transfer cannot be repeated', async () => {
    const { w, name, given, since } = await transferred()
    const database = new Database(join(w.home, 'switchboard.db'))
    database.prepare('UPDATE entitlement_grants SET slots = 0 WHERE account_id = ?').run(since.id)
    database.close()
    const after = await goBack(w, name, 'a person restores it')
    expect((await after.api('GET', `/v1/instances/${given.id}`, undefined, { key: since.key })).status).toBe(404)
    expect(rowsOf(after)).toEqual([[], [], []])
  })
})

test('D-10 an order with an unknown outcome is looked up at the provider before its key buys again', async () => {
  const w = await world({ home: newHome() })
  const b = onWorld(w)
  await b.card(CARDS.works)
  await b.fault('close_after_read')
  const key = { 'idempotency-key': 'order-1' }
  const bought = await b.buy({ plan: 'growth' }, key)
  expect(bought.status).toBe('processing')
  expect(await b.charged()).toBe(7_900)
  await w.close()
  // A backup may know the order without its job, and the key without its answer.
  const database = new Database(join(w.home, 'switchboard.db'))
  database.exec("DELETE FROM jobs WHERE kind = 'billing.reconcile'")
  database.exec("UPDATE idempotency_keys SET state = 'unknown', status = NULL, body = NULL")
  database.close()

  const after = onWorld(await worldOfTest({ home: w.home, vault: w.vault, clock: w.clock, seed: 2 }))
  await after.until('the order is settled', async () => (await after.purchases())[0].status === 'paid')
  const again = await after.w.api('POST', '/v1/billing/purchases', { plan: 'growth' }, { headers: key })
  expect([again.status, again.body.id, again.body.status]).toEqual([201, bought.id, 'paid'])
  expect(await after.charged()).toBe(7_900)
})
