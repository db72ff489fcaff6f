import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** The microphone of this Chromium beeps once a second, and nobody has to allow it. */
const FLAGS = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
const OURS = '12025550100'
const CALLER = '12025550177'
const SOON = { timeout: 60_000 }

let w: ConsoleWindow
let page: Page
let instance: string

beforeAll(async () => {
  w = await openConsole({}, undefined, FLAGS)
  page = w.page
  instance = await pairedInstance(w.api, OURS, 'Front desk')
  expect((await w.api('POST', `/v1/instances/${instance}/voice/enable`)).status).toBe(200)
  await w.api('POST', '/v1/sandbox/phones', { number: CALLER, name: 'Rita Lopes' })
})
afterAll(() => w.remove())

const incoming = () => page.getByRole('alert', { name: 'Incoming call' })
/** Of the call; the service has a light of the same name in the sidebar. */
const connected = () => page.getByRole('main').getByText('In call', { exact: true }).first()
const newest = async () => (await w.api('GET', `/v1/instances/${instance}/voice/calls`)).body.data[0]
const ring = async () => (await w.api('POST', `/v1/sandbox/phones/${CALLER}/calls`, { to: OURS })).body

test('a call rings above every screen and is in the list of calls; declining ends it', async () => {
  await w.open('/settings')
  await ring()
  await incoming().getByText('Front desk').waitFor(SOON)
  expect(await brokenRules(page)).toEqual([])
  await w.open('/calls')
  await page.getByText('Ringing').first().waitFor(SOON)
  await incoming().getByRole('button', { name: 'Decline' }).click()
  await incoming().waitFor({ state: 'detached', timeout: 60_000 })
  await expect.poll(async () => (await newest()).status).toBe('rejected')
})

test('answering connects this window, and the caller can hang up', async () => {
  const { call_id } = await ring()
  await incoming().getByRole('button', { name: 'Answer' }).click(SOON)
  await connected().waitFor(SOON)
  await expect.poll(async () => (await newest()).status).toBe('in_progress')
  await expect.poll(() => incoming().count()).toBe(0)
  const hungUp = await w.api('POST', `/v1/sandbox/phones/${CALLER}/calls/${call_id}/hang-up`)
  expect(hungUp.status).toBe(204)
  await expect.poll(async () => (await newest()).end_reason).toBe('person_hung_up')
  await connected().waitFor({ state: 'detached', timeout: 60_000 })
})

test('the simulated phone calls from its page, and gives up', async () => {
  await w.open(`/sandbox/phones/${CALLER}`)
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText(/^Ringing at/).waitFor(SOON)
  await incoming().waitFor(SOON)
  await page.getByRole('region', { name: 'Rita Lopes' }).getByRole('button', { name: 'Hang up' }).click()
  await incoming().waitFor({ state: 'detached', timeout: 60_000 })
  await expect.poll(async () => (await newest()).status).toBe('no_answer')
  await expect.poll(() => page.getByText(/^Ringing at/).count()).toBe(0)
  expect(await brokenRules(page)).toEqual([])
})

test('a call of ours rings at the page of a simulated phone, which declines, answers and hangs up', async () => {
  const agent = await w.api('POST', `/v1/instances/${instance}/ai/agents`, { name: 'Ana', provider: 'builtin' })
  const call = () =>
    w.api('POST', `/v1/instances/${instance}/voice/calls`, { to_number: CALLER, agent_id: agent.body.id })
  await w.open(`/sandbox/phones/${CALLER}`)
  await page.getByRole('button', { name: 'Behavior' }).click()
  await page.getByRole('radio', { name: 'Ring until you answer' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await call()).status).toBe(201)
  const phone = page.getByRole('region', { name: 'Rita Lopes' })
  await phone.getByText(/^Incoming call from/).waitFor(SOON)
  expect(await brokenRules(page)).toEqual([])
  await phone.getByRole('button', { name: 'Decline' }).click()
  await expect.poll(async () => (await newest()).status, SOON).toBe('rejected')
  await phone.getByText(/^Incoming call from/).waitFor({ state: 'detached', timeout: 60_000 })
  await call()
  await phone.getByRole('button', { name: 'Answer' }).click(SOON)
  await phone.getByText(/^Connected with/).waitFor(SOON)
  await phone.getByRole('button', { name: 'Hang up' }).click()
  await expect.poll(async () => (await newest()).status, SOON).toBe('completed')
  expect((await newest()).end_reason).toBe('person_hung_up')
  await expect.poll(() => phone.getByText(/^Connected with/).count()).toBe(0)
})
