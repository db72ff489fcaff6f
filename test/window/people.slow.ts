import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { clientOf, invite, launch, personIn, seedFor, type Client, type Person } from './people.ts'
import { everyPlace, type Holdings } from './places.ts'

/** The window as it is for people who do not own the computer. */
const EVERY = ['campaigns', 'ai', 'voice', 'ghl', 'mcp']
const TIMEOUT = { timeout: 600_000 }
let w: ConsoleWindow
let browser: Browser
let bare: Client
let full: Client
let holdings: Readonly<Record<'own' | 'bare' | 'full', Holdings>>

beforeAll(async () => {
  w = await openConsole()
  browser = await launch()
  bare = await clientOf(w, 'North bakery', [])
  full = await clientOf(w, 'South bakery', EVERY)
  holdings = { own: await seedFor(w.api, '1'), bare: await seedFor(bare.api, '2'), full: await seedFor(full.api, '3') }
  const ai = `/v1/instances/${holdings.full.instance}/ai`
  await full.api('POST', `${ai}/agents`, { name: 'Reception', provider: 'builtin' })
  await full.api('PATCH', `${ai}/settings`, { enabled: true })
})
afterAll(async () => {
  await browser.close()
  await w.remove()
})

/** Each shows nothing as long as there is no number. */
const NEED_A_NUMBER = [
  ...['/instances', '/instances/wall', '/messages', '/campaigns/edit', '/agents', '/voice', '/softphone'],
  '/calls/schedule',
]
const CARDS = { works: '4242424242424242', declinedLater: '4000000000000341' }
const main = ({ page }: Person) => page.locator('main').innerText()

describe('on no screen does the service refuse what the screen asks for', TIMEOUT, () => {
  test.each([
    ['a member of the agency', 'own', (): string | null => null],
    ['somebody of a client', 'full', (): string => full.id],
    ['somebody of a client without features', 'bare', (): string => bare.id],
  ] as const)('%s', async (_, whose, account) => {
    const person = await personIn(w, browser, account(), `walks-${whose}@bakery.example`)
    const wrong: string[] = []
    const refused = new Set<string>()
    for (const place of everyPlace(holdings[whose])) {
      await person.open(place)
      wrong.push(...person.takeTroubles().map((trouble) => `${place}: ${trouble}`))
      if ((await person.page.getByText('You don’t have permission').count()) > 0)
        refused.add(place.split(/[/?]/)[1] ?? '')
    }
    expect(wrong).toEqual([])
    const ofAgency = ['clients', 'brand', 'team']
    const ofFeatures = ['campaigns', 'agents', 'calls', 'recordings', 'voice', 'softphone', 'assistants']
    expect([...refused].toSorted()).toEqual((whose === 'bare' ? [...ofAgency, ...ofFeatures] : ofAgency).toSorted())
    await person.page.context().close()
  })
})

