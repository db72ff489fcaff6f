import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SendBody } from '../../main/capabilities/messages/contract.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Messages with buttons and lists: written in the Inbox, tapped on a sandbox phone, answered in the Inbox. */

const [OURS, ANA] = ['12025550200', '12025550101']
let w: ConsoleWindow
let page: Page
let instance: string

const thread = () => page.getByRole('log')
const dialog = () => page.getByRole('dialog')
const field = (name: string) => dialog().getByLabel(name, { exact: true })
const preview = () => dialog().getByRole('region', { name: 'Preview' })
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click()

async function begin(kind: string): Promise<void> {
  await page.getByRole('button', { name: 'Add buttons or a list' }).click()
  await page.getByRole('menuitem', { name: kind, exact: true }).click()
}

/** What the window asks the service to send. */
async function sent(): Promise<SendBody> {
  const request = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/messages'))
  await press('Send')
  const body = (await request).postDataJSON() as SendBody
  await dialog().waitFor({ state: 'detached' })
  return body
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  instance = (await w.api('POST', '/v1/instances', { engine: 'official', name: 'Bakery Luz' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${instance}/onboard`, { number: OURS })
  await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: OURS, text: 'Do you deliver?' })
  await w.open(`/messages/${instance}/${ANA}`)
})
afterAll(() => w.remove())

test('what was typed is the text of a message with buttons, and the preview follows', async () => {
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Yes. Shall we come today?')
  await begin('Reply buttons')
  await preview().getByText('Yes. Shall we come today?').waitFor()
  await field('Button 1').fill('Today')
  await preview().getByText('Today', { exact: true }).waitFor()
  await press('Add button')
  await field('Button 2').fill('Today')
  await press('Send')
  await dialog().getByText('Another button says the same.').waitFor()
  await field('Button 2').fill('Tomorrow')
  expect(await sent()).toEqual({
    to: ANA,
    interactive: {
      type: 'button',
      body: 'Yes. Shall we come today?',
      buttons: [
        { id: 'Today', title: 'Today' },
        { id: 'Tomorrow', title: 'Tomorrow' },
      ],
    },
  })
  await thread().getByRole('article').filter({ hasText: 'Tomorrow' }).waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Write a message' }).inputValue()).toBe('')
})

test('a list has rows in sections', async () => {
  await begin('List')
  await press('Send')
  await dialog().getByText('Write something here.').first().waitFor()
  // What may be left out is not marked as wrong.
  await expect.poll(() => field('Row title').getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => field('Description (optional)').getAttribute('aria-invalid')).not.toBe('true')
  await field('Message').fill('When?')
  await field('Button text').fill('See times')
  await field('Row title').fill('Morning')
  await press('Add a section')
  await field('Title of section 1').fill('Today')
  await field('Title of section 2').fill('Later')
  await field('Row title').nth(1).fill('Evening')
  await field('Description (optional)').nth(1).fill('After six')
  expect((await sent()).interactive).toEqual({
    ...{ type: 'list', body: 'When?', button: 'See times' },
    sections: [
      { title: 'Today', rows: [{ id: 'Morning', title: 'Morning' }] },
      { title: 'Later', rows: [{ id: 'Evening', title: 'Evening', description: 'After six' }] },
    ],
  })
  await thread().getByText('After six').waitFor()
})

test('a link and a request for a place need what they are for', async () => {
  await begin('Link button')
  await field('Message').fill('Your order')
  await press('Send')
  await dialog().getByText('Enter an address that begins with https:// or http://.').waitFor()
  await field('Button text').fill('Track order')
  await field('Web address').fill('https://shop.example/1042')
  expect((await sent()).interactive).toMatchObject({ type: 'cta_url', url: 'https://shop.example/1042' })
  const link = thread().getByRole('link', { name: 'Track order' })
  await expect.poll(() => link.getAttribute('href')).toBe('https://shop.example/1042')

  await begin('Ask for location')
  await field('Message').fill('Where are you?')
  await expect.poll(() => field('Header (optional)').count()).toBe(0)
  expect((await sent()).interactive).toEqual({ type: 'location_request_message', body: 'Where are you?' })
  await thread().getByText('Send location').waitFor()

  await begin('Ask for phone number')
  await field('Message').fill('May we have your number?')
  expect((await sent()).interactive).toEqual({ type: 'request_contact_info', body: 'May we have your number?' })
  await thread().getByText('Share phone number').waitFor()
})

test('a form, products and an address are asked for by what Meta has of them', async () => {
  await begin('Form')
  await field('Message').fill('Book a table')
  await field('Button text').fill('Book')
  await press('Send')
  await dialog().getByText('Write something here.').waitFor()
  await field('ID of the form').fill('7')
  expect((await sent()).interactive).toEqual({ type: 'flow', body: 'Book a table', button: 'Book', flow: { id: '7' } })

  await begin('List of products')
  await field('Header').fill('Spring')
  await field('Message').fill('What do you like?')
  await field('ID of the catalog').fill('9')
  await field('IDs of the products, with commas between them').fill('rose, tulip')
  expect((await sent()).interactive).toMatchObject({ catalog_id: '9', sections: [{ product_ids: ['rose', 'tulip'] }] })
  await thread().getByText('tulip').waitFor()

  await begin('Ask for address')
  await field('Message').fill('Where shall we deliver?')
  await dialog().getByRole('radio', { name: 'Singapore' }).click()
  expect((await sent()).interactive).toMatchObject({ type: 'address_message', country: 'SG' })
})

test('a file can stand above buttons, and needs an address', async () => {
  await begin('Link button')
  await field('Message').fill('The new garden')
  await field('Button text').fill('Look')
  await field('Web address').fill('https://shop.example/new')
  await field('Header type').click()
  await page.getByRole('option', { name: 'Document' }).click()
  await press('Send')
  await dialog().getByText('Enter an address that begins with https:// or http://.').waitFor()
  await field('File URL (https://…)').fill('https://shop.example/new.pdf')
  await field('File name (optional)').fill('Garden.pdf')
  await preview().getByText('Garden.pdf').waitFor()
  expect((await sent()).interactive).toMatchObject({
    header_media: { type: 'document', url: 'https://shop.example/new.pdf', filename: 'Garden.pdf' },
  })
  const file = thread().getByRole('link', { name: 'Garden.pdf' })
  await expect.poll(() => file.getAttribute('href')).toBe('https://shop.example/new.pdf')
})

test('quick replies of a template are on the phone, and a tap is in the Inbox', async () => {
  const buttons = [{ type: 'QUICK_REPLY', text: 'Water them' }]
  const components = [
    { type: 'BODY', text: 'Your flowers are dry.' },
    { type: 'BUTTONS', buttons },
  ]
  const draft = { name: 'flowers', language: 'en', category: 'UTILITY', components }
  const { id } = (await w.api('POST', `/v1/instances/${instance}/templates`, draft)).body
  const isApproved = async () =>
    (await w.api('GET', `/v1/instances/${instance}/templates/${id}`)).body.status === 'APPROVED'
  await expect.poll(isApproved, { timeout: 20_000 }).toBe(true)
  const cloud_api = { type: 'template', template: { name: 'flowers', language: { code: 'en' } } }
  await w.api('POST', `/v1/instances/${instance}/messages`, { to: ANA, cloud_api })
  await w.open(`/sandbox/phones/${ANA}`)
  const phone = page.getByRole('log', { name: 'Messages' })
  await phone.getByText('Your flowers are dry.').waitFor()
  await phone.getByRole('button', { name: 'Water them' }).click()
  await w.open(`/messages/${instance}/${ANA}`)
  await thread().getByRole('article').filter({ hasText: 'Selected' }).filter({ hasText: 'Water them' }).waitFor()
})

test('a person taps on their phone, and the Inbox shows what they chose', async () => {
  await w.open(`/sandbox/phones/${ANA}`)
  const phone = page.getByRole('log', { name: 'Messages' })
  await phone.getByRole('button', { name: 'Tomorrow' }).click()
  await phone.getByText(/^To /).nth(1).waitFor()
  await phone.getByRole('button', { name: 'Evening After six' }).click()
  await phone.getByText(/^To /).nth(2).waitFor()
  await phone.getByRole('button', { name: 'Send location' }).click()
  await phone.getByText(/^To /).nth(3).waitFor()
  await w.open(`/messages/${instance}/${ANA}`)
  const chosen = thread().getByRole('article').filter({ hasText: 'Selected' })
  await expect.poll(() => chosen.count()).toBe(3)
  await expect.poll(() => chosen.nth(1).innerText()).toContain('Tomorrow')
  await expect.poll(() => chosen.last().innerText()).toContain('After six')
  await thread().getByText('Sample place').waitFor()
  expect(w.complaints).toEqual([])
})

test('numbers of phones offer no buttons', async () => {
  const { id } = (await w.api('POST', '/v1/instances', { engine: 'smv2', name: 'Phone' })).body
  await w.open(`/messages/${id}/${ANA}`)
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Add buttons or a list' }).count()).toBe(0)
})
