import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleOf } from '../../main/engines/sandbox/media.ts'
import { brokenRules } from '../support/axe.ts'
import { keyboardOf, type Keyboard } from '../support/keyboard.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** A template with cards: written, changed, sent from the Inbox and in a campaign, and tapped on a phone. */

/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env.CAROUSEL_PICTURES
const [OURS, ANA] = ['12025550200', '12025550101']
const LINKS = ['https://luz.example/rose.png', 'https://luz.example/tulip.png']
let w: ConsoleWindow
let page: Page
let keys: Keyboard
let instance: string

const item = (name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
const dialog = () => page.getByRole('dialog')
const thread = () => page.getByRole('log')
const card = (n: number) => dialog().getByRole('group', { name: `Card ${n}`, exact: true })
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
const choose = (n: number) => press(`Card ${n}`)
const submit = () => press('Submit for review')
const templates = async () => (await w.api('GET', `/v1/instances/${instance}/templates`)).body.data as any[]
const cardsOf = async () => (await templates()).find(({ name }) => name === 'new_products').components[1].cards as any[]

/** @param end of the file, so that it is another one. */
async function upload(end = ''): Promise<void> {
  const { bytes, name, mimeType } = sampleOf('image')
  await dialog()
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType, buffer: Buffer.concat([bytes, Buffer.from(end)]) })
  await dialog().getByText('image.png').waitFor()
}

