import { describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { worldOfTest } from '../../support/world.ts'
import { campaign, campaignOf, expectCountsRight, phonesFrom, receivedBy, recipientsOf } from './campaign-world.ts'

const MINUTE = 60_000

describe('a campaign', () => {
  test('writes to everybody once, and counts the results', async () => {
    const w = await worldOfTest()
    const phones = [...phonesFrom(20), '12025550410', '12025550007', '12025550404', '12025550463']
    const id = await campaignOf(w, {
      ...{ instances: [await w.pair()], phones },
      config: { minDelay: 1, maxDelay: 3, stopOnErrorPercent: null, maxFailuresInRow: null },
    })
    await w.pass(2 * MINUTE)
    const { status, counts } = await campaign(w, id)
    expect(status).toBe('completed')
    expect(counts).toMatchObject({ total: 24, pending: 0, sent: 21, delivered: 20, failed: 2, skipped: 1 })
    await expectCountsRight(w, id)
    const got = await receivedBy(w)
    for (const phone of phones.slice(0, 20)) expect(got.get(phone), phone).toBe(1)
  })

  test('carries its id in the events of its messages, and nothing else happens', async () => {
    const w = await worldOfTest()
    const a = await w.pair()
    const mark = await w.mark()
    const id = await campaignOf(w, { instances: [a], phones: phonesFrom(1) })
    await w.pass(5_000)
    const events = await w.eventsSince(mark)
    expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered', 'message.read'])
    for (const { data } of events)
      expect(data).toMatchObject({ campaign_id: id, source: 'campaign', idempotency_key: `cmp:${id}:1` })
  })

  test('counts who replies, and who opts out', async () => {
    const w = await worldOfTest()
    const a = await w.pair()
    const [one = '', two = '', three = ''] = phonesFrom(3)
    const id = await campaignOf(w, { instances: [a], phones: [one, two, three] })
    await w.pass(5_000)
    await w.api('POST', `/v1/sandbox/phones/${one}/messages`, { to: a.phone_number, text: 'Thanks' })
    await w.api('POST', `/v1/sandbox/phones/${one}/messages`, { to: a.phone_number, text: 'Again' })
    await w.api('POST', `/v1/sandbox/phones/${two}/messages`, { to: a.phone_number, text: 'STOP' })
    await w.quiet()
    expect((await campaign(w, id)).counts).toMatchObject({ sent: 3, replied: 2, opted_out: 1 })
    await expectCountsRight(w, id)
    const replied = await w.api('GET', `/v1/campaigns/${id}/recipients?status=replied`)
    expect(replied.body.data.map(({ phone }: { phone: string }) => phone)).toEqual([one, two])
    expect((await w.api('GET', `/v1/campaigns/${id}`)).body.per_variation[0].replied).toBe(2)
  })

  test('names the contacts it creates, and keeps names that somebody gave', async () => {
    const w = await worldOfTest()
    const a = await w.pair()
    const [one = '', two = ''] = phonesFrom(2)
    await w.api('POST', '/v1/contacts', { phone: two, name: 'Mrs. Lima' })
    const recipients = [
      { phone: one, name: 'Ana Souza' },
      { phone: two, name: 'Davi Lima' },
    ]
    const config = { minDelay: 0, maxDelay: 0 }
    const body = { instance_ids: [a.id], name: 'Names', messages: [{ text: 'Hi' }], recipients, config, start: true }
    await w.api('POST', '/v1/campaigns', body)
    await w.pass(3_000)
    const nameOf = async (phone: string) => (await w.api('GET', `/v1/contacts/${phone}`)).body.name
    expect([await nameOf(one), await nameOf(two)]).toEqual(['Ana Souza', 'Mrs. Lima'])
    expect((await w.api('GET', '/v1/contacts?q=souza')).body.data).toHaveLength(1)
  })

  test('sends an approved template with the variables of each person', async () => {
    const w = await worldOfTest()
    const [official, phone] = [await w.official(), await w.pair()]
    const [ana = '', ben = ''] = phonesFrom(2)
    const parameters = [
      { type: 'text', text: '{{name|friend}}' },
      { type: 'text', text: '{{order}}' },
    ]
    const template = { name: 'order_update', language: { code: 'en' }, components: [{ type: 'body', parameters }] }
    const body = {
      ...{ instance_ids: [official.id], name: 'Orders', messages: [{ cloud_api: { type: 'template', template } }] },
      recipients: [
        { phone: ana, name: 'Ana', variables: { order: '1042' } },
        { phone: ben, variables: { order: '1043' } },
      ],
      config: { minDelay: 0, maxDelay: 0 },
      start: true,
    }
    const mixed = await w.api('POST', '/v1/campaigns', { ...body, instance_ids: [official.id, phone.id] })
    expect([mixed.status, mixed.body.error.code]).toEqual([400, 'engine_mismatch'])
    const { body: made } = await w.api('POST', '/v1/campaigns', body)
    await w.pass(5_000)
    expect(await campaign(w, made.campaign_id)).toMatchObject({ status: 'completed', counts: { sent: 2, failed: 0 } })
    const textOf = async (to: string) => JSON.stringify((await w.api('GET', `/v1/sandbox/phones/${to}/messages`)).body)
    expect(await textOf(ana)).toContain('1042')
    expect(await textOf(ana)).toContain('Ana')
    expect(await textOf(ben)).toContain('friend')
    expect(await textOf(ben)).not.toContain('{{')
    const stored = async (chat: string) => {
      const path = `/v1/instances/${official.id}/conversations/${chat}/messages`
      return (await asConsole(w)('GET', path)).body.data.map(({ text }: { text: string }) => text)
    }
    expect(await stored(ana)).toEqual(['Hello Ana, your order 1042 is on its way.'])
    expect(await stored(ben)).toEqual(['Hello friend, your order 1043 is on its way.'])
  })

  test('does not write to a person who opts out after it has started', async () => {
    const w = await worldOfTest()
    const a = await w.pair()
    const [one = '', two = ''] = phonesFrom(2)
    const id = await campaignOf(w, { instances: [a], phones: [one, two], config: { minDelay: 60, maxDelay: 60 } })
    await w.pass(5_000)
    await w.api('POST', '/v1/opt-outs', { phone: two })
    await w.pass(2 * MINUTE)
    expect((await recipientsOf(w, id)).map(({ status }) => status)).toEqual(['read', 'skipped'])
    expect((await receivedBy(w)).get(two)).toBeUndefined()
  })

  test('skips people that one of its numbers wrote to lately', async () => {
    const w = await worldOfTest()
    const [a, b] = [await w.pair(), await w.pair()]
    const [one = '', two = ''] = phonesFrom(2)
    await w.api('POST', `/v1/instances/${b.id}/messages`, { to: one, text: 'Your invoice' })
    const config = { minDelay: 0, maxDelay: 0, skipIfContactedHours: 24 }
    const id = await campaignOf(w, { instances: [a, b], phones: [one, two], config })
    await w.pass(5_000)
    const list = await w.api('GET', `/v1/campaigns/${id}/recipients`)
    expect(list.body.data.map((each: any) => [each.status, each.skip_reason])).toEqual([
      ['skipped', 'contacted'],
      ['read', null],
    ])
  })
})

describe('pause, resume and cancel', () => {
  test('stop and continue it; each is harmless when repeated', async () => {
    const w = await worldOfTest()
    const id = await campaignOf(w, {
      ...{ instances: [await w.pair()], phones: phonesFrom(10) },
      config: { minDelay: 10, maxDelay: 10 },
    })
    await w.pass(25_000)
    const act = async (verb: string) => {
      const { status, body } = await w.api('POST', `/v1/campaigns/${id}/${verb}`)
      return [status, body.status, body.pause_reason]
    }
    expect(await act('start')).toEqual([200, 'running', null])
    expect(await act('resume')).toEqual([200, 'running', null])
    expect(await act('pause')).toEqual([200, 'paused', 'user'])
    expect(await act('pause')).toEqual([200, 'paused', 'user'])
    const sent = Number((await campaign(w, id)).counts.sent)
    expect(sent).toBe(3)
    await w.pass(10 * MINUTE)
    expect((await campaign(w, id)).counts.sent).toBe(sent)
    expect(await act('resume')).toEqual([200, 'running', null])
    await w.pass(25_000)
    expect((await campaign(w, id)).counts.sent, 'at the normal pace').toBe(sent + 3)
    expect((await w.api('POST', `/v1/campaigns/${id}/cancel`)).body.error.code).toBe('confirmation_required')
    expect(await act('cancel?confirm=true')).toEqual([200, 'canceled', null])
    expect(await act('cancel?confirm=true')).toEqual([200, 'canceled', null])
    await w.pass(10 * MINUTE)
    expect((await campaign(w, id)).counts).toMatchObject({ sent: sent + 3, pending: 10 - sent - 3 })
    await expectCountsRight(w, id)
    for (const verb of ['start', 'pause', 'resume'])
      expect((await w.api('POST', `/v1/campaigns/${id}/${verb}`)).body.error.code, verb).toBe('invalid_state')
  })

  test('are refused in states they do not fit', async () => {
    const w = await worldOfTest()
    const a = await w.pair()
    const code = async (id: string, verb: string) =>
      (await w.api('POST', `/v1/campaigns/${id}/${verb}`)).body.error?.code ?? 'ok'
    const draft = await campaignOf(w, { instances: [a], phones: phonesFrom(1), start: false })
    expect([await code(draft, 'pause'), await code(draft, 'resume')]).toEqual(['invalid_state', 'invalid_state'])
    const done = await campaignOf(w, { instances: [a], phones: phonesFrom(1) })
    await w.pass(5_000)
    for (const verb of ['start', 'pause', 'resume', 'cancel?confirm=true'])
      expect(await code(done, verb), verb).toBe('invalid_state')
    expect((await w.api('DELETE', `/v1/campaigns/${done}`)).body.error.code).toBe('invalid_state')
    expect((await w.api('DELETE', `/v1/campaigns/${draft}`)).status).toBe(204)
    expect((await w.api('GET', `/v1/campaigns/${draft}`)).status).toBe(404)
  })
})

describe('its numbers', () => {
  test('without a connected one it waits, and continues when one connects', async () => {
    const w = await worldOfTest()
    const a = await w.instance()
    const id = await campaignOf(w, { instances: [a], phones: phonesFrom(2) })
    expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'no_instance' })
    const { body } = await w.api('GET', `/v1/instances/${a.id}/qr`)
    await w.api('POST', '/v1/sandbox/phones/12025550777/scan', { pairing_code: body.pairing_code })
    await w.pass(10_000)
    expect(await campaign(w, id)).toMatchObject({ status: 'completed', counts: { sent: 2 } })
  })

  test('without one for 24 hours it fails', async () => {
    const w = await worldOfTest()
    const id = await campaignOf(w, { instances: [await w.instance()], phones: phonesFrom(2) })
    w.clock.suspend(23 * 3_600_000)
    await w.pass(10_000)
    expect((await campaign(w, id)).status).toBe('paused')
    w.clock.suspend(3_600_000)
    await w.pass(10_000)
    expect(await campaign(w, id)).toMatchObject({ status: 'failed', pause_reason: null })
  })

  test('one that leaves passes its share to the others, and each person gets one message', async () => {
    const w = await worldOfTest()
    const [a, b] = [await w.pair(), await w.pair()]
    const phones = phonesFrom(30)
    const id = await campaignOf(w, { instances: [a, b], phones, config: { minDelay: 2, maxDelay: 4 } })
    await w.pass(20_000)
    await w.api('POST', `/v1/instances/${b.id}/disconnect`, { logout: false })
    await w.pass(3 * MINUTE)
    expect((await campaign(w, id)).status).toBe('completed')
    const got = await receivedBy(w)
    expect(phones.map((phone) => got.get(phone))).toEqual(phones.map(() => 1))
    await expectCountsRight(w, id)
  })

  test('a restricted one writes to people it knows, and the others take the rest', async () => {
    const w = await worldOfTest()
    const [a, b] = [await w.pair(), await w.pair()]
    const phones = phonesFrom(12)
    const known = phones.slice(0, 6)
    for (const phone of known)
      await w.api('POST', `/v1/sandbox/phones/${phone}/messages`, { to: a.phone_number, text: 'Hello' })
    await w.quiet()
    await w.api('POST', `/v1/instances/${a.id}/messages`, { to: '12025550463', text: 'Hi' })
    const id = await campaignOf(w, { instances: [a, b], phones, config: { minDelay: 1, maxDelay: 1 } })
    await w.pass(20_000)
    expect((await campaign(w, id)).counts).toMatchObject({ sent: 12, failed: 0 })
    const byA = (await recipientsOf(w, id)).filter(({ instance }) => instance === a.id)
    expect(byA.length).toBeGreaterThan(0)
    for (const { phone } of byA) expect(known).toContain(phone)
  })

  test('when all are restricted and no known people are left, it pauses until the restriction ends', async () => {
    const w = await worldOfTest()
    const a = await w.pair()
    await w.api('POST', `/v1/instances/${a.id}/messages`, { to: '12025550463', text: 'Hi' })
    const id = await campaignOf(w, { instances: [a], phones: phonesFrom(3), config: { minDelay: 1, maxDelay: 1 } })
    await w.pass(5_000)
    expect(await campaign(w, id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restricted',
      counts: { pending: 3 },
    })
    expect((await campaign(w, id)).per_instance[0]).toMatchObject({ state: 'restricted' })
    await w.pass(70_000)
    expect(await campaign(w, id)).toMatchObject({ status: 'completed', counts: { sent: 3 } })
  })
})

