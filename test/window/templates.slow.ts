import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleOf } from '../../main/engines/sandbox/media.ts'
import { brokenRules } from '../support/axe.ts'
import { outOfReach } from '../support/reach.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env.TEMPLATE_PICTURES
let w: ConsoleWindow
let page: Page
let instance: string

const item = (name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
const dialog = () => page.getByRole('dialog')
const all = async () => (await w.api('GET', `/v1/instances/${instance}/templates`)).body.data as any[]

async function picture(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await w.settle()
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` })
    if (PICTURES) await endOfDialog(`${PICTURES}/${name}-${colorScheme}-end.png`)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** The rest of a form that is longer than the screen. */
async function endOfDialog(path: string): Promise<void> {
  const preview = dialog().getByRole('region', { name: 'Preview' })
  if ((await preview.count()) === 0) return
  await preview.scrollIntoViewIfNeeded()
  await page.screenshot({ path })
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  instance = (await w.api('POST', '/v1/instances', { name: 'Bakery Luz', engine: 'official' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${instance}/onboard`, { number: '12025550100' })
  await w.open(`/instances/${instance}?tab=templates`)
})
afterAll(() => w.remove())

test('an empty template is not submitted, and each field says what it lacks', async () => {
  await page.getByRole('button', { name: 'New template' }).click()
  const asked = w.asked.length
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await dialog().getByText('Enter a name.').waitFor()
  await dialog().getByText('Write the text.').waitFor()
  expect(w.asked.slice(asked)).toEqual([])
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await dialog().waitFor({ state: 'detached' })
})

test('a template is written with its preview, and approved while somebody watches', async () => {
  await item('hello_world').getByText('Approved').waitFor()
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog().getByLabel('Name').fill('Table Ready')
  await dialog().getByLabel('Text', { exact: false }).first().fill('Hello {{1}}, your table is ready.')
  await dialog().getByLabel('For {{1}}').fill('Ana')
  await dialog().getByLabel('Footer').fill('Bakery Luz')
  await dialog().getByRole('button', { name: 'Add answer' }).click()
  await page.keyboard.type('I am coming')
  await dialog().getByRole('button', { name: 'Add link' }).click()
  await page.keyboard.type('See the menu')
  await dialog().getByLabel('Address of button 2').fill('https://luz.example/menu')
  const preview = dialog().getByRole('region', { name: 'Preview' })
  await preview.getByText('Hello Ana, your table is ready.').waitFor()
  await picture('form')
  expect(await brokenRules(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await item('table_ready').getByText('In review').waitFor()
  await item('table_ready').getByText('Approved').waitFor()
  expect(await all()).toContainEqual(
    expect.objectContaining({
      name: 'table_ready',
      components: [
        { type: 'BODY', text: 'Hello {{1}}, your table is ready.', example: { body_text: [['Ana']] } },
        { type: 'FOOTER', text: 'Bakery Luz' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'I am coming' },
            { type: 'URL', text: 'See the menu', url: 'https://luz.example/menu' },
          ],
        },
      ],
    }),
  )
})

test('what Meta refuses is said in the form, which keeps what was typed', async () => {
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog().getByLabel('Name').fill('no_example')
  await dialog().getByLabel('Text', { exact: false }).first().fill('Hello {{1}}, come by.')
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await dialog().getByText('Enter an example for every variable.').waitFor()
  await dialog().getByLabel('For {{1}}').fill('Ana')
  await dialog().getByLabel('Footer').fill('Luz {{1}}')
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await dialog().getByText('The footer cannot have variables.').waitFor()
  await picture('refused')
  await dialog().getByLabel('Footer').fill('Luz')
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await item('no_example').waitFor()
})

test('a rejection says what to change, and the change is submitted', async () => {
  const components = [{ type: 'BODY', text: '{{1}}, come by today.', example: { body_text: [['Ana']] } }]
  const draft = { name: 'rejected_one', language: 'en', category: 'UTILITY', components }
  await w.api('POST', `/v1/instances/${instance}/templates`, draft)
  await w.open('/instances')
  await w.open(`/instances/${instance}?tab=templates`)
  await item('rejected_one').getByText('a variable at the beginning or end').waitFor()
  await picture('list')
  expect(await brokenRules(page)).toEqual([])
  await item('rejected_one').getByRole('button', { name: 'Edit' }).click()
  await dialog().getByLabel('Text', { exact: false }).first().fill('Hello {{1}}, come by today.')
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await item('rejected_one').getByText('Approved').waitFor()
})

