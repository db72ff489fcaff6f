import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world } from '../../support/world.ts'
import { campaignBench } from './campaign-bench.ts'
import { campaign, campaignOf, phonesFrom } from './campaign-world.ts'

const SWIFT = { minDelay: 0, maxDelay: 0, checkNumbers: false, window: null, pauseAfter: null, typing: false } as const
const HOUR = 3_600_000

describe('a campaign whose portfolio has used its messaging limit', () => {
  let b: Awaited<ReturnType<typeof campaignBench>>
  afterEach(() => b.close())

  test('is held, says until when, and continues automatically', async () => {
    b = await campaignBench({ network: 'live', engine: 'official' })
    const lines = [b.line('one'), b.line('two')]
    const untilMs = b.clock.now() + HOUR
    const budget = { left: 3, untilMs }
    b.share(lines, budget)
    const id = await b.create(lines, phonesFrom(8), SWIFT)
    await b.pass(20)
    expect(await b.get(id)).toMatchObject({
      ...{ status: 'paused', pause_reason: 'messaging_limit', next_send_at: new Date(untilMs).toISOString() },
      counts: { sent: 3, pending: 5, failed: 0 },
    })
    await b.restart()
    await b.pass(60)
    expect(await b.get(id)).toMatchObject({ status: 'paused', pause_reason: 'messaging_limit' })
    await b.pass((untilMs - b.clock.now()) / 1_000 - 5)
    expect(b.sent).toHaveLength(3)
    Object.assign(budget, { left: 2, untilMs: untilMs + HOUR })
    await b.pass(75)
    expect(await b.get(id)).toMatchObject({ status: 'paused', counts: { sent: 5, pending: 3 } })
    budget.left = 10
    await b.pass(3_700)
    expect(await b.get(id)).toMatchObject({ status: 'completed', pause_reason: null, counts: { sent: 8, failed: 0 } })
    expect(new Set(b.sent.map(({ to }) => to)).size).toBe(8)
  })

  test('continues within a minute if Meta raises the limit', async () => {
    b = await campaignBench({ network: 'live', engine: 'official' })
    const budget = { left: 1, untilMs: b.clock.now() + 20 * HOUR }
    const one = b.line('one')
    b.share([one], budget)
    const id = await b.create([one], phonesFrom(3), SWIFT)
    await b.pass(20)
    expect((await b.get(id)).pause_reason).toBe('messaging_limit')
    budget.left = 100
    await b.pass(65)
    expect((await b.get(id)).status).toBe('completed')
  })

  test('continues from numbers of another portfolio, which take over all waiting recipients', async () => {
    b = await campaignBench({ network: 'live', engine: 'official' })
    const [one, two, three] = [b.line('one'), b.line('two'), b.line('three')]
    b.share([one, two], { left: 2, untilMs: b.clock.now() + 20 * HOUR })
    b.share([three], { left: 100, untilMs: 0 })
    const id = await b.create([one, two, three], phonesFrom(40), SWIFT)
    await b.pass(200)
    expect(await b.get(id)).toMatchObject({ status: 'completed', counts: { sent: 40, failed: 0, skipped: 0 } })
    expect(b.sent.filter(({ instanceId }) => instanceId !== three)).toHaveLength(2)
  })

  test('can be paused and canceled by a person meanwhile', async () => {
    b = await campaignBench({ network: 'live', engine: 'official' })
    const one = b.line('one')
    b.share([one], { left: 1, untilMs: b.clock.now() + HOUR })
    const id = await b.create([one], phonesFrom(3), SWIFT)
    await b.pass(20)
    await b.act('pause', id)
    expect(await b.get(id)).toMatchObject({ status: 'paused', pause_reason: 'user' })
    await b.act('resume', id)
    await b.pass(65)
    expect((await b.get(id)).pause_reason).toBe('messaging_limit')
    await b.act('cancel', id)
    await b.pass(2)
    expect(await b.get(id)).toMatchObject({ status: 'canceled', counts: { sent: 1 } })
  })
})

test('two numbers of a portfolio at Meta share its limit: in the campaign, its preview and their safety', async () => {
  const w = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
  try {
    const first = await officialNumber(w, '12025550441', { messaging_limit: 'TIER_3' })
    const second = await officialNumber(w, '12025550442', { portfolio_id: first.portfolioId })
    const instances = [first, second]
    const phones = ['12025550161', '12025550162', '12025550163', '12025550164', '12025550165']
    const messages = [
      { cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } } },
    ]
    const people = phones.map((phone) => ({ phone }))
    const limitOf = async ({ id }: { id: string }) =>
      (await w.api('GET', `/v1/instances/${id}/safety`)).body.messaging_limit
    for (const each of instances)
      await until('the limit', async () => (await limitOf(each)).portfolio_id === first.portfolioId)

    const preview = await w.api('POST', '/v1/campaigns/preview', {
      ...{ instance_ids: instances.map(({ id }) => id), messages, recipients: people, config: SWIFT },
    })
    const risks = preview.body.risks.filter(({ code }: { code: string }) => code === 'messaging_limit')
    expect(risks).toMatchObject([{ severity: 'warning', params: { count: 5, left: 3, limit: 3 } }])
    expect(preview.body.duration_seconds).toBeGreaterThan(0)

    const id = await campaignOf(w, { instances, phones, messages, config: SWIFT })
    await until('held', async () => (await campaign(w, id)).pause_reason === 'messaging_limit')
    const held = await campaign(w, id)
    expect(held.counts).toMatchObject({ sent: 3, pending: 2, failed: 0 })
    const waitMs = Date.parse(held.next_send_at) - systemClock.now()
    expect(waitMs).toBeGreaterThan(24 * HOUR - 60_000)
    expect(waitMs).toBeLessThan(24 * HOUR + 60_000)
    for (const each of instances)
      expect(await limitOf(each)).toMatchObject({ tier: 'TIER_3', limit: 3, used: 3, source: 'number' })
    // What is sent over the API is not held back here. Meta refuses it.
    const sent = await w.api('POST', `/v1/instances/${second.id}/messages`, { to: '12025550166', ...messages[0] })
    expect([sent.status, (await limitOf(first)).used]).toEqual([409, 3])
  } finally {
    await w.close()
  }
})
