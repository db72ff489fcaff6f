import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catchEverything, pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** What the window says while something is wrong, and that it is true. */
const OURS = '12025550100'
const PERSON = '12025550101'
const ANYTHING = '**/panel/v1/**'
const BUSY = {
  status: 503,
  json: {
    error: { code: 'service_unavailable', message: 'The service is busy.', request_id: 'req_1', retryable: true },
  },
}
let w: ConsoleWindow
let page: Page
let webhook: { id: string }
let line: string

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  webhook = await catchEverything(w.api, 'crm')
  await w.api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana Souza' })
  line = await pairedInstance(w.api, OURS, 'Bakery Luz')
})
afterAll(() => w.remove())

const fail = (path = ANYTHING) => page.route(path, (route) => route.fulfill(BUSY))
const heal = () => page.unrouteAll()
const rows = () => page.getByRole('table').getByRole('button', { name: /^(instance|message)\./ })
const speak = (text: string) => w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OURS, text })
async function afresh(route: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${w.url}/console/#${route}`)
  await page.locator('h1').waitFor()
}

describe('while the service does not answer', () => {
  test('the log shows no delivery that its filter leaves out, and follows again once there are answers', async () => {
    await w.open(`/webhooks/${webhook.id}`)
    await rows().first().waitFor()
    await fail()
    await page.getByRole('combobox', { name: 'Event' }).click()
    await page.getByRole('option', { name: 'message.received' }).click()
    await page.getByText('Switchboard is starting, stopping or busy.').waitFor()
    await expect.poll(() => rows().count()).toBe(0)
    await heal()
    await speak('Is anybody there?')
    await rows().first().waitFor()
    await expect.poll(() => page.getByText('Switchboard is starting, stopping or busy.').count()).toBe(0)
    await expect.poll(() => rows().allInnerTexts()).toEqual([expect.stringContaining('message.received')])
  })

  test('nobody is told that there are no instances', async () => {
    await fail('**/panel/v1/instances?*')
    await afresh('/sandbox/faults')
    await page.getByText('Switchboard is starting, stopping or busy.').waitFor()
    await expect.poll(() => page.getByText('No sandbox numbers yet').count()).toBe(0)
    await heal()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Trigger: Banned number' }).waitFor()
  })

  test('a message that could not be sent is still there after a reload, and is sent once when tried again', async () => {
    const error = {
      code: 'not_ready',
      message: 'The instance is not connected.',
      request_id: 'req_1',
      retryable: false,
    }
    await page.route('**/panel/v1/instances/*/messages', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 409, json: { error } }) : route.continue(),
    )
    await w.open(`/messages/${line}/${PERSON}`)
    await page.getByPlaceholder('Write a message').fill('Are you open on Sunday?')
    await page.keyboard.press('Enter')
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await heal()
    await page.reload()
    await page.getByRole('article').getByText('Are you open on Sunday?').waitFor()
    await again.click()
    await again.waitFor({ state: 'hidden' })
    const arrived = async () => {
      const { data } = (await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body
      return data.filter(({ text }: { text: string }) => text === 'Are you open on Sunday?').length as number
    }
    await expect.poll(arrived).toBe(1)
  })

  test('what went wrong is in sight at the end of a long form', async () => {
    await w.open('/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByRole('button', { name: 'No server? Use a catcher' }).click()
    await fail()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const again = page.getByRole('dialog').getByRole('button', { name: 'Try again' })
    await expect.poll(() => again.evaluate(isSeen)).toBe(true)
    await heal()
    await page.keyboard.press('Escape')
    // What is typed is not stored.
    await page.locator('[data-discard]').click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })
})

describe('a delivery that is held', () => {
  const waiting = () => page.getByRole('row').filter({ hasText: 'Pending' })

  test('by a pause has no next attempt, and cannot be redelivered: both are said', async () => {
    await w.api('PATCH', `/v1/webhooks/${webhook.id}`, { active: false })
    await speak('Hello?')
    await w.open(`/webhooks/${webhook.id}`)
    await waiting().getByRole('button').click()
    const detail = page.getByRole('dialog')
    await detail.getByText('The webhook isn’t active. Resume it first.').waitFor()
    await expect.poll(() => detail.innerText()).not.toContain('next attempt')
    await page.keyboard.press('Escape')
    await waiting().getByRole('checkbox').click()
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('1 couldn’t be resent: The webhook isn’t active. Resume it first.').first().waitFor()
  })

  test('by a locked keychain neither, and the settings say what to do', async () => {
    await page.route('**/panel/v1/service', async (route) => {
      const answer = await route.fetch()
      const view = (await answer.json()) as { vault: object }
      const vault = {
        kind: 'keychain',
        state: 'sealed',
        asking: 'repeated',
        notice: null,
        problem: 'The keychain refuses.',
      }
      await route.fulfill({ response: answer, json: { ...view, vault } })
    })
    await w.api('PATCH', `/v1/webhooks/${webhook.id}`, { active: true })
    await afresh(`/webhooks/${webhook.id}`)
    await rows().first().click()
    const detail = page.getByRole('dialog')
    await detail.getByText('The keychain is locked, so deliveries can’t be signed. Unlock it first.').waitFor()
    await expect.poll(() => detail.getByRole('button', { name: 'Redeliver' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    const note = page.getByRole('status').filter({ hasText: 'Keychain locked' })
    await expect.poll(() => note.innerText()).toContain('Unlock it. We try again every 30 seconds.')
    await w.open('/settings')
    await page.getByText('The keychain refuses.', { exact: true }).waitFor()
    await heal()
  })
})

test('a phone of the sandbox writes to any number, however many instances are newer', async () => {
  const more = Array.from({ length: 120 }, (_, index) => ({ name: `Client ${index}` }))
  await Promise.all(more.map((body) => w.api('POST', '/v1/instances', body)))
  await afresh(`/sandbox/phones/${PERSON}`)
  await expect.poll(() => page.getByRole('combobox', { name: /writes to/ }).inputValue()).toBe('Bakery Luz')
})

/** Runs in the page: nothing lies over it, and it is inside whatever scrolls. */
function isSeen(thing: Element): boolean {
  const { left, top, width, height } = thing.getBoundingClientRect()
  return thing.contains(document.elementFromPoint(left + width / 2, top + height / 2))
}
