import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SendBody } from '../../main/capabilities/messages/contract.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

const [OURS, ANA, BEN] = ['12025550100', '12025550101', '12025550102']
let w: ConsoleWindow
let page: Page
let instance: string

const says = (text: string, more: object = {}) =>
  w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: OURS, text, ...more })
const thread = () => page.getByRole('log')
const field = () => page.getByRole('textbox', { name: 'Write a message' })
const quote = () => page.getByRole('group', { name: 'Replying to' })
/** What the window asks the service to send. */
async function sent(act: () => Promise<unknown>): Promise<SendBody> {
  const request = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/messages'))
  await act()
  return (await request).postDataJSON() as SendBody
}
async function reply(text: string): Promise<void> {
  const bubble = thread().getByText(text, { exact: true }).locator('xpath=ancestor::div[contains(@class,"group")][1]')
  await bubble.hover()
  await bubble.getByRole('button', { name: 'Reply' }).click()
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  await w.api('POST', '/v1/sandbox/phones', { number: BEN, name: 'Ben' })
  instance = await pairedInstance(w.api, OURS, 'Bakery Luz')
  await says('Do you have rye bread?')
  await says('And rolls?')
  await w.open(`/messages/${instance}/${ANA}`)
})
afterAll(() => w.remove())

describe('a reply', () => {
  test('shows the quoted message above the field, and Escape cancels the reply', async () => {
    await reply('Do you have rye bread?')
    await quote().getByText('Ana Souza').waitFor()
    expect(await field().evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await quote().waitFor({ state: 'detached' })
  })

  test('stays with its conversation while another conversation is open', async () => {
    await reply('Do you have rye bread?')
    await w.open(`/messages/${instance}/${BEN}`)
    await expect.poll(() => quote().count()).toBe(0)
    await w.open(`/messages/${instance}/${ANA}`)
    await quote().getByText('Do you have rye bread?').waitFor()
  })

  test('is sent with the quoted message, and shows the quote', async () => {
    await field().fill('Yes, until six.')
    const body = await sent(() => page.keyboard.press('Enter'))
    expect(body).toMatchObject({ to: ANA, text: 'Yes, until six.', quoted_message_id: expect.stringMatching(/^msg_/) })
    await quote().waitFor({ state: 'detached' })
    await thread().getByRole('button', { name: 'Ana Souza Do you have rye bread?' }).waitFor()
    await expect
      .poll(async () => (await w.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body.data[0]?.text)
      .toBe('Yes, until six.')
  })

  test('links to the quoted message, even if that is not loaded yet', async () => {
    for (let i = 0; i < 80; i++) await says(`Message ${i}`)
    const { data } = (await w.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body
    await says('About the bread', { quoted_message_id: data[0].id })
    await page.reload()
    await thread().getByText('About the bread').waitFor()
    await expect.poll(() => thread().getByText('Yes, until six.').count()).toBe(0)
    await thread().getByRole('button', { name: 'An earlier message' }).last().click()
    await thread().getByText('Yes, until six.').last().waitFor()
    await expect
      .poll(() => thread().getByRole('article').filter({ hasText: 'Yes, until six.' }).last().getAttribute('class'))
      .toContain('ring-2')
  })
})

describe('a mention in a group', () => {
  beforeAll(async () => {
    const made = await w.api('POST', `/v1/instances/${instance}/engine/smv2/group/create`, {
      name: 'Bread club',
      participants: [ANA, BEN],
    })
    const group = made.body.result.group.group_id
    await says('Hello everybody', { group })
    await w.open(`/messages/${instance}/${encodeURIComponent(group)}`)
    await page.getByRole('heading', { name: 'Bread club' }).waitFor()
  })

  test('is picked from the group members with the keyboard, and sent', async () => {
    await field().pressSequentially('Hi @an')
    await page.getByRole('option', { name: /^Ana Souza/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Mentions Ana Souza').waitFor()
    await expect.poll(() => field().inputValue()).toBe(`Hi @${ANA} `)
    await field().pressSequentially('and @')
    await page.getByRole('option').nth(1).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    const body = await sent(() => page.keyboard.press('Enter'))
    expect(body).toMatchObject({ text: `Hi @${ANA} and @${BEN}`, mentions: [ANA, BEN].toSorted() })
    // Ben has not written here, so nobody knows his name.
    await thread().getByText(`Hi @Ana Souza and @${BEN}`).last().waitFor()
  })

  test('keeps the reply when Escape closes the list', async () => {
    await reply('Hello everybody')
    await field().pressSequentially('@')
    await page.getByRole('listbox', { name: 'People in this group' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox', { name: 'People in this group' }).waitFor({ state: 'detached' })
    await expect.poll(() => quote().count()).toBe(1)
  })

  test('is not offered in a chat with one person', async () => {
    await w.open(`/messages/${instance}/${ANA}`)
    await field().pressSequentially('@')
    await w.settle()
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
  })
})
