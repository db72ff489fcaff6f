import { describe, expect, test } from 'vitest'
import { worldOfTest, type World } from '../../support/world.ts'
import { clientOf, typesOf, type Client } from './agency-world.ts'

const ANA = '12025550177'
const transfer = (w: World, id: string, to: string) =>
  w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: to })

describe('a transferred instance', () => {
  test('appears unchanged in its new account, and no longer exists in the old one', async () => {
    const w = await worldOfTest()
    const client = await clientOf(w)
    const line = await w.pair('12025551111', { external_ref: 'desk', metadata: { a: 'b' } })
    const { message_id: id } = (await w.api('POST', `/v1/instances/${line.id}/messages`, { to: ANA, text: 'Hi' })).body
    await w.quiet()
    const moved = await transfer(w, line.id, client.id)
    expect(moved.body).toMatchObject({ id: line.id, account_id: client.id, external_ref: 'desk' })
    const at = `/v1/instances/${line.id}`
    expect((await client.api('GET', at)).body).toMatchObject({ status: 'connected', phone_number: '12025551111' })
    expect((await client.api('GET', `${at}/messages/${id}`)).body.status).toBe('read')
    for (const path of [at, `${at}/messages/${id}`, `${at}/qr`, `${at}/health`])
      expect((await w.api('GET', path)).body.error.code, path).toBe('not_found')
    expect((await w.api('DELETE', `${at}?confirm=true`)).status).toBe(404)
    expect((await client.api('POST', `${at}/messages`, { to: ANA, text: 'From the new one' })).status).toBe(201)
    expect((await transfer(w, line.id, client.id)).body.error.code).toBe('invalid_state')
    expect((await transfer(w, line.id, '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60')).body.error.code).toBe('not_found')
  })

  test('sends instance.deleted to the old account and instance.created to the new one, and nothing to others', async () => {
    const w = await worldOfTest()
    const client = await clientOf(w)
    const line = await w.pair()
    const mark = await w.mark()
    await transfer(w, line.id, client.id)
    const heard = (await w.eventsSince(mark)).map(({ account_id, type }) => [account_id, type])
    expect(heard).toEqual([
      [w.account.id, 'instance.deleted'],
      [client.id, 'instance.created'],
      [client.id, 'instance.connected'],
    ])
  })

  test('is deleted in the incremental list of the old account and changed in that of the new one, also when it comes back', async () => {
    const w = await worldOfTest()
    const client = await clientOf(w)
    const line = await w.instance({ external_ref: 'desk' })
    const since = '2026-01-01T00:00:00.000Z'
    const changes = async (who: Pick<Client, 'api'>) => {
      const { data, deleted } = (await who.api('GET', `/v1/instances?updated_since=${since}`)).body
      return { data: data.map(({ id }: any) => id), deleted: deleted.map(({ id }: any) => id) }
    }
    await transfer(w, line.id, client.id)
    expect(await changes(w)).toEqual({ data: [], deleted: [line.id] })
    expect(await changes(client)).toEqual({ data: [line.id], deleted: [] })
    await transfer(w, line.id, w.account.id)
    expect(await changes(w)).toEqual({ data: [line.id], deleted: [] })
    expect(await changes(client)).toEqual({ data: [], deleted: [line.id] })
  })

  test('is removed from every key of the old account, and a key without other instances then has access to none', async () => {
    const w = await worldOfTest()
    const client = await clientOf(w)
    const [line, other] = [await w.instance(), await w.instance()]
    const { key } = await w.key({ instances: [line.id] })
    await w.api('GET', '/v1/instances', undefined, { key })
    await transfer(w, line.id, client.id)
    expect((await w.api('GET', '/v1/me', undefined, { key })).body.allowed_instance_ids).toEqual([])
    expect((await w.api('GET', '/v1/instances', undefined, { key })).body).toEqual({ data: [], count: 0 })
    for (const { id } of [line, other])
      expect((await w.api('GET', `/v1/instances/${id}`, undefined, { key })).status).toBe(404)
  })

  test('loses its webhook, which belongs to the old owner', async () => {
    const w = await worldOfTest()
    const client = await clientOf(w)
    const line = await w.instance()
    await w.api('PUT', `/v1/instances/${line.id}/webhook`, { url: 'https://catcher.sandbox/own' })
    await transfer(w, line.id, client.id)
    expect((await client.api('GET', `/v1/instances/${line.id}/webhook`)).body.url).toBeNull()
  })

  test('needs a free slot and an unused external_ref in the new account; otherwise nothing changes', async () => {
    const w = await worldOfTest()
    const full = await clientOf(w, { slots_allocated: 0 })
    const client = await clientOf(w)
    await client.api('POST', '/v1/instances', { external_ref: 'desk' })
    const line = await w.instance({ external_ref: 'desk' })
    const mark = await w.mark()
    expect((await transfer(w, line.id, full.id)).body.error.code).toBe('no_free_slot')
    expect((await transfer(w, line.id, client.id)).body.error.code).toBe('external_ref_conflict')
    expect(await w.typesSince(mark)).toEqual([])
    expect((await w.api('GET', `/v1/instances/${line.id}`)).status).toBe(200)
    expect((await w.api('GET', '/v1/agency')).body.slots.used).toBe(11)
  })

  test('can be moved between clients only by their agency, and never to another agency', async () => {
    const w = await worldOfTest()
    const [one, other] = [await clientOf(w), await clientOf(w)]
    const { id } = (await one.api('POST', '/v1/instances', {})).body
    expect((await one.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: other.id })).status).toBe(404)
    expect((await other.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: other.id })).status).toBe(404)
    const stranger = await w.stranger()
    expect((await transfer(w, id, stranger.account.id)).body.error.code).toBe('not_found')
    expect((await transfer(w, id, other.id)).status).toBe(200)
  })
})

