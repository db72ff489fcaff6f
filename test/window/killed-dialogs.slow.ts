import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { createKiller } from './killer.ts'

/** The service is killed while a dialog is open: what was typed stays, the dialog says why it waits, and goes on. */
const TIMEOUT = { timeout: 600_000 }
const [PHONE, OFFICIAL, PERSON] = ['12025550100', '12025550200', '12025550101']
let w: ConsoleWindow
let page: Page
let killer: ReturnType<typeof createKiller>
let paired: string
let official: string
let client: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  killer = createKiller(w)
  paired = await pairedInstance(w.api, PHONE, 'Bakery Luz')
  official = (await w.api('POST', '/v1/instances', { name: 'Garden shop', engine: 'official' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${official}/onboard`, { number: OFFICIAL })
  await w.api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana Souza' })
  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OFFICIAL, text: 'Do you deliver?' })
  client = (await w.api('POST', '/v1/agency/accounts', { name: 'North bakery' })).body.id
  await page.getByRole('button', { name: 'Skip for now' }).click()
})
afterAll(() => w.remove())

const dialog = () => page.getByRole('dialog')
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
const field = (name: string) => dialog().getByLabel(name, { exact: true })
const listed = async (path: string): Promise<any[]> => (await w.api('GET', path)).body.data
const says = () => dialog().getByText('Can’t reach Switchboard').first()

interface Flow {
  readonly route: () => string
  readonly open: () => Promise<void>
  /** What is typed, by the label of its field. */
  readonly typed: Readonly<Record<string, string>>
  readonly submit: string
  readonly path: string
  /** How often it is there. */
  readonly count: () => Promise<number>
}

const FLOWS: Readonly<Record<string, Flow>> = {
  'a template': {
    route: () => `/instances/${official}?tab=templates`,
    open: () => press('New template'),
    typed: { Name: 'spring', Text: 'Everything for the garden is here.' },
    submit: 'Submit for review',
    path: '**/templates',
    count: async () =>
      (await listed(`/v1/instances/${official}/templates`)).filter(({ name }) => name === 'spring').length,
  },
  'a message with buttons': {
    route: () => `/messages/${official}/${PERSON}`,
    async open() {
      await press('Add buttons or a list')
      await page.getByRole('menuitem', { name: 'Reply buttons' }).click()
    },
    typed: { Message: 'Shall we come today?', 'Button 1': 'Today' },
    submit: 'Send',
    path: '**/messages',
    count: async () =>
      (await listed(`/v1/sandbox/phones/${PERSON}/messages`)).filter(({ text }) => text === 'Shall we come today?')
        .length,
  },
  'the budget of a client': {
    route: () => '/billing?tab=costs',
    open: () => press(/^Set budget: North bakery/),
    typed: { Budget: '50' },
    submit: 'Save',
    path: '**/message-budget',
    count: async () =>
      (await listed(`/v1/message-budgets?account_id=${client}`)).filter(
        ({ budget }) => budget?.amount_micros === 50_000_000,
      ).length,
  },
  'a price': {
    route: () => '/settings',
    open: () => press('Change the price: United States, Utility'),
    typed: { 'Price per message': '0.0041', Source: 'Rate card of October' },
    submit: 'Save',
    path: '**/message-rates*',
    count: () => page.getByRole('row', { name: /United States, Utility.*\$0\.0041/ }).count(),
  },
  'an opt-out': {
    route: () => '/opt-outs',
    open: () => press('Opt out a number'),
    typed: { 'Phone number': '+12025550177', Note: 'Asked by phone' },
    submit: 'Opt out a number',
    path: '**/opt-outs',
    count: async () => (await listed('/v1/opt-outs')).filter(({ phone }) => phone === '12025550177').length,
  },
}

describe.each(Object.entries(FLOWS))('%s', TIMEOUT, (_, flow) => {
  test('that is half typed stays while the service is away', async () => {
    await w.open(flow.route())
    await flow.open()
    const typed = Object.entries(flow.typed)
    for (const [label, text] of typed) await field(label).fill(text)
    await killer.kill()
    await killer.unreachable().waitFor({ state: 'attached' })
    for (const [label, text] of typed) expect(await field(label).inputValue()).toBe(text)
    await killer.back()
    for (const [label, text] of typed) expect(await field(label).inputValue()).toBe(text)
  })

  test('whose answer was lost is there once, without another word', async () => {
    await killer.killAfter(flow.path, () => dialog().getByRole('button', { name: flow.submit, exact: true }).click())
    // A message waits in its chat; any other dialog stays open and says why.
    await says()
      .or(page.getByRole('article').filter({ hasText: 'Shall we come today?' }))
      .first()
      .waitFor()
    await w.restart()
    const again = dialog().getByRole('button', { name: 'Try again' })
    if (await dialog().isVisible()) {
      await dialog().getByText('Reconnected to Switchboard').waitFor()
      expect(await says().isVisible()).toBe(false)
      await again.click()
    }
    await dialog().waitFor({ state: 'detached' })
    await expect.poll(flow.count, { timeout: 60_000 }).toBe(1)
  })
})

test('a question about an opt-out whose answer was lost is answered once', TIMEOUT, async () => {
  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: PHONE, text: 'Quero cancelar, por favor' })
  await w.open(`/messages/${paired}/${PERSON}`)
  await page.getByText('Are they asking you to stop campaigns?').waitFor()
  await killer.killAfter('**/opt-out-questions/*', () => press('Stop campaigns'))
  await killer.back()
  await page.getByText('Opted out: campaigns and follow-ups skip this person.').waitFor()
  expect(await listed('/v1/opt-outs')).toContainEqual(expect.objectContaining({ phone: PERSON }))
})
