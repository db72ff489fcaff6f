import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { browserPath } from '../support/browser.ts'
import { codeOnScreen } from '../support/qr.ts'
import { testHome, type Api, type RunningService } from '../support/service-process.ts'

const home = testHome()
let service: RunningService
let api: Api
let browser: Browser

beforeAll(async () => {
  service = await home.start()
  api = service.api((await home.key('agency')).key)
  browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  const brand = { display_name: 'North bakery', colors: { primary: '#ffe100', background: '#8a8a8a' } }
  await api('PATCH', '/v1/agency/branding', brand)
})
afterAll(async () => {
  await browser.close()
  await home.remove()
})

describe.each(['light', 'dark'] as const)('the page of a link on a phone, %s', (colorScheme) => {
  test('can be scanned, passes the accessibility rules, and shows the success without a reload', async () => {
    const { id } = (await api('POST', '/v1/instances', {})).body
    const { url } = (await api('POST', `/v1/instances/${id}/access-links`, {})).body
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme, locale: 'pt-BR' })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (line) => line.type() === 'error' && problems.push(line.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(url)
    await page.getByRole('heading', { name: 'Conecte seu número do WhatsApp' }).waitFor()
    expect(await brokenRules(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    const box = await page.locator('.qr').boundingBox()
    expect(box?.width).toBeGreaterThan(300)

    const qr = await codeOnScreen(page)
    expect(qr).toBeDefined()
    const number = colorScheme === 'light' ? '12025550301' : '12025550302'
    expect((await api('POST', `/v1/sandbox/phones/${number}/scan`, { qr })).status).toBeLessThan(300)
    await page.getByRole('heading', { name: 'Seu número está conectado' }).waitFor()
    expect(await brokenRules(page)).toEqual([])
    expect(problems).toEqual([])
    expect(asked.filter((address) => !address.startsWith(service.url) && !address.startsWith('data:'))).toEqual([])
    expect(await context.cookies()).toEqual([])
    await page.reload()
    await page.getByRole('heading', { name: 'Este link não funciona' }).waitFor()
    expect(await brokenRules(page)).toEqual([])
    await context.close()
  })
})

test('a page displaced by newer ones says so, and a page that finds all streams taken reconnects later', async () => {
  const { id } = (await api('POST', '/v1/instances', {})).body
  const { url } = (await api('POST', `/v1/instances/${id}/access-links`, {})).body
  const context = await browser.newContext({ locale: 'es' })
  const page = await context.newPage()
  const first = await Promise.all([page.waitForResponse(`${url}/events`), page.goto(url)])
  expect(first[0].status()).toBe(200)
  const others = new AbortController()
  for (let nth = 0; nth < 10; nth++) await fetch(`${url}/events`, { signal: others.signal })
  await page.getByText('Esta página está abierta en demasiadas ventanas y ya no se actualiza aquí.').waitFor()
  others.abort()

  const full = { status: 429, headers: { 'content-type': 'application/json' }, body: '{}' }
  await page.route('**/events', (route) => route.fulfill(full), { times: 1 })
  await page.reload()
  await page.getByText('Hay demasiadas páginas abiertas en este momento').waitFor()
  await page.waitForResponse((answer) => answer.url().endsWith('/events') && answer.status() === 200, {
    timeout: 20_000,
  })
  await page.getByText('Hay demasiadas páginas abiertas en este momento').waitFor({ state: 'hidden' })
  await context.close()
})