test('a template is deleted once somebody has confirmed it', async () => {
  await page.getByRole('button', { name: 'Delete rejected_one' }).click()
  await dialog().getByText('the name can’t be used again for 30 days').waitFor()
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog().waitFor({ state: 'detached' })
  await item('rejected_one').waitFor({ state: 'detached' })
  expect((await all()).map(({ name }) => name)).not.toContain('rejected_one')
})

test('an image header has its file uploaded, and each kind of button is written', async () => {
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog().getByLabel('Name').fill('garden')
  await dialog().getByRole('radio', { name: 'Marketing' }).click()
  await dialog().getByRole('combobox', { name: 'Header' }).click()
  await page.getByRole('option', { name: 'Picture' }).click()
  const { bytes, name, mimeType } = sampleOf('image')
  await dialog().locator('input[type=file]').setInputFiles({ name, mimeType, buffer: bytes })
  await dialog().getByText('image.png').waitFor()
  await dialog().getByLabel('Text', { exact: true }).fill('Everything for the garden.')
  await dialog().getByRole('button', { name: 'Add answer' }).click()
  await page.keyboard.type('Yes, please')
  await dialog().getByRole('button', { name: 'Add link' }).click()
  await page.keyboard.type('See it')
  await dialog().getByLabel('Address of button 2').fill('https://luz.example/{{1}}')
  await dialog().getByLabel('Example for the variable of button 2').fill('summer')
  await dialog().getByRole('button', { name: 'Add phone number' }).click()
  await page.keyboard.type('Call us')
  await dialog().getByLabel('Phone number of button 3').fill('+12025550123')
  await dialog().getByRole('button', { name: 'Add copy code' }).click()
  await page.keyboard.type('25OFF')
  await dialog().getByRole('button', { name: 'Add WhatsApp call' }).click()
  await dialog().getByText('These buttons appear on phones only.').waitFor()
  await picture('kinds')
  expect(await brokenRules(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await item('garden').getByText('Approved').waitFor()
  const garden = (await all()).find((template) => template.name === 'garden')
  expect(garden.components).toEqual([
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: [expect.stringMatching(/^4::/)] } },
    { type: 'BODY', text: 'Everything for the garden.' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes, please' },
        { type: 'URL', text: 'See it', url: 'https://luz.example/{{1}}', example: ['summer'] },
        { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+12025550123' },
        { type: 'COPY_CODE', example: '25OFF' },
        { type: 'VOICE_CALL', text: 'Call now' },
      ],
    },
  ])
})

test('an example begins a template in the language that was chosen, and one of codes has no text', async () => {
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog().getByRole('combobox', { name: 'Start with' }).click()
  await page.getByRole('option', { name: 'Order update' }).click()
  await dialog().getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'pt_BR' }).click()
  await dialog().getByText('Olá, Ana! Seu pedido 1042').waitFor()
  await dialog().getByRole('combobox', { name: 'Start with' }).click()
  await page.getByRole('option', { name: 'One-time code' }).click()
  await dialog().getByText('Seu código de verificação é').waitFor()
  await picture('code')
  expect(await brokenRules(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await item('sign_in_code').getByText('Approved').waitFor()
  await item('sign_in_code').getByRole('button', { name: 'Edit' }).click()
  await dialog().getByLabel('Minutes until it expires').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
})

test('a template is copied into another language', async () => {
  await page.getByRole('button', { name: 'Copy or translate garden' }).click()
  await dialog().getByRole('radio', { name: 'The same in another language' }).click()
  await dialog().getByText('Choose another language.').waitFor()
  await dialog().getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'es_MX' }).click()
  await dialog().getByLabel('Text', { exact: true }).fill('Todo para el jardín.')
  await picture('copy')
  expect(await brokenRules(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Submit for review' }).click()
  await expect
    .poll(async () => (await all()).filter(({ name }) => name === 'garden').map(({ language }) => language))
    .toEqual(expect.arrayContaining(['en', 'es_MX']))
})

test('words of an offer in a utility template are said before it is submitted', async () => {
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog().getByLabel('Text', { exact: true }).fill('Your order is here. Today you get 20% off.')
  await dialog().getByText('This sounds like an offer: 20% off.').waitFor()
  await picture('offer')
  await dialog().getByRole('button', { name: 'Make it “Marketing”' }).click()
  await dialog().getByText('This sounds like an offer').waitFor({ state: 'detached' })
  await dialog().getByRole('button', { name: 'Cancel' }).click()
})

test('all of it is in reach on a narrow screen', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await w.settle()
  expect(await outOfReach(page)).toEqual([])
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog().waitFor()
  await picture('narrow')
  expect(await outOfReach(page)).toEqual([])
})
