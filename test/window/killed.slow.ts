import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOnScreen } from '../support/qr.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { createKiller } from './killer.ts'

/** The service is killed in the middle of what somebody does, and started again: nothing is lost, and nothing done twice. */
const TIMEOUT = { timeout: 600_000 }
const [OURS, PERSON] = ['12025550100', '12025550101']
let w: ConsoleWindow
let page: Page
let killer: ReturnType<typeof createKiller>
let line: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  killer = createKiller(w)
  line = await pairedInstance(w.api, OURS, 'Bakery Luz')
  await w.api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana Souza' })
  await page.getByRole('button', { name: 'Skip for now' }).click()
})
afterAll(() => w.remove())

const kill = () => killer.kill()
const unreachable = () => killer.unreachable()
const back = () => killer.back()
const killAfter = (path: string, act: () => Promise<unknown>) => killer.killAfter(path, act)
const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.getByRole('button', { name, exact: true })
const listed = async (path: string): Promise<any[]> => (await w.api('GET', path)).body.data

describe('a screen', TIMEOUT, () => {
  test('that was not opened before says why it does not open, and opens when the service is back', async () => {
    await w.open(`/messages/${line}/${PERSON}`)
    await kill()
    await unreachable().waitFor()
    await page.getByRole('link', { name: 'Opt-outs', exact: true }).click()
    await page.getByText('This screen opens as soon as Switchboard can be reached.').first().waitFor()
    await back()
    await page.getByRole('heading', { level: 1, name: 'Opt-outs' }).waitFor()
  })
})