describe('errors', () => {
  test('too many in a row pause it, and resuming starts a new count', async () => {
    const w = await worldOfTest()
    const bad = Array.from({ length: 8 }, (_each, i) => `1202${556 + i}0410`)
    const id = await campaignOf(w, {
      ...{ instances: [await w.pair()], phones: [...bad, ...phonesFrom(5)] },
      config: { minDelay: 1, maxDelay: 1, maxFailuresInRow: 5, stopOnErrorPercent: null },
    })
    await w.pass(30_000)
    expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'error_threshold' })
    const failed = (await campaign(w, id)).counts.failed
    expect(failed).toBe(5)
    await w.api('POST', `/v1/campaigns/${id}/resume`)
    await w.pass(30_000)
    expect(await campaign(w, id)).toMatchObject({ status: 'completed', counts: { failed: 8, sent: 5 } })
  })

  test('that leave nothing sent are retried, and given up after three attempts', async () => {
    const w = await worldOfTest()
    const [good = ''] = phonesFrom(1)
    const id = await campaignOf(w, {
      ...{ instances: [await w.pair()], phones: ['12025550502', good] },
      config: { minDelay: 0, maxDelay: 0, checkNumbers: false },
    })
    await w.pass(2 * MINUTE)
    const list = await w.api('GET', `/v1/campaigns/${id}/recipients`)
    expect(list.body.data.map((each: any) => [each.status, each.error?.code])).toEqual([
      ['failed', 'upstream_unavailable'],
      ['read', undefined],
    ])
    await expectCountsRight(w, id)
  })

  test('an unknown outcome stays unknown, is never sent again, and becomes sent by a later receipt', async () => {
    const w = await worldOfTest()
    const id = await campaignOf(w, { instances: [await w.pair()], phones: ['12025550504'] })
    await w.pass(21_500)
    expect(await campaign(w, id)).toMatchObject({ status: 'completed', counts: { unknown: 1, sent: 0 } })
    await w.pass(30_000)
    expect(await campaign(w, id)).toMatchObject({ status: 'completed', counts: { unknown: 0, sent: 1 } })
    expect((await receivedBy(w)).get('12025550504')).toBe(1)
    await expectCountsRight(w, id)
  })
})

