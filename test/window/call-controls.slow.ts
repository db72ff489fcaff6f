import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { exchange, type ExchangeCall } from '../voice/sip-exchange.ts'

/** The microphone of this Chromium beeps once a second, and nobody has to allow it. */
const FLAGS = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
const PERSON = '12025550161'

let w: ConsoleWindow
let page: Page
let instance: string
/** Of the restart. */
let complaints: number

const button = (name: string) => page.getByRole('button', { name, exact: true })
const card = () => page.getByRole('region', { name: 'Call', exact: true })
const newest = async () => (await w.api('GET', `/v1/instances/${instance}/voice/calls`)).body.data[0]

/** As the window does it. */
const inWindow = (method: string, path: string, body?: object) =>
  page.evaluate(
    async ([how, where, what]) => {
      const headers = { accept: 'application/json', 'content-type': 'application/json' }
      return (await fetch(`/panel${where}`, { method: how, headers, ...(what && { body: what }) })).status
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  )

/** A call of this window over a trunk, which somebody has answered. */
async function talking(options: Partial<Parameters<typeof exchange>[0]> = {}): Promise<ExchangeCall> {
  const office = await exchange({ transport: 'tcp', formats: '0 101', ...options })
  const trunk = { host: '127.0.0.1', port: office.port, transport: 'tcp', username: '1001', password: 'right' }
  expect(await inWindow('PUT', `/v1/instances/${instance}/voice/trunk`, trunk)).toBe(200)
  await office.registered()
  await w.open('/settings')
  await w.open(`/softphone?instance=${instance}&to=${PERSON}`)
  await button('Call').click()
  const call = await office.nextCall()
  await card().getByText('In call').waitFor()
  return call
}

async function hangUp(): Promise<void> {
  await button('Hang up').click()
  await expect.poll(async () => (await newest()).ended_at).not.toBeNull()
}

beforeAll(async () => {
  const settings = { SWITCHBOARD_NETWORK: 'live', SWITCHBOARD_OFFICIAL_GRAPH_BASE_URL: 'sandbox' }
  w = await openConsole(settings, undefined, FLAGS)
  page = w.page
  // Trunks of tests are on loopback.
  w.home.write({ 'egress.trusted_ranges': ['127.0.0.0/8'] })
  await w.restart()
  const { number: _, ...credentials } = (await w.api('POST', '/v1/sandbox/graph/numbers', { number: '12025550200' }))
    .body
  const made = (await w.api('POST', '/v1/instances', { engine: 'official', network: 'live', name: 'Front desk' })).body
  const form = new URLSearchParams({ ...credentials, pin: '123456' })
  await fetch(new URL(new URL(made.onboarding_url).pathname, w.url), { method: 'POST', body: form })
  instance = made.id
  expect((await w.api('POST', `/v1/instances/${instance}/voice/enable`)).status).toBe(200)
  await page.reload()
  complaints = w.complaints.length
})
afterAll(() => w.remove())

test('a call can be held and resumed, including from other screens', async () => {
  const call = await talking()
  expect(await brokenRules(page)).toEqual([])
  await button('Hold').click()
  await card().getByText('On hold').waitFor()
  await card().getByText('They hear silence, and you don’t hear them.').waitFor()
  expect((await newest()).held_at).not.toBeNull()
  expect(call.changes.directions()).toEqual(['sendonly'])
  expect(await brokenRules(page)).toEqual([])
  await w.open('/calls')
  await page.getByRole('listitem').getByText('On hold').waitFor()
  await page.getByRole('region', { name: 'Call', exact: true }).getByText('On hold').waitFor()
  await w.open('/softphone')
  await button('Resume').click()
  await card().getByText('In call').waitFor()
  expect(call.changes.directions()).toEqual(['sendonly', 'sendrecv'])
  await hangUp()
})

test('when the trunk refuses a hold, the error is shown and the call continues', async () => {
  await talking({ onReinvite: () => 488 })
  await button('Hold').click()
  await page.getByText('Your SIP trunk refused this (status 488)').first().waitFor()
  await card().getByText('In call').waitFor()
  await button('Hold').waitFor()
  await hangUp()
})

test('keypad digits can be clicked or typed, and arrive in order', async () => {
  const call = await talking()
  await button('Keypad').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('12#')
  await button('Key 4').click()
  await button('Key *').press('Enter')
  await page.keyboard.type('0')
  const pad = page.getByRole('group', { name: 'Keypad' })
  await pad.getByText('12#4*0', { exact: true }).waitFor()
  await expect.poll(() => call.phone.heard.keys.map(({ key }) => key).join('')).toBe('12#4*0')
  expect(await brokenRules(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  const box = await button('Key #').boundingBox()
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 800 })
  await button('Hold').click()
  await page.getByText('Resume the call before you press keys.').waitFor()
  await expect.poll(() => button('Key 4').isDisabled()).toBe(true)
  await hangUp()
})

test('keypad digits that the other side does not accept cause an error, and are not shown as pressed', async () => {
  await talking({ formats: '0' })
  await button('Keypad').click()
  await button('Key 7').click()
  await page.getByText('The other side of this call takes no keys.').first().waitFor()
  expect((await page.getByRole('group', { name: 'Keypad' }).getByRole('status').textContent())?.trim()).toBe('')
  await hangUp()
})

test('a transfer keeps the typed number, says why it failed, and ends the call once it is complete', async () => {
  const call = await talking()
  await button('Transfer').click()
  const to = page.getByRole('textbox', { name: 'Transfer to' })
  await to.fill('reception')
  await button('Transfer call').click()
  await page.getByText('Enter a phone number with country code').waitFor()
  await to.fill('+1 202 555 0177')
  await w.open('/calls')
  await w.open('/softphone')
  await expect.poll(() => to.inputValue()).toBe('+1 202 555 0177')
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 800 })
  await to.press('Enter')
  await card().getByText('Transferring to +1 202 555 0177…').waitFor()
  await expect.poll(() => button('Transfer call').isDisabled()).toBe(true)
  expect(await brokenRules(page)).toEqual([])
  await call.notify('SIP/2.0 486 Busy Here')
  await card().getByText('Not transferred to +1 202 555 0177').waitFor()
  await card().getByText('The number is busy. The call continues.').waitFor()
  expect(await brokenRules(page)).toEqual([])
  await to.fill('+1 202 555 0178')
  await button('Transfer call').click()
  await card().getByText('Transferring to +1 202 555 0178…').waitFor()
  await call.notify('SIP/2.0 200 OK')
  await page.getByText('The call was transferred.').waitFor()
  await page.getByText('You are no longer in the call with +1 202 555 0178.').waitFor()
  expect(await newest()).toMatchObject({ end_reason: 'transferred', transfer: { status: 'completed' } })
  await w.open(`/calls/${instance}/${(await newest()).id}`)
  await page.getByText('Transferred to').waitFor()
  expect(await brokenRules(page)).toEqual([])
})