describe('a message', TIMEOUT, () => {
  const arrived = async (text: string) =>
    (await listed(`/v1/sandbox/phones/${PERSON}/messages`)).filter((message) => message.text === text).length
  const composer = () => page.getByPlaceholder('Write a message')

  test('that is half typed is still there, and can be sent', async () => {
    await w.open(`/messages/${line}/${PERSON}`)
    await composer().fill('Your bread is')
    await kill()
    await unreachable().waitFor()
    await expect.poll(() => composer().inputValue()).toBe('Your bread is')
    await back()
    await composer().pressSequentially(' ready.')
    await page.keyboard.press('Enter')
    await expect.poll(() => arrived('Your bread is ready.')).toBe(1)
  })

  test('whose answer was lost arrives once, and is not said to be lost', async () => {
    const text = 'We are open on Sunday.'
    await killAfter('**/panel/v1/instances/*/messages', async () => {
      await composer().fill(text)
      await page.keyboard.press('Enter')
    })
    const bubble = page.getByRole('article').filter({ hasText: text })
    await bubble.waitFor()
    await back()
    await expect.poll(() => arrived(text)).toBe(1)
    await bubble.waitFor()
    await expect.poll(() => bubble.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })
})

/** How what somebody creates is created again after its answer was lost. */
interface Creation {
  readonly route: string
  readonly open: string
  readonly fill: () => Promise<void>
  readonly path: string
  readonly submit: string
  /** What the window shows then. */
  readonly then: string | RegExp
  readonly count: () => Promise<number>
}

const CREATIONS: Readonly<Record<string, Creation>> = {
  'a number': {
    ...{ route: '/instances', open: 'New number', submit: 'Create and pair', path: '**/panel/v1/instances' },
    fill: () => dialog().getByLabel('Name', { exact: true }).fill('Casa Verde'),
    then: /QR|Scan/,
    count: async () => (await listed('/v1/instances')).filter(({ name }) => name === 'Casa Verde').length,
  },
  'a client': {
    ...{ route: '/clients', open: 'New client', submit: 'Create client', path: '**/panel/v1/agency/accounts' },
    fill: () => dialog().getByLabel('Name', { exact: true }).fill('North bakery'),
    then: 'This client has no numbers yet.',
    count: async () => (await listed('/v1/agency/accounts')).length,
  },
}

describe('what is created, when its answer is lost', TIMEOUT, () => {
  test.each(Object.entries(CREATIONS))('%s: what was typed is there, and is seen once', async (_, each) => {
    await w.open(each.route)
    await button(each.open).first().click()
    await each.fill()
    await killAfter(each.path, () => dialog().getByRole('button', { name: each.submit }).click())
    await dialog().getByText('Can’t reach Switchboard').waitFor()
    await w.restart()
    await expect.poll(() => each.count()).toBe(1)
    await dialog().getByRole('button', { name: 'Try again' }).click()
    await page.getByText(each.then).first().waitFor()
    await expect.poll(() => each.count()).toBe(1)
    await page.keyboard.press('Escape')
  })

  test('a webhook: the window says that it may exist, and shows it', async () => {
    await w.open('/webhooks')
    await button('New webhook').first().click()
    await button('No server? Use a catcher').click()
    await killAfter('**/panel/v1/webhooks', () => button('Create webhook').click())
    await dialog().getByText('the webhook may exist already').waitFor()
    await w.restart()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('catcher.sandbox/first-try').first().waitFor()
    expect(await listed('/v1/webhooks')).toHaveLength(1)
  })
})

describe('a campaign', TIMEOUT, () => {
  const PEOPLE = Array.from({ length: 3 }, (_, n) => `1202555400${n}`)
  const named = async (name: string) => (await listed('/v1/campaigns')).filter((one) => one.name === name)
  const next = () => button('Next').click()
  const step = (name: string) => page.getByRole('heading', { name, level: 2 }).waitFor()

  test('whose creation was answered by nobody is created once, with everything that was typed', async () => {
    await w.open('/campaigns/edit')
    await page.getByLabel('Campaign name').fill('Spring offer')
    await page.getByRole('checkbox', { name: /^Bakery Luz/ }).click()
    await killAfter('**/panel/v1/campaigns', next)
    await page.locator('main').getByText('Can’t reach Switchboard').first().waitFor()
    await expect.poll(() => page.getByLabel('Campaign name').inputValue()).toBe('Spring offer')
    await back()
    await page.getByText('Draft saved').waitFor()
    expect(await named('Spring offer')).toHaveLength(1)
    await next()
    await step('What is the message?')
    expect(await named('Spring offer')).toHaveLength(1)
  })

  test('whose message was typed while the service was away is saved when it is back', async () => {
    await kill()
    await unreachable().waitFor()
    await page.getByLabel('Message text').fill('Fresh bread on Sunday')
    await page.locator('main').getByText('Can’t reach Switchboard').first().waitFor()
    await back()
    await page.getByText('Draft saved').waitFor()
    await expect.poll(() => page.getByLabel('Message text').inputValue()).toBe('Fresh bread on Sunday')
    await next()
    await step('Who gets the message?')
    const [{ campaign_id: id }] = await named('Spring offer')
    expect((await w.api('GET', `/v1/campaigns/${id}`)).body.messages).toMatchObject([{ text: 'Fresh bread on Sunday' }])
  })

  test('whose test message was answered by nobody sends it once', async () => {
    const [{ campaign_id: id }] = await named('Spring offer')
    await w.api('PATCH', `/v1/campaigns/${id}`, { recipients: PEOPLE.map((phone) => ({ phone })) })
    await w.open(`/campaigns/edit/${id}?step=review`)
    await button('Send a test').click()
    await dialog().getByLabel('Your phone number').fill(`+${PERSON}`)
    await killAfter(`**/panel/v1/campaigns/${id}/test`, () => button('Send test').click())
    await dialog().getByText('Can’t reach Switchboard').waitFor()
    await w.restart()
    const arrived = async () =>
      (await listed(`/v1/sandbox/phones/${PERSON}/messages`)).filter(({ text }) => text === 'Fresh bread on Sunday')
    await expect.poll(arrived, { timeout: 60_000 }).toHaveLength(1)
    await dialog().getByRole('button', { name: 'Try again' }).click()
    await dialog().getByText('Sent. Check your phone.').waitFor()
    expect(await arrived()).toHaveLength(1)
    await page.keyboard.press('Escape')
  })

  test('whose start was answered by nobody writes to each person once, and the window shows that it runs', async () => {
    const [{ campaign_id: id }] = await named('Spring offer')
    await w.api('PATCH', `/v1/campaigns/${id}`, { config: { minDelay: 0, maxDelay: 0 } })
    await w.open('/campaigns')
    await w.open(`/campaigns/edit/${id}?step=review`)
    await button('Start…').click()
    await killAfter(`**/panel/v1/campaigns/${id}/start`, () => button('Start sending').click())
    await dialog().getByText('Can’t reach Switchboard').waitFor()
    await w.restart()
    // Nobody presses anything: the window sees that it has started.
    await page.getByRole('tab', { name: 'Progress' }).waitFor()
    await page.getByText('Completed').first().waitFor({ timeout: 60_000 })
    const { counts } = (await w.api('GET', `/v1/campaigns/${id}`)).body
    expect(counts).toMatchObject({ total: 3, sent: 3, failed: 0 })
    expect(await named('Spring offer')).toHaveLength(1)
  })
})

describe('a pairing', TIMEOUT, () => {
  test('says that its code is over, gets a new one, and ends in the window when the phone has scanned', async () => {
    const { id } = (await w.api('POST', '/v1/instances', { name: 'Studio Norte' })).body
    await w.open(`/instances/${id}`)
    await button('Pair').click()
    await page.getByRole('img', { name: /QR/i }).waitFor()
    await kill()
    await unreachable().waitFor()
    await back()
    await button('Get a new code').click()
    await w.api('POST', '/v1/sandbox/phones', { number: '12025550177', name: 'Studio' })
    // As a camera sees it: an old code would be refused.
    await expect
      .poll(async () => {
        const qr = await codeOnScreen(page)
        return (await w.api('POST', '/v1/sandbox/phones/12025550177/scan', { qr: qr ?? '' })).status
      })
      .toBe(200)
    await dialog().getByText('Connected').first().waitFor()
    await page.keyboard.press('Escape')
  })
})

describe('a purchase', TIMEOUT, () => {
  test('whose answer was lost is paid once, and the repeat says so', async () => {
    await w.api('PUT', '/v1/sandbox/billing/card', { number: '4242424242424242' })
    await w.open('/billing')
    await button('Choose: Starter').click()
    await killAfter('**/panel/v1/billing/purchases', () => button('Pay $19.00 now').click())
    await w.restart()
    await dialog().getByRole('button', { name: 'Try again' }).click()
    await dialog().getByText('Purchase complete: Starter').waitFor()
    const paid = (await listed('/v1/billing/purchases')).filter(({ status }) => status === 'paid')
    expect(paid).toHaveLength(1)
  })
})
