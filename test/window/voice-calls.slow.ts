import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Calls of agents as a person makes, watches and cancels them. */
let w: ConsoleWindow
let page: Page
let instance: string
let agent: string

const [ANA, BUSY] = ['12025550123', '12025550486']
const soon = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 60_000 })
const hash = () => page.evaluate(() => location.hash)
const calls = async (query = '') =>
  (await w.api('GET', `/v1/instances/${instance}/voice/calls?limit=200${query}`)).body.data as {
    id: string
    status: string
    scheduled_at: string
    to_number: string
  }[]
const callTo = async (number: string) => {
  const body = { to_number: number, agent_id: agent }
  return (await w.api('POST', `/v1/instances/${instance}/voice/calls`, body)).body.id as string
}
const dialog = () => page.getByRole('dialog')

beforeAll(async () => {
  // People speak as fast as they do, so that there is time to listen.
  w = await openConsole({ SWITCHBOARD_SANDBOX_VOICE_SPEED: '1' })
  page = w.page
  instance = await pairedInstance(w.api, '12025550100', 'Bakery Luz')
  await w.api('POST', '/v1/contacts', { phone: ANA, name: 'Ana Souza' })
  const at = `/v1/instances/${instance}`
  agent = (await w.api('POST', `${at}/ai/agents`, { name: 'Reception', provider: 'builtin' })).body.id
})
afterAll(() => w.remove())

