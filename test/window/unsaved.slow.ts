import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Every form is left half typed: by the sidebar, by a tab, by the browser's Back, by Escape. */
let w: ConsoleWindow
let number: string
let client: string
let campaign: string
let official: string
const PERSON = '12025550101'
const TYPED = 'Half a sentence'

beforeAll(async () => {
  w = await openConsole()
  number = await pairedInstance(w.api, '12025550100', 'Ótica Vista')
  client = (await w.api('POST', '/v1/agency/accounts', { name: 'Bakery Luz' })).body.id
  await w.api('PATCH', '/v1/agency/billing', { enabled: true })
  await w.api('POST', `/v1/instances/${number}/ai/agents`, { name: 'Reception', provider: 'builtin' })
  official = (await w.api('POST', '/v1/instances', { name: 'Garden shop', engine: 'official' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${official}/onboard`, { number: '12025550200' })
  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: '12025550200', text: 'Do you deliver?' })
  const messages = [{ text: 'Hello {{name|there}}' }]
  const draft = { instance_ids: [number], name: 'Spring', messages, recipients: [{ phone: '12025550101' }] }
  campaign = (await w.api('POST', '/v1/campaigns', draft)).body.campaign_id
})
afterAll(() => w.remove())

const field = (name: string): Locator => w.page.getByLabel(name, { exact: true }).first()
const question = () => w.page.getByRole('dialog', { name: 'Unsaved changes' })
const choose = (name: string) => question().getByRole('button', { name }).click()
const leave = () => w.page.getByRole('link', { name: 'Opt-outs' }).first().click()

interface Form {
  readonly route: () => string
  readonly field: string
}

const FORMS: Readonly<Record<string, Form>> = {
  'agent, behavior': { route: () => `/agents/${number}`, field: 'Name' },
  'agent, rules': { route: () => `/agents/${number}?tab=limits`, field: 'Handover message' },
  brand: { route: () => '/brand', field: 'Name on pages' },
  'brand of a client': { route: () => `/clients/${client}?tab=brand`, field: 'Name on pages' },
  'settings of a client': { route: () => `/clients/${client}?tab=settings`, field: 'Name' },
  'terms of a client': { route: () => `/clients/${client}?tab=billing`, field: 'Invoices to' },
  'list of a campaign': { route: () => `/campaigns/edit/${campaign}?step=people`, field: 'One person per line' },
  'password of the console': { route: () => '/settings', field: 'New password' },
  'name of the agency': { route: () => '/settings', field: 'Workspace' },
  'voice of a number': { route: () => `/voice/${number}`, field: 'Announcement' },
  'CRM of a number': { route: () => `/instances/${number}?tab=crm`, field: 'URL of the CRM' },
  'a person to call': { route: () => '/calls/schedule', field: 'Phone number' },
  'people to call': { route: () => '/calls/schedule?mode=many', field: 'Paste phone numbers' },
  'payment provider': { route: () => '/billing?tab=provider', field: 'Restricted key' },
}

test.each(Object.entries(FORMS))('%s: nothing typed is lost', async (_, form) => {
  const { page } = w
  await w.open('/overview')
  await w.open(form.route())
  await field(form.field).fill(TYPED)
  await leave()
  await question().waitFor()
  if (form.field === 'Workspace') expect(await brokenRules(page)).toEqual([])
  await choose('Keep editing')
  await expect.poll(() => field(form.field).inputValue()).toBe(TYPED)
  await page.goBack()
  await question().waitFor()
  await page.keyboard.press('Escape')
  await question().waitFor({ state: 'detached' })
  await expect.poll(() => field(form.field).inputValue()).toBe(TYPED)
  await leave()
  await choose('Discard changes')
  await page.getByRole('heading', { level: 1, name: 'Opt-outs' }).waitFor()
})

interface DialogForm {
  readonly route: () => string
  readonly open: () => Promise<void>
  readonly field: string
  /** What it takes, if that is not half a sentence. */
  readonly typed?: string
  readonly submit: string
}
const press = (name: string | RegExp) => w.page.getByRole('button', { name }).first().click()
const ofNumber = () => `/instances/${number}?tab=groups`
const compose = (kind: string) => async () => {
  await press('Add buttons or a list')
  await w.page.getByRole('menuitem', { name: kind, exact: true }).click()
}
const chat = () => `/messages/${official}/${PERSON}`

const DIALOGS: Readonly<Record<string, DialogForm>> = {
  'a group': { route: ofNumber, open: () => press('New group'), field: 'Phone numbers', submit: 'Create' },
  'a community': {
    route: ofNumber,
    open: () => w.page.getByRole('button', { name: 'New', exact: true }).click(),
    field: 'Description',
    submit: 'Create',
  },
  'a post in a channel': {
    route: ofNumber,
    open: () => press(/^Post in/),
    field: 'Message',
    typed: ' ',
    submit: 'Post',
  },
  'ice breakers and commands': {
    route: () => `/instances/${official}?tab=settings`,
    async open() {
      await w.page
        .locator('section')
        .filter({ has: w.page.getByRole('heading', { name: 'Ice breakers and commands', exact: true }) })
        .getByRole('button', { name: 'Edit' })
        .click()
      await press('Add command')
    },
    field: 'Hint of command 1',
    submit: 'Save',
  },
  'a template': {
    route: () => `/instances/${official}?tab=templates`,
    open: () => press('New template'),
    field: 'Text',
    submit: 'Submit for review',
  },
  'a price': {
    route: () => '/settings',
    open: () => press('Change the price: United States, Utility'),
    field: 'Price per message',
    submit: 'Save',
  },
  'a budget': {
    route: () => '/billing?tab=costs',
    open: () => press(/^Set budget: Bakery Luz/),
    field: 'Budget',
    submit: 'Save',
  },
  'reply buttons': { route: chat, open: compose('Reply buttons'), field: 'Footer (optional)', submit: 'Send' },
  'a list': { route: chat, open: compose('List'), field: 'Row title', submit: 'Send' },
  'a form': { route: chat, open: compose('Form'), field: 'ID of the form', submit: 'Send' },
  'a product': { route: chat, open: compose('Product'), field: 'ID of the product', submit: 'Send' },
  'a list of products': { route: chat, open: compose('List of products'), field: 'Header', submit: 'Send' },
  'a request for an address': {
    route: chat,
    open: compose('Ask for address'),
    field: 'Footer (optional)',
    submit: 'Send',
  },
}

/** A dialog of the browser itself asks before a page goes. */
async function asksBeforeReload(): Promise<boolean> {
  const { page } = w
  const asked = page.waitForEvent('dialog', { timeout: 5_000 }).then(
    async (dialog) => {
      await dialog.dismiss()
      return dialog.type() === 'beforeunload'
    },
    () => false,
  )
  await page.evaluate(() => setTimeout(() => location.reload()))
  return asked
}

test.each(Object.entries(DIALOGS))('the dialog for %s loses nothing', async (_, form) => {
  const { page } = w
  const typed = form.typed ?? TYPED
  const dialog = page.getByRole('dialog').first()
  const written = () => dialog.getByLabel(form.field, { exact: true }).first().inputValue()
  await w.open('/overview')
  await w.open(form.route())
  await form.open()
  await dialog.getByLabel(form.field, { exact: true }).first().fill(typed)
  for (const close of ['Escape', 'Back', 'Escape after a refused try']) {
    if (close.endsWith('try')) {
      await dialog.getByRole('button', { name: form.submit, exact: true }).click()
      const again = dialog.getByRole('button', { name: 'Try again' })
      await dialog.locator('[aria-invalid=true]').or(again).first().waitFor()
    }
    if (close === 'Back') await page.goBack()
    else await page.keyboard.press('Escape')
    await question().waitFor()
    await choose('Keep editing')
    await question().waitFor({ state: 'detached' })
    expect([close, await written()]).toEqual([close, typed])
  }
  expect(await asksBeforeReload()).toBe(true)
  expect(await written()).toBe(typed)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('a dialog asks on Escape, and closes on Cancel', async () => {
  const { page } = w
  await w.open('/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog').first()
  await dialog.getByLabel('Name').fill(TYPED)
  await page.keyboard.press('Escape')
  await question().waitFor()
  await choose('Keep editing')
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe(TYPED)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('saving from the question saves and leaves', async () => {
  await w.open('/settings')
  await field('Workspace').fill('Luz Agency')
  await leave()
  await choose('Save')
  await w.page.getByRole('heading', { level: 1, name: 'Opt-outs' }).waitFor()
  expect((await w.api('GET', '/v1/me')).body.account.name).toBe('Luz Agency')
})

test('an agent is tried with what is typed, and the text is still there afterwards', async () => {
  const { page } = w
  await w.open(`/agents/${number}`)
  await field('Name').fill('Concierge')
  await page.getByRole('tab', { name: 'Try it' }).click()
  await page.getByText('You are trying the unsaved changes from Behavior.').waitFor()
  await page.getByRole('tab', { name: 'Behavior' }).click()
  await expect.poll(() => field('Name').inputValue()).toBe('Concierge')
  await page.getByRole('button', { name: 'Cancel' }).click()
})

test('a list that was pasted stays while another source is looked at', async () => {
  await w.open(`/campaigns/edit/${campaign}?step=people`)
  await field('One person per line').fill('12025550123; Ana')
  const tab = (name: string) => w.page.getByRole('tab', { name })
  for (const name of ['Contacts', 'File']) {
    await tab(name).click()
    await expect.poll(() => field('One person per line').isVisible()).toBe(false)
  }
  await tab('Paste').click()
  await expect.poll(() => field('One person per line').inputValue()).toBe('12025550123; Ana')
  await leave()
  await choose('Discard')
})

test('nothing that was typed in one chat is in another', async () => {
  const { page } = w
  const composer = page.getByRole('textbox', { name: 'Write a message', exact: true })
  const address = page.getByRole('textbox', { name: 'File URL (https://…)' })
  await w.open(`/messages/${number}/12025550101`)
  await page.getByRole('button', { name: 'Attach a file by URL' }).click()
  await address.fill('https://example.com/secret.pdf')
  await page.getByRole('textbox', { name: 'File name (optional)' }).fill('secret.pdf')
  await w.open(`/messages/${number}/12025550102`)
  await composer.waitFor()
  await expect.poll(() => address.count()).toBe(0)
  await composer.fill('Hello Ben')
  await w.open(`/messages/${number}/12025550101`)
  await expect.poll(() => address.inputValue()).toBe('https://example.com/secret.pdf')
  await expect.poll(() => page.getByRole('textbox', { name: 'File name (optional)' }).inputValue()).toBe('secret.pdf')
  await w.open(`/messages/${number}/12025550102`)
  await expect.poll(() => composer.inputValue()).toBe('Hello Ben')
})

test('when the session ends, the sign-in comes over the page and what was typed is still there', async () => {
  const { page } = w
  const PASSWORD = 'correct horse battery'
  await w.open('/settings')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByLabel('Confirm password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Password set', { exact: true }).first().waitFor()
  await w.open('/opt-outs')
  await page.getByRole('button', { name: 'Opt out a number' }).click()
  const typed = page.getByRole('dialog').getByRole('textbox').first()
  await typed.fill('+1 202 555 0147')
  await w.context.clearCookies()
  // What asks first is refused, as the stream of notices is when it is opened again.
  await page.evaluate(() => void fetch('/panel/v1/service'))
  await page.getByRole('dialog').getByRole('button', { name: 'Opt out a number' }).click()
  const over = page.getByRole('dialog', { name: 'Sign in' })
  await over.getByText('What you typed is still here').waitFor()
  expect(await brokenRules(page)).toEqual([])
  await page.keyboard.press('Escape')
  await over.getByLabel('Password').fill(PASSWORD)
  await over.getByRole('button', { name: 'Sign in', exact: true }).click()
  await over.waitFor({ state: 'detached' })
  await expect.poll(() => typed.inputValue()).toBe('+1 202 555 0147')
  await page.getByRole('dialog').getByRole('button', { name: 'Opt out a number' }).click()
  await page.getByRole('row').filter({ hasText: '555 0147' }).waitFor()
})
