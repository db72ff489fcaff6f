import { expect, test } from 'vitest'
import { campaign, campaignOf, phonesFrom, recipientsOf } from '../campaigns/campaign-world.ts'
import { asConsole } from '../../support/console.ts'
import { ledgerOf, totalsBy } from './month-ledger.ts'
import { expectOk, monthWorld, type MonthPortfolio, type MonthWorld } from './month-world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (day: number, hour: number) => Date.UTC(2026, 10, day, hour)
const template = (name: string, code: string) => ({
  cloud_api: { type: 'template', template: { name, language: { code } } },
})
const UTILITY = template('hello_world', 'en_US')
const OFFER = template('offer', 'en')
const SWIFT = { minDelay: 0, maxDelay: 0, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
/** Slow enough to be caught in the middle. */
const PACED = { ...SWIFT, minDelay: 1, maxDelay: 1 }
const ROUTINE_PEOPLE = 16
const CAUGHT_PEOPLE = 40

test(
  'in a simulated month of one agency, nothing is sent while on hold, everything resumes once, and costs match the ledger',
  { timeout: 280_000 },
  async () => {
    const m = await monthWorld(at(1, 6))
    const { w, graph } = m
    const [a, b] = [await agencyPortfolio(m, 1, 'TIER_2K'), await agencyPortfolio(m, 2, 'TIER_2K')]
    const c = await m.portfolio(3, 8, { limit: 'TIER_2K', isClient: true })
    const d = await m.portfolio(4, 8, { limit: 'TIER_25', isClient: true })
    const e = await m.portfolio(5, 8, { limit: 'TIER_2K', isClient: true })
    const portfolios = [a, b, c, d, e]
    await setMarketingRates(m)
    const offers = new Map<MonthPortfolio, string>()
    for (const each of portfolios) offers.set(each, await approvedOffer(m, each))
    await agentOn(c)
    const people = createPeople()
    const campaigns: { id: string; owner: MonthPortfolio }[] = []
    const campaignByPerson = new Map<string, string>()

    async function start(owner: MonthPortfolio, phones: readonly string[], message: object, config: object = SWIFT) {
      const asked = { instances: owner.numbers, phones, messages: [message], config }
      const id = await campaignOf({ ...w, api: owner.api }, asked)
      for (const phone of phones) campaignByPerson.set(phone, id)
      campaigns.push({ id, owner })
      return id
    }
    const stateOf = async (owner: MonthPortfolio, id: string) => campaign({ ...w, api: owner.api }, id)

    /** Customers write, one of them after a click on an ad, and are answered. */
    async function answers(owner: MonthPortfolio, day: number) {
      const line = owner.numbers[day % owner.numbers.length]!
      for (const [index, person] of people.customers(3).entries()) {
        const ad = index === 0 ? { referral: { source_type: 'ad', source_id: `ad_${day}` } } : {}
        expectOk(
          await owner.api('POST', `/v1/sandbox/phones/${person}/messages`, { to: line.number, text: 'Hi', ...ad }),
        )
        await m.rest()
        for (const text of ['Hello', 'How can we help?'])
          expectOk(await owner.api('POST', `/v1/instances/${line.id}/messages`, { to: person, text }))
      }
      await m.rest()
    }

    async function routine(day: number) {
      const owner = portfolios[day % portfolios.length]!
      const phones = people.next(ROUTINE_PEOPLE)
      // One phone is off until the next morning.
      expectOk(await owner.api('PATCH', `/v1/sandbox/phones/${phones[0]}`, { online: false }))
      const id = await start(owner, phones, day % 2 === 0 ? UTILITY : OFFER)
      await m.pass(10)
      expect(await stateOf(owner, id)).toMatchObject({ status: 'completed', counts: { sent: ROUTINE_PEOPLE } })
      await answers(owner, day)
      await m.sleepUntil(at(day, 20))
      await m.sleepUntil(at(day + 1, 6))
      expectOk(await owner.api('PATCH', `/v1/sandbox/phones/${phones[0]}`, { online: true }))
      await m.pass(2)
    }

    /** A campaign that something stops in the middle. */
    async function caught(
      owner: MonthPortfolio,
      message: object,
      stop: () => unknown,
      phones = people.next(CAUGHT_PEOPLE),
    ) {
      const id = await start(owner, phones, message, PACED)
      await m.pass(2)
      const { sent } = (await stateOf(owner, id)).counts
      expect(sent).toBeGreaterThan(0)
      await stop()
      await m.pass(5)
      const held = await stateOf(owner, id)
      expect(held.status).toBe('paused')
      return { id, held, phones, mark: m.attempts.length }
    }
    const attemptsSince = (mark: number, { numbers }: MonthPortfolio) =>
      m.attempts.slice(mark).filter(({ phoneNumberId }) => numbers.some((one) => one.phoneNumberId === phoneNumberId))
    async function expectCompleted(owner: MonthPortfolio, id: string, total: number) {
      const done = await stateOf(owner, id)
      expect(done).toMatchObject({
        status: 'completed',
        counts: { total, sent: total, failed: 0, skipped: 0, unknown: 0 },
      })
    }

    async function cardExpires(owner: MonthPortfolio, day: number, how: 'answer' | 'status') {
      const [line] = owner.numbers
      const { id, held, mark } = await caught(owner, UTILITY, () => graph.expireCard(line!.phoneNumberId, how))
      expect(held).toMatchObject({ pause_reason: 'payment', counts: { failed: 0 } })
      await hours(m, 2)
      const asking = people.customers(1)[0]!
      const question = { to: line!.number, text: 'Are you open today?' }
      expectOk(await owner.api('POST', `/v1/sandbox/phones/${asking}/messages`, question))
      await m.pass(60)
      expect(attemptsSince(mark, owner)).toEqual([])
      graph.replaceCard(line!.phoneNumberId)
      expectOk(await owner.api('POST', `/v1/campaigns/${id}/resume`))
      await m.pass(90)
      await expectCompleted(owner, id, CAUGHT_PEOPLE)
      const { data } = expectOk(await owner.api('GET', `/v1/sandbox/phones/${asking}/messages`))
      expect(data.filter(({ text }: { text: string }) => text === 'Until six.')).toHaveLength(1)
      await m.sleepUntil(at(day + 1, 6))
    }

    async function templatePauses(owner: MonthPortfolio, day: number, title: 'FIRST_PAUSE' | 'SECOND_PAUSE') {
      const [line] = owner.numbers
      let endsAtMs = 0
      const { id, held, mark } = await caught(owner, OFFER, async () => {
        endsAtMs = await graph.templates(line!.phoneNumberId).pause(offers.get(owner)!, title)
      })
      expect(held).toMatchObject({ pause_reason: 'template', next_send_at: new Date(endsAtMs).toISOString() })
      expect(endsAtMs - w.clock.now()).toBeGreaterThan((title === 'FIRST_PAUSE' ? 3 : 6) * HOUR - 60_000)
      await hours(m, (endsAtMs - w.clock.now()) / HOUR - 0.01)
      expect(attemptsSince(mark, owner)).toEqual([])
      await m.pass(90)
      await expectCompleted(owner, id, CAUGHT_PEOPLE)
      await m.sleepUntil(at(day + 1, 6))
    }

    async function limitRises(owner: MonthPortfolio, day: number) {
      const [line] = owner.numbers
      const phones = people.next(CAUGHT_PEOPLE)
      const id = await start(owner, phones, UTILITY, PACED)
      await m.pass(30)
      expect(await stateOf(owner, id)).toMatchObject({
        pause_reason: 'messaging_limit',
        counts: { sent: 25, failed: 0 },
      })
      const mark = m.attempts.length
      await hours(m, 3)
      expect(attemptsSince(mark, owner)).toEqual([])
      await graph.limit(line!.phoneNumberId, 'TIER_2K')
      await m.pass(90)
      await expectCompleted(owner, id, CAUGHT_PEOPLE)
      await m.sleepUntil(at(day + 1, 6))
    }

    async function restricted(owner: MonthPortfolio, day: number) {
      const [line] = owner.numbers
      const untilMs = w.clock.now() + 24 * HOUR
      const restriction = { type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', untilMs }
      const { id, held, mark } = await caught(owner, UTILITY, () => graph.restrict(line!.phoneNumberId, [restriction]))
      expect(held).toMatchObject({ pause_reason: 'restricted', counts: { failed: 0 } })
      await hours(m, 1)
      expect(attemptsSince(mark, owner)).toEqual([])
      await answers(owner, day)
      await m.sleepUntil(untilMs - HOUR)
      await hours(m, 0.95)
      expect((await stateOf(owner, id)).counts.sent).toBe(held.counts.sent)
      await hours(m, 1.1)
      await m.pass(60)
      await expectCompleted(owner, id, CAUGHT_PEOPLE)
      await m.sleepUntil(at(day + 2, 6))
    }

    for (let day = 1; day <= 30; day++) {
      await m.sleepUntil(at(day, 6))
      if (day === 6) await cardExpires(c, day, 'answer')
      else if (day === 9) await cardExpires(c, day, 'status')
      else if (day === 12) await templatePauses(b, day, 'FIRST_PAUSE')
      else if (day === 14) await templatePauses(b, day, 'SECOND_PAUSE')
      else if (day === 18) await limitRises(d, day)
      else if (day === 23) await restricted(e, day)
      else if (day !== 24) await routine(day)
      await m.sent()
    }

    const rows = await m.sent()
    const heard = Map.groupBy(
      rows.filter(({ isTemplate }) => isTemplate === 1),
      ({ recipient }) => recipient,
    )
    for (const { id } of campaigns)
      for (const { phone } of await recipientsOf(w, id)) expect([phone, heard.get(phone)?.length]).toEqual([phone, 1])
    const ledger = ledgerOf(rows, portfolios, campaignByPerson)
    // The last phone that was off is reached in December.
    expect(new Set(ledger.map(({ day }) => day)).has('2026-12-01')).toBe(true)
    await expectCosts(m, portfolios, ledger)
  },
)

const agencyPortfolio = (m: MonthWorld, index: number, limit: string) =>
  m.portfolio(index, 8, { limit, isClient: false })

/** The computer is on for the first minutes and for the last. */
async function hours(m: MonthWorld, count: number): Promise<void> {
  const endMs = m.w.clock.now() + count * HOUR
  await minutes(m, 5)
  await m.sleepUntil(endMs - 5 * MINUTE)
  await minutes(m, (endMs - m.w.clock.now()) / MINUTE)
}

async function minutes(m: MonthWorld, count: number): Promise<void> {
  const endMs = m.w.clock.now() + count * MINUTE
  while (m.w.clock.now() < endMs) {
    await m.w.clock.advance(Math.min(20_000, endMs - m.w.clock.now()))
    await m.rest()
  }
}

async function setMarketingRates({ w }: MonthWorld): Promise<void> {
  const rate = { category: 'marketing', valid_from: '2026-10-01', source: 'Rate card of the agency' }
  for (const [country, currency, amount_micros] of [
    ['US', 'usd', 25_000],
    ['IN', 'inr', 880_000],
  ] as const) {
    const set = await asConsole(w)('PUT', '/v1/message-rates', { ...rate, country, currency, amount_micros })
    expect(set.status).toBe(200)
  }
}

async function approvedOffer(m: MonthWorld, { numbers: [line], api }: MonthPortfolio): Promise<string> {
  const components = [{ type: 'BODY', text: 'The garden is open again.' }]
  const draft = { name: 'offer', language: 'en', category: 'MARKETING', components }
  const { id } = expectOk(await api('POST', `/v1/instances/${line!.id}/templates`, draft))
  await m.pass(2)
  expect((await api('GET', `/v1/instances/${line!.id}/templates/${id}`)).body.status).toBe('APPROVED')
  return id
}

async function agentOn({ numbers: [line], api }: MonthPortfolio): Promise<void> {
  const ai = async (method: string, path: string, body: object) =>
    expectOk(await api(method, `/v1/instances/${line!.id}/ai/${path}`, body))
  await ai('POST', 'faq', { question: 'Are you open today?', answer: 'Until six.' })
  await ai('POST', 'agents', { name: 'Agent', provider: 'builtin' })
  await ai('PATCH', 'settings', { enabled: true, debounce_seconds: 1 })
}

/** Everybody is written to by one campaign only. */
function createPeople() {
  const countries = [12_025_700_000, 919_812_300_000, 447_400_123_000, 33_612_300_000]
  let used = 0
  let customers = 0
  return {
    next(count: number): readonly string[] {
      const share = count / countries.length
      const phones = countries.flatMap((first) => phonesFrom(share, first + used))
      // Some numbers are left out because of their meaning at the simulated network.
      used += count
      return phones
    },
    customers(count: number): readonly string[] {
      customers += count
      return phonesFrom(count, 12_025_800_000 + customers * 10)
    },
  }
}

const GROUPS = ['instance', 'account', 'business', 'campaign', 'day', 'category'] as const

async function expectCosts(
  { w }: MonthWorld,
  portfolios: readonly MonthPortfolio[],
  ledger: ReturnType<typeof ledgerOf>,
): Promise<void> {
  const clients = portfolios.filter(({ accountId }) => accountId !== w.account.id)
  // Without an account, the agency sees its own messages and those of its clients.
  const agency: MonthPortfolio['api'] = (...call) => w.api(...call)
  const readers = [{ api: agency, accountId: null }, ...clients]
  for (const month of ['2026-11', '2026-12'])
    for (const { api, accountId } of readers)
      for (const group of GROUPS) {
        const own = ledger.filter((one) => one.day.startsWith(month) && (accountId ?? one.account) === one.account)
        const query = `group=${group}&from=${month}-01&to=${month}-30`
        const { data } = expectOk(await api('GET', `/v1/usage/costs?${query}`))
        expect(linesOf(data), `${month} ${accountId} ${group}`).toEqual(totalsBy(own, group))
      }
}

function linesOf(data: readonly any[]): Record<string, unknown> {
  return Object.fromEntries(
    data.map(({ key, messages, free, allowance, billable, unpriced, costs }) => [
      key,
      {
        ...{ messages, free, allowance, billable, unpriced },
        costs: Object.fromEntries(costs.map(({ currency, amount_micros }: any) => [currency, amount_micros])),
      },
    ]),
  )
}