/** At the widths of a phone, a tablet and a computer. */
async function picture(name: string, last?: () => Promise<void>): Promise<void> {
  if (!PICTURES) return
  for (const width of [390, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await last?.()
    await w.settle()
    await page.screenshot({ path: `${PICTURES}/${name}-${width}.png` })
  }
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  keys = keyboardOf(page)
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  instance = (await w.api('POST', '/v1/instances', { engine: 'official', name: 'Bakery Luz' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${instance}/onboard`, { number: OURS })
  await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: OURS, text: 'What is new?' })
})
afterAll(() => w.remove())

test('carousel cards are written, each with its file, and incomplete cards are marked', async () => {
  await w.open(`/instances/${instance}?tab=templates`)
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog().getByRole('combobox', { name: 'Start with' }).click()
  await page.getByRole('option', { name: 'Products on cards' }).click()
  await press('Add answer to all cards')
  expect(await dialog().getByRole('button', { name: 'Add answer to all cards' }).count()).toBe(0)
  const asked = w.asked.length
  await submit()
  await dialog().getByText('Some cards aren’t complete.').waitFor()
  await card(1).getByText('Upload the file of this card.').waitFor()
  expect(w.asked.slice(asked)).toEqual([])
  for (const [n, words] of [
    [1, 'Roses from {{1}} dollars.'],
    [2, 'Tulips from {{1}} dollars.'],
  ] as const) {
    await choose(n)
    await upload()
    await card(n).getByLabel('Text of the card').fill(words)
    await card(n)
      .getByLabel('For {{1}} on this card')
      .fill(String(n * 9))
    await card(n).getByLabel('Text of button 2').fill('Tell me more')
  }
  const preview = dialog().getByRole('list', { name: 'Cards', exact: true })
  await preview.getByText('Roses from 9 dollars.').waitFor()
  await preview.getByText('Tulips from 18 dollars.').waitFor()
  expect(await brokenRules(page)).toEqual([])
  await picture('editor', () => card(2).scrollIntoViewIfNeeded())
  await picture('preview', () => preview.scrollIntoViewIfNeeded())
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
})

test('cards are added, moved and removed with the keyboard, and the focus is never lost', async () => {
  await dialog().getByRole('button', { name: 'Add card' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(keys.focused).toBe('Card 3')
  await upload()
  await card(3).getByLabel('Text of the card').fill('Lilies.')
  await card(3).getByLabel('Address of button 1').fill('https://www.example.com/lilies')
  await dialog().getByRole('button', { name: 'Move left' }).focus()
  await page.keyboard.press('Enter')
  await card(2).waitFor()
  await page.keyboard.press('Enter')
  await card(1).waitFor()
  // It is at the end, so the other direction has the focus.
  await expect.poll(keys.focused).toBe('Move right')
  expect(await card(1).getByLabel('Text of the card').inputValue()).toBe('Lilies.')
  await dialog().getByRole('button', { name: 'Remove card' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(keys.focused).toBe('Card 1')
  expect(await card(1).getByLabel('Text of the card').inputValue()).toBe('Roses from {{1}} dollars.')
  await submit()
  await item('new_products').getByText('2 cards').waitFor()
  await item('new_products').getByText('Approved').waitFor()
  const [roses, tulips] = await cardsOf()
  expect(roses.components).toEqual([
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: [expect.any(String)] } },
    { type: 'BODY', text: 'Roses from {{1}} dollars.', example: { body_text: [['9']] } },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'See it', url: 'https://www.example.com/' },
        { type: 'QUICK_REPLY', text: 'Tell me more' },
      ],
    },
  ])
  expect(tulips.components[1].text).toBe('Tulips from {{1}} dollars.')
})

test('a copied template has the same cards, and an edit keeps the files that were not changed', async () => {
  const before = await cardsOf()
  await page.getByRole('button', { name: 'Copy or translate new_products' }).click()
  await submit()
  await item('new_products_copy').getByText('Approved').waitFor()
  const copy = (await templates()).find(({ name }) => name === 'new_products_copy')
  expect(copy.components[1].cards).toEqual(before)
  await item('new_products').getByRole('button', { name: 'Edit' }).click()
  await choose(2)
  await dialog().getByText('The current file is kept.').waitFor()
  await upload('another')
  await card(2).getByLabel('Text of the card').fill('Red tulips from {{1}} dollars.')
  await submit()
  await item('new_products').getByText('Approved').waitFor()
  const [roses, tulips] = await cardsOf()
  expect(roses).toEqual(before[0])
  expect(tulips.components[1].text).toBe('Red tulips from {{1}} dollars.')
  expect(tulips.components[0].example).not.toEqual(before[1].components[0].example)
})

test('a carousel is sent from the Inbox with values for each card, and is shown with its cards', async () => {
  await w.open(`/messages/${instance}/${ANA}`)
  await page.getByRole('button', { name: 'Add buttons or a list' }).click()
  await page.getByRole('menuitem', { name: 'Template', exact: true }).click()
  await press('Send')
  await dialog().getByText('Choose a template.').waitFor()
  await dialog().getByRole('combobox').click()
  await page.getByRole('option', { name: /^new_products(?!_)/ }).click()
  await press('Send')
  await expect.poll(() => dialog().getByText('Fill this in.').count()).toBe(5)
  await dialog().getByLabel('Text: 1').first().fill('Ana')
  for (const [at, price] of ['12', '15'].entries()) {
    await card(at + 1)
      .getByLabel('Link to the file (Photo)')
      .fill(LINKS[at] ?? '')
    await card(at + 1)
      .getByLabel('Text: 1')
      .fill(price)
  }
  await dialog().getByText('Red tulips from 15 dollars.').last().waitFor()
  expect(await brokenRules(page)).toEqual([])
  await picture('composer')
  const request = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/messages'))
  await press('Send')
  const { cloud_api: payload } = (await request).postDataJSON()
  expect(
    payload.template.components[1].cards.map(({ components }: any) => components[0].parameters[0].image.link),
  ).toEqual(LINKS)
  await dialog().waitFor({ state: 'detached' })
  const shown = thread().getByRole('article').filter({ hasText: 'Hello Ana, these plants' })
  await shown.getByText('Roses from 12 dollars.').waitFor()
  await shown.getByText('Red tulips from 15 dollars.').waitFor()
  expect(await brokenRules(page)).toEqual([])
  await picture('inbox')
  await page.setViewportSize({ width: 390, height: 900 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('the phone shows the cards, and a tap on a card appears in the Inbox', async () => {
  await w.open(`/sandbox/phones/${ANA}`)
  const phone = page.getByRole('log', { name: 'Messages' })
  await phone.getByText('Red tulips from 15 dollars.').waitFor()
  await picture('phone')
  const tapped = page.waitForRequest((one) => one.url().endsWith('/tap'))
  await phone.getByRole('listitem', { name: 'Card 2' }).getByRole('button', { name: 'Tell me more' }).click()
  expect((await tapped).postDataJSON()).toEqual({ id: '2: Tell me more' })
  await w.open(`/messages/${instance}/${ANA}`)
  await thread().getByRole('article').filter({ hasText: 'Selected' }).filter({ hasText: 'Tell me more' }).waitFor()
})

test('a campaign fills the cards from the columns of its list, shows the cards and the cost, and sends the messages', async () => {
  await w.open('/campaigns/edit')
  await page.getByLabel('Campaign name').fill('Spring plants')
  await page.getByRole('checkbox', { name: /^Bakery Luz/ }).click()
  const next = () => page.getByRole('button', { name: 'Next', exact: true }).click()
  await next()
  await page.getByRole('radio', { name: 'Template' }).click()
  await page.getByRole('combobox').last().click()
  await page.getByRole('option', { name: /^new_products en/ }).click()
  for (const at of [0, 1]) {
    const group = page.getByRole('group', { name: `Card ${at + 1}`, exact: true })
    await group.getByLabel('Link to the file (Photo)').fill(LINKS[at] ?? '')
    await group.getByLabel('Text: 1').fill(at === 0 ? '{{rose}}' : '{{tulip}}')
  }
  await next()
  await page
    .getByLabel('One person per line')
    .fill('phone;name;rose;tulip\n+12025551001;Ben;11;14\n+12025551002;Cleo;12;15')
  await page.getByRole('button', { name: 'Add 2 people' }).click()
  const preview = page.getByRole('region', { name: 'Phone preview' })
  await preview.getByText('Roses from 11 dollars.').waitFor()
  await preview.getByText('Red tulips from 14 dollars.').waitFor()
  expect(await brokenRules(page)).toEqual([])
  await picture('builder')
  await next()
  for (const field of ['Shortest delay', 'Longest delay']) await page.getByLabel(field).fill('0')
  await next()
  await page.getByRole('heading', { name: 'Ready to send?' }).waitFor()
  const samples = page.getByRole('region', { name: 'What people will get' })
  await samples.getByText('Red tulips from 14 dollars.').waitFor()
  await samples.getByText('Hello Ben, these plants').waitFor()
  await picture('review')
  await page.getByRole('button', { name: 'Start…' }).click()
  await page.getByRole('button', { name: 'Start sending' }).click()
  await page.getByText('Completed').first().waitFor({ timeout: 60_000 })
  const [cleo] = (await w.api('GET', '/v1/sandbox/phones/12025551002/messages')).body.data
  expect(cleo.content.cards.map(({ text }: { text: string }) => text)).toEqual([
    'Roses from 12 dollars.',
    'Red tulips from 15 dollars.',
  ])
  expect(w.complaints).toEqual([])
})
