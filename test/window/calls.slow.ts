import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

const [OURS, ANA] = ['12025550100', '12025550101']
let w: ConsoleWindow
let page: Page
let instance: string

const card = () => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Calls', exact: true }) })
const settings = async () => (await w.api('GET', `/v1/instances/${instance}/call-settings`)).body as unknown
const SUGGESTION = 'We can’t take calls on this number. Please send us a message instead.'

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  instance = await pairedInstance(w.api, OURS, 'Bakery Luz')
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  await w.open(`/instances/${instance}?tab=settings`)
})
afterAll(() => w.remove())

describe('the call settings of a number', () => {
  test('reject calls with a text once saved, and the caller receives the text', async () => {
    await card().getByRole('radio', { name: 'Reject automatically' }).click()
    await expect
      .poll(() => card().getByRole('textbox', { name: 'Message to the caller' }).inputValue())
      .toBe(SUGGESTION)
    expect(await settings()).toEqual({ reject: false, message: null })
    await card().getByRole('textbox').fill('Please write to us.')
    await card().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Call settings saved').first().waitFor()
    await card().getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await settings()).toEqual({ reject: true, message: 'Please write to us.' })
    await w.api('POST', `/v1/sandbox/phones/${ANA}/calls`, { to: OURS })
    await expect
      .poll(async () => (await w.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body.data[0]?.text)
      .toBe('Please write to us.')
  })

  test('can be undone', async () => {
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await expect.poll(settings).toEqual({ reject: false, message: null })
    await expect.poll(() => card().getByRole('radio', { name: 'Let the phone ring' }).isChecked()).toBe(true)
  })

  test('show changes made through the API, unless the form has unsaved changes', async () => {
    const change = (body: object) => w.api('PATCH', `/v1/instances/${instance}/call-settings`, body)
    await change({ reject: true, message: 'From a program' })
    await expect.poll(() => card().getByRole('textbox').inputValue()).toBe('From a program')
    await card().getByRole('textbox').fill('Being written')
    await change({ message: 'Another' })
    await w.settle()
    await expect.poll(() => card().getByRole('textbox').inputValue()).toBe('Being written')
    await card().getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => card().getByRole('textbox').inputValue()).toBe('Another')
  })

  test('are not shown for an official number, which does not support them', async () => {
    const official = (await w.api('POST', '/v1/instances', { name: 'Studio Norte', engine: 'official' })).body.id
    await w.open(`/instances/${official}?tab=settings`)
    await page.getByRole('heading', { name: 'Webhook of this number' }).waitFor()
    await expect.poll(() => card().count()).toBe(0)
  })
})
