import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { outOfReach } from '../support/reach.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

const [OURS, ANA, BEN, EVA] = ['12025550100', '12025550101', '12025550102', '12025550103'] as const
/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env.CONSENT_PICTURES
let w: ConsoleWindow
let page: Page
let instance: string

const says = async (number: string, text: string) => {
  await w.api('POST', `/v1/sandbox/phones/${number}/messages`, { to: OURS, text })
}
const optOutsOf = async (phone: string) => (await w.api('GET', `/v1/opt-outs?phone=${phone}`)).body.data
const strip = () => page.getByRole('group', { name: 'Possible opt-out' })
const optedOut = () => page.getByText('Opted out: campaigns and follow-ups skip this person. You can still answer.')
const openChat = (number: string) => w.open(`/messages/${instance}/${number}`)

async function inLightAndDark(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await w.settle()
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` })
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  await w.api('POST', '/v1/sandbox/phones', { number: BEN, name: 'Ben' })
  await w.api('POST', '/v1/sandbox/phones', { number: EVA, name: 'Eva' })
  instance = await pairedInstance(w.api, OURS, 'Bakery Luz')
  for (let i = 1; i <= 80; i++) await says(EVA, `Order ${i}`)
  await says(BEN, 'Doy de baja la pauta?')
  await says(ANA, 'Cancelar')
})
afterAll(() => w.remove())

describe('a message that may be an opt-out', () => {
  test('is marked in the list, and its chat asks for a decision', async () => {
    await openChat(ANA)
    await strip().getByText('Are they asking you to stop campaigns?').waitFor()
    await strip().getByText('“Cancelar”').waitFor()
    const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'Ben' })
    await row.getByRole('img', { name: 'May be asking to opt out' }).waitFor()
    await inLightAndDark('question')
  })

  test('stops campaigns to this person when it is confirmed, and the person can still be answered', async () => {
    await strip().getByRole('button', { name: 'Stop campaigns' }).click()
    await strip().waitFor({ state: 'detached' })
    await optedOut().waitFor()
    expect(await optOutsOf(ANA)).toMatchObject([{ source: 'person', scope: 'account', note: 'Cancelar' }])
    await page.getByRole('textbox', { name: 'Write a message' }).fill('No more offers. Your order stays as it is.')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('No more offers.').waitFor()
    await inLightAndDark('opted-out')
  })

  test('changes nothing when it is dismissed', async () => {
    await openChat(BEN)
    await strip().getByRole('button', { name: 'It meant something else' }).click()
    await strip().waitFor({ state: 'detached' })
    await expect.poll(() => optedOut().count()).toBe(0)
    expect(await optOutsOf(BEN)).toEqual([])
    await says(BEN, 'doy de baja la pauta')
    await page.getByRole('log').getByText('doy de baja la pauta', { exact: true }).waitFor()
    await expect.poll(() => strip().count()).toBe(0)
  })

  test('appears and disappears while the chat is open', async () => {
    await says(BEN, 'Remover')
    await strip().getByText('“Remover”').waitFor()
    await says(BEN, 'Sair, por favor')
    await optedOut().waitFor()
    await expect.poll(() => strip().count()).toBe(0)
  })
})

describe('the opt-out screen', () => {
  test('says who decided, and links to the message', async () => {
    await says(EVA, 'STOP')
    for (let i = 81; i <= 160; i++) await says(EVA, `Order ${i}`)
    await w.open('/opt-outs')
    const row = (phone: string) => page.getByRole('row').filter({ hasText: phone })
    await row('555 0101').getByText('Your team').filter({ visible: true }).waitFor()
    await row('555 0103').getByText('Their message').filter({ visible: true }).waitFor()
    await page.getByText('Campaigns and follow-ups skip these people. Agents and people still answer them.').waitFor()
    await inLightAndDark('list')
    await row('555 0103').getByRole('link', { name: 'Show message' }).filter({ visible: true }).click()
    await page.getByRole('log').getByText('STOP', { exact: true }).waitFor()
    await inLightAndDark('message')
    expect(page.url()).toContain(`/messages/${instance}/${EVA}`)
  })

  test('lists open decisions, with links to the chats', async () => {
    await w.api('DELETE', `/v1/opt-outs/${BEN}`)
    await says(BEN, 'Excluir')
    await w.open('/opt-outs?tab=questions')
    await page.getByText('“Excluir”').waitFor()
    await inLightAndDark('to-decide')
    await page.getByRole('link', { name: /Open the chat with/ }).click()
    await strip().getByText('“Excluir”').waitFor()
    await expect.poll(() => page.getByText('This message is no longer here').count()).toBe(0)
  })

  test('shows the three kinds of opt-out words, and the buttons', async () => {
    await w.open('/opt-outs?tab=words')
    await page.getByRole('form', { name: 'Portuguese' }).getByText('CANCELAR').waitFor()
    await inLightAndDark('words')
    const form = page.getByRole('form', { name: 'Buttons that opt out' })
    await form.getByRole('textbox').fill('No more offers')
    await page.keyboard.press('Enter')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('form', { name: 'Buttons that opt out' }).getByText('No more offers').waitFor()
    await inLightAndDark('buttons')
  })
})

test.each(['light', 'dark'] as const)('the opt-out screens meet the accessibility rules: %s', async (colorScheme) => {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  for (const place of [
    `/messages/${instance}/${BEN}`,
    `/messages/${instance}/${ANA}`,
    '/opt-outs',
    '/opt-outs?tab=questions',
  ]) {
    await w.open(place)
    await page.waitForTimeout(300)
    expect([place, await brokenRules(page), await outOfReach(page)]).toEqual([place, [], []])
  }
})

test('the page logged no errors, and no link led to a missing message', async () => {
  expect(w.complaints).toEqual([])
  await expect.poll(() => page.getByText('This message is no longer here').count()).toBe(0)
})