describe('the contacts of a transferred instance', () => {
  test('move along, are shared if another number knows them too, and their opt-outs apply in both accounts', async () => {
    const w = await worldOfTest()
    const client = await clientOf(w)
    const [line, stays] = [await w.pair('12025551111'), await w.pair('12025551112')]
    const say = (from: string, to: string, text: string) =>
      w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to, text })
    await say('12025552001', line.phone_number, 'Only to this one')
    await say('12025552002', line.phone_number, 'To both')
    await say('12025552002', stays.phone_number, 'To both')
    await say('12025552003', line.phone_number, 'STOP')
    await w.api('POST', '/v1/opt-outs', { phone: '12025552004', scope: line.id })
    await w.quiet()
    await transfer(w, line.id, client.id)
    const phones = async (who: Pick<Client, 'api'>) =>
      (await who.api('GET', '/v1/contacts')).body.data.map(({ phone }: any) => phone).toSorted()
    expect(await phones(w)).toEqual(['12025552002'])
    expect(await phones(client)).toEqual(['12025552001', '12025552002', '12025552003'])
    const outs = async (who: Pick<Client, 'api'>) =>
      (await who.api('GET', '/v1/opt-outs')).body.data.map(({ phone, scope }: any) => [phone, scope]).toSorted()
    expect(await outs(w)).toEqual([['12025552003', 'account']])
    expect(await outs(client)).toEqual([
      ['12025552003', line.id],
      ['12025552004', line.id],
    ])
  })
})

describe('a transfer during other activity', () => {
  test('loses, duplicates or misdirects no message, delivery or campaign message', async () => {
    const w = await worldOfTest({ settings: { sandboxTimelineMs: [50, 100, 200, 300] } })
    const client = await clientOf(w)
    const [line, other] = [await w.pair('12025551111'), await w.pair('12025551112')]
    await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/old', events: ['*'] })
    await client.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/new', events: ['*'] })
    const recipients = Array.from({ length: 30 }, (_, n) => ({ phone: `12025553${String(n).padStart(3, '0')}` }))
    const wish = {
      instance_ids: [line.id, other.id],
      name: 'C',
      messages: [{ text: 'Offer' }],
      recipients,
      start: true,
    }
    const { campaign_id: campaign } = (
      await w.api('POST', '/v1/campaigns', { ...wish, config: { minDelay: 0, maxDelay: 0 } })
    ).body
    const at = `/v1/instances/${line.id}/messages`
    const sends = Array.from({ length: 20 }, (_, n) =>
      w.api(
        'POST',
        at,
        { to: `12025554${String(n).padStart(3, '0')}`, text: `m${n}` },
        {
          headers: { 'idempotency-key': `k${n}` },
        },
      ),
    )
    const moving = transfer(w, line.id, client.id)
    await w.pass(2_000)
    const answers = await Promise.all(sends)
    expect((await moving).status).toBe(200)
    await w.pass(20_000)

    const accepted = answers.filter(({ status }) => status === 201)
    for (const [n, { status }] of answers.entries()) {
      const { data } = (await w.api('GET', `/v1/sandbox/phones/12025554${String(n).padStart(3, '0')}/messages`)).body
      expect(data, `send ${n}: ${status}`).toHaveLength(status === 201 ? 1 : 0)
    }
    expect([...new Set(answers.map(({ status }) => status))].toSorted()).toEqual(expect.arrayContaining([201]))
    const { counts, status } = (await w.api('GET', `/v1/campaigns/${campaign}`)).body as {
      status: string
      counts: Record<'sent' | 'failed' | 'skipped' | 'unknown', number>
    }
    expect([status, counts.sent + counts.failed + counts.skipped + counts.unknown]).toEqual(['completed', 30])
    for (const { phone } of recipients)
      expect((await w.api('GET', `/v1/sandbox/phones/${phone}/messages`)).body.data.length, phone).toBe(1)

    const caught = async (who: Pick<Client, 'api'>, name: string) =>
      (await who.api('GET', `/v1/sandbox/catcher/${name}?limit=200`)).body.data.map(({ body }: any) => JSON.parse(body))
    const [old, fresh] = [await caught(w, 'old'), await caught(client, 'new')]
    expect(new Set(old.map(({ account_id }: any) => account_id))).toEqual(new Set([w.account.id]))
    expect(new Set(fresh.map(({ account_id }: any) => account_id))).toEqual(new Set([client.id]))
    const ids = [...old, ...fresh].map(({ event_id }: any) => event_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(accepted.length).toBeGreaterThan(0)
    expect((await typesOf(w, client.id)).slice(0, 2)).toEqual(['instance.created', 'instance.connected'])

    // What was used is counted for whoever sent it.
    const rows = await w.rows<{ account_id: string; sent: number }>(
      `SELECT account_id, COUNT(sent_at) AS sent FROM messages WHERE direction = 'out' GROUP BY account_id`,
    )
    const used = await w.rows<{ account_id: string; sent: number }>(
      'SELECT account_id, SUM(sent) AS sent FROM usage_daily GROUP BY account_id HAVING SUM(sent) > 0',
    )
    expect(used).toEqual(rows.filter(({ sent }) => sent > 0))
  })
})