test('a call by an agent can be held and transferred from the list of calls', async () => {
  const office = await exchange({ transport: 'tcp', formats: '0 101' })
  const trunk = { host: '127.0.0.1', port: office.port, transport: 'tcp', username: '1001', password: 'right' }
  expect(await inWindow('PUT', `/v1/instances/${instance}/voice/trunk`, trunk)).toBe(200)
  await office.registered()
  const agents = `/v1/instances/${instance}/ai/agents`
  const { id: agent_id } = (await w.api('POST', agents, { name: 'Caller', provider: 'builtin' })).body
  const made = await w.api('POST', `/v1/instances/${instance}/voice/calls`, { to_number: PERSON, agent_id })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const call = await office.nextCall()
  await w.open('/calls')
  const row = page.getByRole('region', { name: 'Calls in progress' }).getByRole('listitem')
  await row.getByRole('button', { name: 'Hold' }).click()
  await row.getByText('On hold').waitFor()
  expect(call.changes.directions()).toEqual(['sendonly'])
  await row.getByRole('button', { name: 'Resume' }).click()
  await row.getByRole('button', { name: 'Hold' }).waitFor()
  await row.getByRole('button', { name: 'Transfer', exact: true }).click()
  const to = row.getByRole('textbox', { name: 'Transfer to' })
  await to.fill('reception')
  await to.press('Enter')
  await row.getByText('Enter a phone number with country code').waitFor()
  await to.fill('+1 202 555 0177')
  expect(await brokenRules(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 800 })
  await to.press('Enter')
  await row.getByText('Being transferred').waitFor()
  await call.notify('SIP/2.0 200 OK')
  await expect.poll(async () => (await newest()).end_reason).toBe('transferred')
})

test('a call that does not use a trunk says that hold, keypad and transfer are unavailable', async () => {
  expect(await inWindow('DELETE', `/v1/instances/${instance}/voice/trunk`)).toBe(204)
  const simulated = (await w.api('POST', '/v1/instances', { name: 'Simulated', network: 'sandbox' })).body
  const { pairing_code } = (await w.api('GET', `/v1/instances/${simulated.id}/qr`)).body
  await w.api('POST', '/v1/sandbox/phones', { number: '12025550300', name: 'Luz' })
  await w.api('POST', '/v1/sandbox/phones/12025550300/scan', { pairing_code })
  await w.api('POST', `/v1/instances/${simulated.id}/voice/enable`)
  await w.open('/settings')
  await w.open(`/softphone?instance=${simulated.id}&to=${PERSON}`)
  await button('Call').click()
  await card().getByText('In call').waitFor()
  await card().getByText('Hold, keypad and transfer are only available in telephone calls over a SIP trunk.').waitFor()
  await expect.poll(() => button('Hold').count()).toBe(0)
  await button('Hang up').click()
  expect(w.complaints.slice(complaints).filter((each) => !/status of 4\d\d/.test(each))).toEqual([])
})
