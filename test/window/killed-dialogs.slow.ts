import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { createKiller } from './killer.ts'

/** The service is killed while a dialog is open: what was typed stays, the dialog says why it waits, and goes on. */
const TIMEOUT = { timeout: 600_000 }
const [PHONE, OFFICIAL, PERSON, FOLLOWER] = ['12025550100', '12025550200', '12025550101', '12025550300']
let w: ConsoleWindow
let page: Page
let killer: ReturnType<typeof createKiller>
let paired: string
let official: string
let client: string
let follower: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  killer = createKiller(w)
  paired = await pairedInstance(w.api, PHONE, 'Bakery Luz')
  official = (await w.api('POST', '/v1/instances', { name: 'Garden shop', engine: 'official' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${official}/onboard`, { number: OFFICIAL })
  await w.api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana Souza' })
  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OFFICIAL, text: 'Do you deliver?' })
  follower = await pairedInstance(w.api, FOLLOWER, 'Garden club')
  const followed = { channel_id: `SANDBOX${PHONE}@newsletter` }
  await w.api('POST', `/v1/instances/${follower}/engine/smv2/channel/follow`, followed)
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

const MESSAGE_OF: Readonly<
  Record<string, { readonly kind: string; readonly typed: Readonly<Record<string, string>> }>
> = {
  'a form': {
    kind: 'Form',
    typed: { Message: 'Book a table for tonight', 'Button text': 'Book', 'ID of the form': '7' },
  },
  'a request for an address': { kind: 'Ask for address', typed: { Message: 'Where shall we deliver?' } },
  'a request for a location': { kind: 'Ask for location', typed: { Message: 'Where are you now?' } },
  'a product': {
    kind: 'Product',
    typed: { 'Message (optional)': 'Our new rose', 'ID of the catalog': '9', 'ID of the product': 'rose' },
  },
  'a list of products': {
    kind: 'List of products',
    typed: {
      ...{ Header: 'Spring', Message: 'What do you like?', 'ID of the catalog': '9' },
      'IDs of the products, with commas between them': 'rose, tulip',
    },
  },
  'reply buttons': { kind: 'Reply buttons', typed: { Message: 'Shall we come today?', 'Button 1': 'Today' } },
}
const textOf = ({ typed }: Pick<Flow, 'typed'>) => typed['Message'] ?? typed['Message (optional)'] ?? 'no message'
/** Of the composer of an official number. */
const MESSAGES = Object.fromEntries(
  Object.entries(MESSAGE_OF).map(([name, { kind, typed }]): [string, Flow] => [
    `${name} in a message`,
    {
      route: () => `/messages/${official}/${PERSON}`,
      async open() {
        await press('Add buttons or a list')
        await page.getByRole('menuitem', { name: kind, exact: true }).click()
      },
      ...{ typed, submit: 'Send', path: '**/messages' },
      count: async () =>
        (await listed(`/v1/sandbox/phones/${PERSON}/messages`)).filter(({ text }) => text === textOf({ typed })).length,
    },
  ]),
)

const FLOWS: Readonly<Record<string, Flow>> = {
  ...MESSAGES,
  'a group': {
    route: () => `/instances/${paired}?tab=groups`,
    open: () => press('New group'),
    typed: { Name: 'Neighbours', 'Phone numbers': PERSON },
    submit: 'Create',
    path: '**/groups',
    count: async () => (await listed(`/v1/instances/${paired}/groups?q=Neighbours`)).length,
  },
  'a community': {
    route: () => `/instances/${paired}?tab=groups`,
    open: () => page.getByRole('button', { name: 'New', exact: true }).click(),
    typed: { Name: 'Old town', Description: 'Everybody who lives here' },
    submit: 'Create',
    path: '**/community/create',
    count: async () => (await listed(`/v1/instances/${paired}/groups?q=Old%20town&kind=community`)).length,
  },
  'ice breakers and commands': {
    route: () => `/instances/${official}?tab=settings`,
    async open() {
      await page
        .locator('section')
        .filter({ has: page.getByRole('heading', { name: 'Ice breakers and commands', exact: true }) })
        .getByRole('button', { name: 'Edit' })
        .click()
      await press('Add command')
    },
    typed: { 'Command 1': 'order', 'Hint of command 1': 'Order bread for tomorrow' },
    submit: 'Save',
    path: '**/conversational*',
    count: async () =>
      (await w.api('GET', `/v1/instances/${official}/conversational-components`)).body.commands.filter(
        ({ command, name }: { command?: string; name?: string }) => (command ?? name) === 'order',
      ).length,
  },
  'a template': {
    route: () => `/instances/${official}?tab=templates`,
    open: () => press('New template'),
    typed: { Name: 'spring', Text: 'Everything for the garden is here.' },
    submit: 'Submit for review',
    path: '**/templates',
    count: async () =>
      (await listed(`/v1/instances/${official}/templates`)).filter(({ name }) => name === 'spring').length,
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
    for (const [label, text] of typed) await expect.poll(() => field(label).inputValue()).toBe(text)
    await killer.back()
    for (const [label, text] of typed) await expect.poll(() => field(label).inputValue()).toBe(text)
  })

  test('whose answer was lost is there once, without another word', async () => {
    await killer.killAfter(flow.path, () => dialog().getByRole('button', { name: flow.submit, exact: true }).click())
    // A message waits in its chat; any other dialog stays open and says why.
    await says()
      .or(page.getByRole('article').filter({ hasText: textOf(flow) }))
      .first()
      .waitFor()
    await w.restart()
    const again = dialog().getByRole('button', { name: 'Try again' })
    if (await dialog().isVisible()) {
      await dialog().getByText('Reconnected to Switchboard').waitFor()
      await expect.poll(() => says().isVisible()).toBe(false)
      await again.click()
    }
    await dialog().waitFor({ state: 'detached' })
    await expect.poll(flow.count, { timeout: 60_000 }).toBe(1)
    // Nobody is asked to send it again.
    const bubble = page.getByRole('article').filter({ hasText: textOf(flow) })
    await expect.poll(() => bubble.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect(await flow.count()).toBe(1)
  })
})

describe('a dialog over a card that can no longer be read', TIMEOUT, () => {
  const card = (heading: string) =>
    page.locator('section').filter({ has: page.locator('h2, h3', { hasText: heading }) })
  test.each([
    ['Ice breakers and commands', () => official, 'conversational-components', 'Add command', 'Command 1', 'order'],
    ['Connection and pace', () => paired, 'line-settings', null, 'Messages per minute', '7'],
  ])('%s: keeps what is typed', async (heading, instance, path, add, label, text) => {
    await w.open(`/instances/${instance()}?tab=settings`)
    await card(heading).getByRole('button', { name: 'Edit' }).click()
    if (add !== null) await press(add)
    await field(label).fill(text)
    const body = { error: { code: 'service_unavailable', message: 'Later.', request_id: 'req_1', retryable: true } }
    await page.route(`**/${path}`, (route) => route.fulfill({ status: 503, json: body }))
    await w.api('PATCH', `/v1/instances/${instance()}`, { metadata: { seen: heading } })
    await card(heading).locator('button', { hasText: 'Try again' }).waitFor({ state: 'attached' })
    expect(await field(label).inputValue()).toBe(text)
    await page.unroute(`**/${path}`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
  })
})

/** As if the service had been killed after the network did it, and before it noted the answer. */
function forgetAnswers(): void {
  const raw = new Database(join(w.home.dir, 'switchboard.db'))
  raw.exec("UPDATE idempotency_keys SET state = 'in_progress', status = NULL, body = NULL")
  raw.close()
}

describe('a post in a channel', TIMEOUT, () => {
  const post = () => dialog().getByRole('button', { name: 'Post', exact: true })
  const again = () => dialog().getByRole('button', { name: 'Try again' })
  const received = async (text: string) =>
    (await listed('/v1/events?limit=100&types=message.received')).filter((event) => event.data?.text === text).length
  const begin = async (text: string) => {
    await w.open(`/instances/${paired}?tab=groups`)
    await press(/^Post in/)
    await field('Message').fill(text)
    await killer.killAfter('**/channel/post', () => post().click())
    await says().waitFor()
  }

  test('whose answer was lost is posted once, however often it is tried', async () => {
    await begin('Fresh bread')
    await w.restart()
    await dialog().getByText('Reconnected to Switchboard').waitFor()
    expect(await field('Message').inputValue()).toBe('Fresh bread')
    await again().click()
    await page
      .getByText(/^Posted in/)
      .first()
      .waitFor()
    await expect.poll(() => received('Fresh bread')).toBe(1)
  })

  test('that may have been posted is not posted again: the window says so, and where to look', async () => {
    await begin('Fresh rolls')
    forgetAnswers()
    await w.restart()
    await dialog().getByText('Reconnected to Switchboard').waitFor()
    await again().click()
    await dialog().getByText('It may be done already').waitFor()
    await dialog().getByText('Look at the channel on the phone to see whether it was posted.').waitFor()
    expect(await field('Message').inputValue()).toBe('Fresh rolls')
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => received('Fresh rolls')).toBe(1)
  })
})

test('a group that a killed service has left is found, and not created again', TIMEOUT, async () => {
  await w.open(`/instances/${paired}?tab=groups`)
  await press('New group')
  await field('Name').fill('Gardeners')
  await killer.killAfter('**/groups', () => dialog().getByRole('button', { name: 'Create', exact: true }).click())
  await says().waitFor()
  forgetAnswers()
  await w.restart()
  await dialog().getByText('Reconnected to Switchboard').waitFor()
  await dialog().getByRole('button', { name: 'Try again' }).click()
  await dialog().waitFor({ state: 'detached' })
  expect(await listed(`/v1/instances/${paired}/groups?q=Gardeners`)).toHaveLength(1)
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