test('with one number restricted, one dropped and one logged out, each person gets one message', async () => {
  const w = await worldOfTest()
  const [a, b, c] = [await w.pair(), await w.pair(), await w.pair()]
  const phones = phonesFrom(60)
  const id = await campaignOf(w, {
    ...{ instances: [a, b, c], phones },
    config: { minDelay: 1, maxDelay: 3, maxFailuresInRow: null, stopOnErrorPercent: null },
  })
  await w.pass(5_000)
  await w.api('POST', `/v1/sandbox/instances/${a.id}/faults`, { kind: 'restricted', times: 1 })
  await w.pass(4_000)
  await w.api('POST', `/v1/sandbox/instances/${b.id}/faults`, { kind: 'drop' })
  await w.pass(4_000)
  await w.api('POST', `/v1/sandbox/instances/${c.id}/faults`, { kind: 'logout' })
  await w.pass(3 * MINUTE)
  const { status, counts, per_instance: lines } = await campaign(w, id)
  expect(status).toBe('completed')
  // The one whose message was refused with 463 is never tried again.
  expect(counts).toMatchObject({ total: 60, sent: 59, failed: 1, pending: 0 })
  expect(lines.find((line: any) => line.instance_id === c.id).state).toBe('disconnected')
  const got = await receivedBy(w)
  const failed = (await recipientsOf(w, id)).find((each) => each.status === 'failed')?.phone
  for (const phone of phones) expect(got.get(phone) ?? 0, phone).toBe(phone === failed ? 0 : 1)
  await expectCountsRight(w, id)
})