describe('what an account may do', TIMEOUT, () => {
  test('is seen where the window is open: a feature that ends, a suspension, and its end', async () => {
    const person = await personIn(w, browser, full.id, 'watches@bakery.example')
    await person.open(`/messages/${holdings.full.instance}`)
    const link = person.page.getByRole('link', { name: 'Campaigns', exact: true })
    await link.waitFor()
    await w.api('PATCH', `/v1/agency/accounts/${full.id}`, { features: EVERY.filter((name) => name !== 'campaigns') })
    await link.waitFor({ state: 'detached' })
    await person.open('/campaigns')
    expect(await main(person)).toContain('Your account doesn’t include campaigns. Ask your agency to turn it on.')
    await w.api('PATCH', `/v1/agency/accounts/${full.id}`, { features: EVERY })
    await person.page.getByText('Spring offer').first().waitFor()

    const note = person.page.getByText('This account is suspended', { exact: true })
    await person.open('/overview')
    const isFine = person.page.getByText('Everything is fine')
    await isFine.waitFor()
    await w.api('POST', `/v1/agency/accounts/${full.id}/suspend`)
    await note.waitFor()
    expect(await isFine.count()).toBe(0)
    await person.page.getByText('Your agency suspended this account.').waitFor()
    expect(await person.page.getByText('Everything is fine').count()).toBe(0)
    for (const route of ['/messages', '/campaigns', '/agents']) {
      await person.open(route)
      expect(await note.isVisible(), route).toBe(true)
    }
    // Nothing on a screen says the opposite.
    await person.open('/webhooks')
    await person.page.getByText('Nothing is delivered while the account is suspended.').first().waitFor()
    expect(await person.page.getByText('Active', { exact: true }).count()).toBe(0)
    await person.open(`/webhooks/${holdings.full.webhook}`)
    await person.page.getByText('delivered once it is active').waitFor()
    await person.open('/agents')
    await person.page.getByText('Waiting', { exact: true }).waitFor()
    expect(await person.page.getByText('Answering', { exact: true }).count()).toBe(0)
    await person.open(`/agents/${holdings.full.instance}`)
    await person.page.getByText('The agent doesn’t answer for now.').waitFor()
    await person.open('/overview')
    await w.api('POST', `/v1/agency/accounts/${full.id}/activate`)
    await note.waitFor({ state: 'detached' })
    await person.page.context().close()
  })

  test('is seen where the window is open: the agency owes money, and has paid', async () => {
    const person = await personIn(w, browser, full.id, 'frozen@bakery.example')
    await person.open('/messages')
    const note = person.page.getByText('Sending has stopped: a payment is overdue', { exact: true })
    const card = (number: string) => w.api('PUT', '/v1/sandbox/billing/card', { number })
    await card(CARDS.works)
    expect((await w.api('POST', '/v1/billing/purchases', { plan: 'starter' })).status).toBe(201)
    await card(CARDS.declinedLater)
    await w.api('POST', '/v1/sandbox/billing/clock', { days: 32 })
    await w.api('POST', '/v1/sandbox/billing/clock', { days: 8 })
    await note.first().waitFor()
    await card(CARDS.works)
    await note.first().waitFor({ state: 'detached' })
    await person.page.context().close()
  })

  test('an unpaid invoice of the agency: the notice leads to where it is paid, and its name is the agency', async () => {
    const path = `/v1/agency/accounts/${full.id}/billing`
    await w.api('PATCH', '/v1/agency/billing', { enabled: true })
    const terms = { amount_cents: 4_900, currency: 'usd', interval: 'month', email: 'billing@bakery.example' }
    await w.api('PUT', path, terms)
    await expect.poll(async () => (await w.api('GET', path)).body.status, { timeout: 60_000 }).toBe('active')
    // Nobody can let the time of an agency's own account pass.
    const raw = new Database(join(w.home.dir, 'switchboard.db'))
    const reads = raw.prepare("SELECT run_at AS at FROM jobs WHERE kind = 'billing.client_usage' AND state = 'waiting'")
    await expect.poll(() => (reads.get() as { at: number } | undefined)?.at ?? 0).toBeGreaterThan(Date.now())
    raw.exec("UPDATE billing_clients SET state = 'past_due'")
    raw.close()
    // The service reads its own last commit.
    await w.api('PATCH', '/v1/agency/branding', { display_name: 'Bright Agency' })
    // The agency reads it of its client wherever it looks, on a phone too.
    await w.open('/clients')
    for (const width of [390, 768, 1280]) {
      await w.page.setViewportSize({ width, height: 800 })
      const words = w.page.getByRole('row').filter({ hasText: 'South bakery' }).getByText('invoice overdue')
      await expect.poll(() => words.locator('visible=true').count(), { message: String(width) }).toBe(1)
      expect(await words.evaluate((text) => text.scrollHeight - text.clientHeight), `cut at ${width}`).toBeLessThan(2)
    }
    const person = await personIn(w, browser, full.id, 'pays@bakery.example')
    const notice = person.page.getByText('An invoice from your agency is overdue.').first()
    await person.open('/billing')
    await notice.waitFor()
    await person.page.getByRole('main').getByRole('link', { name: 'Invoices', exact: true }).waitFor()
    await person.open('/overview')
    await notice.waitFor()
    await person.page.getByRole('link', { name: 'View', exact: true }).first().click()
    await person.page.getByText('$49.00').first().waitFor()
    const [hosted] = await Promise.all([
      person.page.context().waitForEvent('page'),
      person.page.getByRole('link', { name: /^Pay now/ }).click(),
    ])
    await hosted.getByText('$49.00').first().waitFor()
    await hosted.close()
    await person.open('/activity')
    await person.page.getByText('Set what this account pays').first().waitFor()
    const text = await main(person)
    expect(text).toContain('Bright Agency')
    expect(text).not.toMatch(/Operator|a client/)
    await person.page.context().close()
  })

  test('who has no slot for a number is told so wherever one is needed, and is offered no new number', async () => {
    const { id } = await clientOf(w, 'East bakery', EVERY, 0)
    const person = await personIn(w, browser, id, 'no-slot@bakery.example')
    for (const route of NEED_A_NUMBER) {
      await person.open(route)
      await person.page.getByText('This account has no slot for a number yet. Ask your agency for one.').waitFor()
      for (const name of ['New number', 'Pair a number', 'Go to Numbers'])
        expect(await person.page.getByRole('main').getByRole('link', { name, exact: true }).count(), route).toBe(0)
      expect(await person.page.getByRole('button', { name: 'New number' }).count(), route).toBe(0)
    }
    const { page } = person
    const told = page.getByRole('region', { name: /^Notifications/ }).getByText('This account has no slot for a number')
    const dialog = page.getByRole('dialog', { name: 'New number' })
    await person.open('/instances')
    await page.keyboard.press('n')
    await told.waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    await person.open('/settings')
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').fill('New number')
    await page.getByRole('option', { name: 'New number' }).click()
    await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor()
    await told.waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    await person.open('/welcome')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('main').getByText('This account has no slot for a number yet.').waitFor()
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /sandbox/i })
        .count(),
    ).toBe(0)
    await page.context().close()
  })

  test('an account whose slots are all in use says so, and offers a number again once one is free', async () => {
    const { id, api } = await clientOf(w, 'Full bakery', EVERY, 1)
    const made = (await api('POST', '/v1/instances', { name: 'The only one' })).body
    const person = await personIn(w, browser, id, 'full@bakery.example')
    const { page } = person
    const dialog = page.getByRole('dialog', { name: 'New number' })
    await person.open('/instances')
    await page.getByText('The only one').waitFor()
    await page.getByRole('button', { name: 'New number' }).click()
    await page.getByText('All slots are in use.').first().waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    await api('DELETE', `/v1/instances/${made.id}?confirm=true`)
    await page.getByText('The only one').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New number' }).first().click()
    await dialog.waitFor()
    await page.context().close()
  })

  test('a client reads of its own campaigns and of the invoices that it gets, not of those of Meta', async () => {
    const { id } = await clientOf(w, 'River bakery', EVERY)
    const budget = { amount_micros: 50_000_000, currency: 'usd' }
    expect((await w.api('PUT', `/v1/agency/accounts/${id}/message-budget`, budget)).status).toBe(200)
    const person = await personIn(w, browser, id, 'reads@bakery.example')
    await person.open('/billing')
    await person.page.getByText('If it charges you, its invoices are under Invoices.').waitFor()
    await person.open('/billing?tab=costs')
    await person.page.getByText('Budget: $50.00 · $0.00 spent').waitFor()
    await person.page.getByText('your campaigns wait. They continue when your agency raises the budget').waitFor()
    await person.page.context().close()
  })

  test('somebody who was invited finds their own name in the menu of the account', async () => {
    const person = await personIn(w, browser, bare.id, 'named@bakery.example')
    await person.page.getByRole('button', { name: 'Mia' }).waitFor()
    await person.page.context().close()
  })

  test('the sign-in tells a member nothing of commands, and keeps the command apart from the way in of members', async () => {
    const page = await browser.newPage()
    await page.goto(`${w.url}/console/`)
    const command = page.getByText('npm run console')
    const boxOf = async (what: typeof command) => (await what.boundingBox()) ?? { y: 0, height: 0 }
    const link = page.getByRole('button', { name: 'Sign in as a member' })
    const { y, height } = await boxOf(command)
    expect((await boxOf(link)).y).toBeGreaterThanOrEqual(y + height)
    await link.click()
    await page.getByText('Enter your email and password.').waitFor()
    await expect.poll(() => page.locator('main').innerText()).not.toMatch(/command|npm/)
    await page.close()
  })

  test('a link that was used says so, and whom to ask; the form of members waits below', async () => {
    const url = await invite(w, bare.id, 'ben@bakery.example')
    const used = await browser.newPage()
    await used.goto(url)
    await used.getByRole('heading', { name: 'Overview' }).waitFor()
    await used.context().clearCookies()
    await used.goto('about:blank')
    await used.goto(url)
    await used.getByRole('alert').getByText('ask them for a new one').waitFor()
    await used.getByRole('textbox', { name: 'Email' }).fill('ben@bakery.example')
    await used.getByLabel('Password').fill('wrong')
    await used.getByRole('button', { name: 'Sign in', exact: true }).click()
    await used.getByText('The email or the password is wrong.').waitFor()
    await used.context().close()
  })

  test('a client without slots is not led to a number that would be refused', async () => {
    const none = await clientOf(w, 'West bakery', [], 0)
    const person = await personIn(w, browser, none.id, 'waits@bakery.example')
    await person.open('/instances')
    await person.page.getByText('Ask your agency for one.').waitFor()
    await expect.poll(() => person.page.locator('main').getByRole('link', { name: 'Take the tour' }).count()).toBe(0)
    await person.open('/instances/wall')
    await person.page.getByText('No numbers yet').waitFor()
    expect(await main(person)).not.toContain('All p')
    await person.open('/billing')
    await person.page.getByText('This account has no slots. Ask your agency for one.').waitFor()
    expect(await main(person)).not.toMatch(/0 of 0|of 0 slots|All slots/)
    await person.page.context().close()
  })
})
