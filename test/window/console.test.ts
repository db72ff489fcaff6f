import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../main/contract/limits.ts'
import { consoleAddress, openConsole, type ConsoleWindow } from '../support/window.ts'

/** The way into the console: only a browser needs one. */
const PASSWORD = 'bread at nine, fresh'
let w: ConsoleWindow
let page: Page

beforeAll(async () => {
  w = await openConsole()
  page = w.page
})
afterAll(() => w.remove())

/** Somebody else's browser, as far as the service can tell. */
async function arrive(address: string): Promise<void> {
  await w.context.clearCookies()
  await page.goto('about:blank')
  await page.goto(address)
}

test('the session cookie is HttpOnly and SameSite=Strict', async () => {
  const cookies = await w.context.cookies()
  expect(cookies.map(({ httpOnly, sameSite, path }) => ({ httpOnly, sameSite, path }))).toEqual([
    { httpOnly: true, sameSite: 'Strict', path: '/panel/' },
  ])
})

test('the pairing wall says how to add a number when there are none, not that all phones are paired', async () => {
  await w.open('/instances/wall')
  await page.getByText('No numbers yet').waitFor()
  await expect
    .poll(() => page.getByRole('link', { name: 'New number' }).getAttribute('href'))
    .toContain('/instances?new=1')
  await expect.poll(() => page.getByText('All phones are paired').count()).toBe(0)
})

test('a member sees only their own settings, and none of the computer', async () => {
  const { home, asked } = w
  const database = new Database(join(home.dir, 'switchboard.db'))
  const become = (role: string) => database.prepare('UPDATE console_sessions SET role = ?').run(role)
  await w.open('/settings')
  await page.getByRole('heading', { name: 'Storage', exact: true }).waitFor()
  become('member')
  const before = asked.length
  await page.reload()
  await page.getByRole('heading', { name: 'Appearance', exact: true }).waitFor()
  await w.settle()
  for (const name of ['Storage', 'Network', 'Limits', 'Diagnostics'])
    expect(await page.getByRole('heading', { name, exact: true }).count(), name).toBe(0)
  expect(asked.slice(before).filter((url) => /service\/(settings|backups)/.test(url))).toEqual([])
  become('operator')
  database.close()
  await page.reload()
  await page.getByRole('heading', { name: 'Storage', exact: true }).waitFor()
})

test('a late 401 response from an earlier session does not end the new session', async () => {
  await w.open('/settings')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByLabel('Confirm password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Password set').first().waitFor()
  const late = await holdBack('/panel/v1/keys', () => go('/keys'))
  await signOut()
  await signIn(PASSWORD)
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()

  const session = page.waitForResponse('**/panel/session')
  await late.fulfill({ status: 401, json: { error: { code: 'unauthorized', message: 'Sign in.' } } })
  await session
  await w.settle()
  await expect.poll(() => page.getByRole('heading', { name: 'API keys', level: 1 }).isVisible()).toBe(true)
})

test('a late response from an ended session does not leave the sign-in page', async () => {
  const rename = () =>
    page.evaluate(
      () =>
        void fetch('/panel/v1/account', {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'Bakery Luz' }),
        }),
    )
  const late = await holdBack('/panel/session', rename)
  const answer = await late.fetch()
  await signOut()
  await late.fulfill({ response: answer })
  await w.settle()
  await expect.poll(() => page.getByRole('heading', { name: 'Sign in', exact: true }).isVisible()).toBe(true)
})

test('a wrong password is refused with an error in the language of the page', async () => {
  await speak('pt-BR')
  await signIn(`${PASSWORD}?`)
  await page.getByText('A senha está errada.').waitFor()
  await speak('en')
})

test('the sign-in link of the service works once, and its code is removed from the address', async () => {
  const address = await consoleAddress(w.home)
  await arrive(address)
  await page.getByRole('heading', { name: 'Name your workspace' }).waitFor()
  expect(page.url()).not.toContain('code')

  await arrive(address)
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  expect(w.log()).toContain('console.sign_in_refused')
})

test('a sign-in link that is rate-limited or finds no service is retried until it signs in', async () => {
  const answers: ((route: Route) => Promise<void>)[] = [
    (route) => route.abort(),
    (route) =>
      route.fulfill({
        ...{ status: 429, headers: { 'retry-after': '1' } },
        json: { error: { code: 'rate_limited', message: 'Wait.' } },
      }),
  ]
  const address = await consoleAddress(w.home)
  let isGone = true
  await page.route('**/panel/session', async (route) => {
    if (isGone && route.request().method() === 'GET') return route.abort()
    const answer = route.request().method() === 'POST' ? answers.shift() : undefined
    return answer === undefined ? route.continue() : answer(route)
  })
  await arrive(address)
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  isGone = false
  await page.getByText('Your link will be used again in a second.').waitFor()
  await page.getByRole('heading', { name: 'Name your workspace' }).waitFor()
  await page.unroute('**/panel/session')
  await signOut()
})

test('repeated wrong passwords are rate-limited, and the error says for how long in the language of the page', async () => {
  await speak('es')
  const waits = page.getByText(/^Demasiados intentos\. Espere (un segundo|\d+ segundos) /)
  // On a slow machine, the limit refills while the test types.
  for (let guesses = 0; guesses < 2 * LIMITS.refusedPasswordsPerMinute && !(await waits.isVisible()); guesses++) {
    await signIn(`${PASSWORD}${guesses}`)
    await w.settle()
  }
  await expect.poll(() => waits.isVisible()).toBe(true)
})

/** @returns the next question to this path, for the test to answer when it likes. */
async function holdBack(path: string, ask: () => Promise<unknown>): Promise<Route> {
  const { promise, resolve } = Promise.withResolvers<Route>()
  await page.route(`**${path}*`, resolve, { times: 1 })
  await ask()
  return promise
}

const go = (route: string) => page.evaluate((to) => void (location.hash = `#${to}`), route)

async function signIn(password: string): Promise<void> {
  await page.locator('input[type=password]').fill(password)
  await page.locator('button[type=submit]').click()
}

async function speak(language: string): Promise<void> {
  await page.evaluate((tag) => localStorage.setItem('switchboard.language', tag), language)
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
}

async function signOut(): Promise<void> {
  await page.getByRole('button', { name: 'Operator', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
}