describe('an account without calls', () => {
  test('is told what they are, and is led to the set-up, or to the first call once voice is on', async () => {
    await w.open('/calls')
    await page.getByRole('heading', { name: 'Let an agent make your calls' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Set up voice' }).getAttribute('href')).toBe('#/voice')
    await w.api('POST', `/v1/instances/${instance}/voice/enable`)
    await w.open('/overview')
    await w.open('/calls')
    await page.getByRole('link', { name: 'Schedule a call', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Schedule calls' }).waitFor()
  })
})

describe('one call', () => {
  test('is not sent before every field is right', async () => {
    await w.open('/calls/schedule')
    await page.getByLabel('Phone number').fill('12')
    await page.getByRole('radio', { name: 'Later' }).click()
    await page.getByLabel('First call at').fill('2020-01-01T10:00')
    await page.getByRole('button', { name: 'Schedule call', exact: true }).click()
    await page.getByText('Enter a phone number with country code, for example +1 202 555 0123.').waitFor()
    await page.getByText('This time has passed. Choose a later one.').waitFor()
    expect(await calls()).toEqual([])
  })

  test('is made now, ends busy in plain words, and leads back to a filled form', async () => {
    await page.getByLabel('Phone number').fill('+1 202 555 0486')
    await page.getByRole('radio', { name: 'Now' }).click()
    await page.getByRole('button', { name: 'Call now' }).click()
    await page.getByRole('heading', { level: 1, name: 'Call with +1 202 555 0486' }).waitFor()
    await page.getByText('Busy', { exact: true }).waitFor()
    await page.getByText('Nobody answered.').waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: 'Reception' }).getAttribute('href'))
      .toBe(`#/agents/${instance}`)
    await page.getByRole('link', { name: 'Call again' }).click()
    await soon(() => page.getByLabel('Phone number').inputValue()).toBe('+1 202 555 0486')
    await soon(() => page.getByRole('combobox', { name: 'Agent' }).innerText()).toBe('Reception')
  })

  test('that does not exist is said to be gone', async () => {
    await w.open(`/calls/${instance}/00000000-0000-7000-8000-000000000000`)
    await page.getByRole('heading', { name: 'Call not found' }).waitFor()
  })
})

describe('a call that runs', () => {
  test('can be listened to without a microphone, and hung up after a question', async () => {
    const id = await callTo(ANA)
    await w.open('/calls')
    const live = page.getByRole('region', { name: 'Calls in progress' }).getByRole('listitem', { name: 'Ana Souza' })
    await live.getByRole('timer').waitFor()
    await live.getByRole('button', { name: 'Listen in' }).click()
    await live.getByText('You are listening. Your microphone is off, and nobody in the call can hear you.').waitFor()
    await live.getByRole('button', { name: 'Stop listening' }).click()
    await live.getByRole('button', { name: 'Listen in' }).waitFor()
    await live.getByRole('button', { name: 'Hang up' }).click()
    await dialog().getByText('The call with Ana Souza ends immediately.').waitFor()
    await dialog().getByRole('button', { name: 'Hang up' }).click()
    await live.waitFor({ state: 'detached' })
    const row = page.getByRole('row').filter({ hasText: 'Ana Souza' })
    await row.getByText('Hung up from this window.').waitFor()
    const { status, end_reason } = (await w.api('GET', `/v1/instances/${instance}/voice/calls/${id}`)).body
    expect({ status, end_reason }).toEqual({ status: 'completed', end_reason: 'operator_hung_up' })
    await row.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Call with Ana Souza' }).waitFor()
    await page.getByRole('heading', { name: 'Summary' }).waitFor()
    const { recording_id: recording } = (await w.api('GET', `/v1/instances/${instance}/voice/calls/${id}`)).body
    await expect
      .poll(() => page.getByRole('link', { name: 'Play recording' }).getAttribute('href'))
      .toBe(`#/recordings/${instance}/${recording}`)
  })

  test('the list is filtered, and the filters are in the address', async () => {
    await w.open('/calls')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Busy' }).click()
    await page.getByRole('row').filter({ hasText: '+1 202 555 0486' }).waitFor()
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Ana Souza' }).count()).toBe(0)
    expect(await hash()).toBe('#/calls?state=busy')
    await page.getByRole('combobox', { name: 'Direction' }).click()
    await page.getByRole('option', { name: 'Incoming', exact: true }).click()
    await page.getByRole('heading', { name: 'No calls match' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await page.getByRole('row').filter({ hasText: 'Ana Souza' }).waitFor()
    expect(await hash()).toBe('#/calls')
  })
})

describe('a batch', () => {
  const shown = (ms: number) =>
    page.evaluate(
      (at) =>
        new Intl.DateTimeFormat('en', {
          ...{ weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
        } as const).format(at),
      ms,
    )

  test('is previewed within the calling hours as the service then schedules it, and says who was skipped', async () => {
    const hours = { start: '09:00', end: '10:00', timezone: 'America/Sao_Paulo', days: [1, 3, 5] }
    await w.api('PATCH', `/v1/instances/${instance}/voice/settings`, { calling_hours: hours })
    await w.open(`/calls/schedule?instance=${instance}&mode=many`)
    await page
      .getByLabel('Paste phone numbers')
      .fill(['name;phone', 'Ana;+1 202 555 0701', 'Ben;+1 202 555 0702', 'Ben;12025550702', 'Cy;none'].join('\n'))
    await page.getByText('2 numbers to call').waitFor()
    await page.getByText('1 duplicate is skipped.').waitFor()
    await page.getByText('“none”').waitFor()
    await page.getByRole('radio', { name: 'Later' }).click()
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    await page.getByLabel('First call at').fill(`${tomorrow}T23:30`)
    await page.getByLabel('Time between calls').fill('1')
    await page.getByRole('combobox', { name: 'Unit' }).click()
    await page.getByRole('option', { name: 'hours' }).click()
    await page.getByText('Calls are made Mon, Wed, and Fri, 09:00–10:00 (America/Sao Paulo).').waitFor()
    await page.getByText('This time is outside the calling hours').waitFor()
    const preview = await page.getByRole('region', { name: 'Preview' }).getByRole('definition').allInnerTexts()
    await page.getByRole('button', { name: 'Schedule calls' }).click()
    await page.getByRole('heading', { name: '2 calls scheduled' }).waitFor()
    const made = (await calls('&status=scheduled')).map((each) => Date.parse(each.scheduled_at)).toSorted()
    expect(preview).toEqual(['2', await shown(made[0] ?? 0), await shown(made[1] ?? 0)])
    const skipped = page.getByRole('list', { name: 'Skipped entries' }).getByRole('listitem')
    await expect
      .poll(() => skipped.allInnerTexts())
      .toEqual([expect.stringMatching(/12025550702\s+Duplicate/), expect.stringMatching(/none\s+Not a phone number/)])
  })

  test('is planned by day, and its calls are canceled one by one or together', async () => {
    await page.getByRole('link', { name: 'View scheduled calls' }).click()
    await soon(hash).toBe('#/calls?tab=planned')
    const batches = page.getByRole('button', { name: 'Batch: 1 call' })
    await soon(() => batches.count()).toBe(2)
    await batches.first().click()
    await page.getByRole('button', { name: 'Cancel the call to +1 202 555 0701' }).click()
    await dialog().getByRole('button', { name: 'Cancel call' }).click()
    await soon(() => batches.count()).toBe(1)
    await page.getByRole('button', { name: 'Cancel batch' }).click()
    await dialog().getByText('1 call will be canceled.').waitFor()
    await dialog().getByRole('button', { name: 'Cancel batch' }).click()
    await page.getByRole('heading', { name: 'No scheduled calls' }).waitFor()
    expect(await calls('&status=scheduled')).toEqual([])
    expect((await calls('&status=canceled')).map((each) => each.to_number)).toEqual(['12025550702', '12025550701'])
  })
})

test('a chat leads to a call with the person', async () => {
  await w.api('POST', `/v1/sandbox/phones/${BUSY}/messages`, { to: '12025550100', text: 'Please call me.' })
  await w.open(`/messages/${instance}/${BUSY}`)
  const link = page.getByRole('link', { name: /^Call / })
  await expect.poll(() => link.getAttribute('href')).toBe(`#/softphone?instance=${instance}&to=${BUSY}`)
  expect(w.complaints.filter((each) => !/404/.test(each))).toEqual([])
})
