import { expect, test } from 'vitest'
import { assistantOf } from '../capabilities/approvals/assistant.ts'
import { phonesFrom } from '../capabilities/campaigns/campaign-world.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'
import { asConsole } from '../support/console.ts'
import { jumpingClock } from '../support/jumping-clock.ts'
import { worldOfTest, type World } from '../support/world.ts'

const PEOPLE = phonesFrom(6)

/** Begins work of each kind that waits for something. */
async function beginEverything(w: World): Promise<{ campaign: string }> {
  const must = async (method: string, path: string, body?: object, headers = {}) => {
    const answer = await w.api(method, path, body, { headers })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  const [line, sender, agentLine, unpaired] = [await w.pair(), await w.pair(), await w.pair(), await w.instance()]
  const of = `/v1/instances/${line.id}`
  // Deliveries that fail and are tried again.
  await must('PUT', '/v1/sandbox/catcher/down', { status: 503 })
  await must('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/down', events: ['*'] })
  await must('PUT', `${of}/webhook`, { url: 'https://catcher.sandbox/down', events: ['ALL'] })
  await must('PUT', `${of}/crm-webhook`, { url: 'https://catcher.sandbox/down' })
  for (const to of PEOPLE)
    await must('POST', `${of}/messages`, { to, text: 'Hello' }, { 'idempotency-key': `hello ${to}` })
  await must('POST', `/v1/sandbox/phones/${PEOPLE[0]}/messages`, { to: line.phone_number, text: 'For the CRM' })
  const { campaign_id: campaign } = await must('POST', '/v1/campaigns', {
    ...{ instance_ids: [sender.id], name: 'Offer', messages: [{ text: 'Hello' }], start: true },
    recipients: PEOPLE.map((phone) => ({ phone })),
    config: { minDelay: 10, maxDelay: 10, checkNumbers: false },
  })
  const ai = `/v1/instances/${agentLine.id}/ai`
  await must('POST', `${ai}/faq`, { question: 'When are you open?', answer: '8 to 6' })
  await must('POST', `${ai}/agents`, { name: 'Reception', provider: 'builtin' })
  await must('PATCH', `${ai}/settings`, { enabled: true, debounce_seconds: 3, timezone: 'UTC' })
  await must('PATCH', `${ai}/follow-up`, { enabled: true, max_followups: 2, delays_minutes: [30, 600] })
  for (const phone of PEOPLE.slice(0, 3))
    await must('POST', `/v1/sandbox/phones/${phone}/messages`, {
      to: agentLine.phone_number,
      text: 'When are you open?',
    })
  await must('POST', `${ai}/conversations/${PEOPLE[0]}/pause`, { minutes: 60 })
  await must('POST', `${of}/voice/enable`)
  const { id: agent } = await must('POST', `${of}/ai/agents`, { name: 'Caller', provider: 'builtin' })
  await must('POST', `${of}/voice/calls/batch`, { numbers: PEOPLE, agent_id: agent, interval_seconds: 20 })
  await must('PUT', '/v1/sandbox/billing/card', { number: '4242424242424242' })
  await must('POST', '/v1/billing/purchases', { product: 'slots', tier: '1' }, { 'idempotency-key': 'slots' })
  await must('POST', `${of}/access-links`, {})
  expect((await asConsole(w)('POST', '/v1/members', { name: 'Ana', email: 'ana@example.com' })).status).toBe(201)
  await must('GET', `/v1/instances/${unpaired.id}/qr`)
  const assistant = await assistantOf(w, 'destructive', 'modern')
  await assistant.callAndWait('delete_instance', { instance_id: unpaired.id })
  return { campaign }
}

/** What is not done yet although its time has come. */
async function unfinished(w: World): Promise<object> {
  const count = async (text: string) => (await w.rows<{ n: number }>(text))[0]?.n
  return {
    messages: await count("SELECT COUNT(*) AS n FROM messages WHERE status = 'queued'"),
    signals: await count('SELECT COUNT(*) AS n FROM sandbox_timeline WHERE due_at IS NOT NULL'),
    turns: await count('SELECT COUNT(*) AS n FROM ai_turns WHERE ended_at IS NULL'),
    calls: await count("SELECT COUNT(*) AS n FROM voice_calls WHERE status = 'scheduled'"),
    orders: await count("SELECT COUNT(*) AS n FROM billing_orders WHERE status = 'processing'"),
  }
}

async function passRealTime(clock: FakeClock, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await clock.advance(1_000)
    // Some of it answers over sockets.
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
}

test.each([
  ['first', 0],
  ['second', 1],
])(
  'work of every kind goes on when the clock is set between its commits, beginning with the %s',
  async (_, skipped) => {
    const clock = fakeClock()
    const jumping = jumpingClock(clock, skipped)
    const w = await worldOfTest({
      ...{ clock, observeStorage: jumping.observe, settings: { sandboxTimelineMs: [0, 1_000, 2_000, 3_000] } },
    })
    jumping.start()
    const { campaign } = await beginEverything(w)
    await passRealTime(clock, 150)
    jumping.stop()
    await passRealTime(clock, 30)
    expect(jumping.jumps()).toBeGreaterThan(100)
    expect(Object.fromEntries(jumping.parked)).toEqual({})
    expect(await unfinished(w)).toEqual({ messages: 0, signals: 0, turns: 0, calls: 0, orders: 0 })
    expect((await w.api('GET', `/v1/campaigns/${campaign}`)).body.status).toBe('completed')
  },
)
