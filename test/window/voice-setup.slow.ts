import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Voice of a number, from switching it on to a widget that a visitor uses. */
let w: ConsoleWindow
let page: Page
let instance: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  instance = await pairedInstance(w.api, '12025550100', 'Bakery Luz')
  await w.api('POST', `/v1/instances/${instance}/ai/agents`, { name: 'Reception', provider: 'builtin' })
})
afterAll(() => w.remove())

const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
const voice = async () => (await w.api('GET', `/v1/instances/${instance}/voice`)).body
const widgets = async () => (await w.api('GET', `/v1/instances/${instance}/voice/widgets`)).body.data

test('voice is enabled in one click', async () => {
  await w.open('/voice')
  await button('Turn on voice for Bakery Luz').click()
  await page.getByText('50 free calls left').waitFor()
  expect((await voice()).enabled).toBe(true)
})

test('what is changed is saved, and can be undone', async () => {
  await page.getByRole('link', { name: 'Bakery Luz' }).click()
  await page.getByRole('textbox', { name: 'Announcement' }).fill('This call is recorded.')
  await page.getByRole('switch', { name: /^Add three notes/ }).click()
  await button('Save').click()
  await button('Undo').waitFor()
  expect((await voice()).settings).toMatchObject({ announcement: 'This call is recorded.', coach_enabled: true })
  await button('Undo').click()
  await expect.poll(async () => (await voice()).settings.announcement).toBeNull()
})

test('the test of the set-up says what works and why not', async () => {
  await button('Test').click()
  for (const name of ['Voice process', 'Calling', 'Speech', 'Agent', 'Recording', 'Email'])
    await page.getByRole('status', { name: 'Test my setup' }).getByText(name, { exact: false }).first().waitFor()
  await page.getByText('Calls are simulated: a simulated person answers.').waitFor()
  await page.getByText('Summaries are only kept on this computer.', { exact: false }).waitFor()
  expect(await brokenRules(page)).toEqual([])
})

test('a trunk with faults says which, and its password is never shown again', async () => {
  await button('Set up a trunk').click()
  await button('Save').click()
  await page.getByText('Enter a host, such as sip.example.com.').waitFor()
  await page.getByRole('textbox', { name: 'Host' }).fill('sip.example.com')
  await page.getByRole('textbox', { name: 'User' }).fill('luz')
  await page.getByLabel('Password').fill('a secret of the trunk')
  await button('Save').click()
  await page.getByText('sip.example.com:5061').waitFor()
  expect(await page.content()).not.toContain('a secret of the trunk')
  await button('Remove trunk').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove trunk' }).click()
  await button('Set up a trunk').waitFor()
})

test('a stored key of the speech services can be removed', async () => {
  const speech = {
    brain: 'realtime',
    realtime_url: 'wss://speech.example.com/v1/realtime?model=a',
    api_key: 'sk-of-speech',
  }
  const saved = await page.evaluate(
    async (body) =>
      (
        await fetch('/panel/v1/voice/speech', {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json(),
    speech,
  )
  expect(saved).toMatchObject({ brain: 'realtime', key_configured: true })
  await w.open('/voice?tab=speech')
  await button('Remove key').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove key' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Remove key' }).waitFor({ state: 'hidden' })
})

test('a widget is made for a page; an address that is none is put right', async () => {
  await w.open(`/voice/${instance}/widgets`)
  await button('New widget').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Website')
  const origins = page.getByRole('dialog').getByPlaceholder('https://www.example.com')
  await origins.fill('http://shop.example.com')
  await origins.press('Enter')
  await page.getByText('http://shop.example.com is not encrypted.', { exact: false }).waitFor()
  await button('Use https://shop.example.com').click()
  await button('Create widget').click()
  await page.getByText('Paste this into your page', { exact: false }).waitFor()
  expect(await widgets()).toMatchObject([{ name: 'Website', allowed_origins: ['https://shop.example.com'] }])
})

test('its preview is what visitors see, in the language that is chosen', async () => {
  const pageLanguage = page.getByRole('combobox', { name: 'Language of the page' })
  for (const [language, words] of [
    ['Portuguese', 'Fale conosco'],
    ['English', 'Talk to us'],
  ] as const) {
    await pageLanguage.click()
    await page.getByRole('option', { name: `Page: ${language}` }).click()
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    await page.getByText(words, { exact: true }).waitFor()
  }
  await page.getByRole('combobox', { name: 'Language', exact: true }).click()
  await page.getByRole('option', { name: 'Spanish' }).click()
  await page.getByRole('listbox').waitFor({ state: 'hidden' })
  await page.getByText('Hable con nosotros', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Button text' }).fill('Call the bakery')
  await page.getByText('Call the bakery', { exact: true }).waitFor()
  expect(await brokenRules(page)).toEqual([])
  await button('Save').click()
  await button('Undo').waitFor()
  expect((await widgets())[0].appearance).toMatchObject({ language: 'es', title: 'Call the bakery' })
})

test('its test page shows the real widget', async () => {
  const [test] = await Promise.all([w.context.waitForEvent('page'), button('Open test page').click()])
  await test.getByRole('button', { name: 'Call the bakery' }).waitFor()
  expect(await brokenRules(test)).toEqual([])
  await test.close()
})

test('it is deleted after a question', async () => {
  await button('Delete widget').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete widget' }).click()
  await page.getByText('No widgets yet').waitFor()
  expect(await widgets()).toEqual([])
})
