/**
 * `npm run pictures`: every screen of the console, light and dark, on a small agency's day in the sandbox. Those that the
 * README shows lie in resources/pictures; `npm run pictures -- FOLDER` writes all of them somewhere else to look at.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { build } from '../../resources/run.mjs'
import { browserPath } from '../support/browser.ts'

build()
// It finds the built service when it is loaded, so the build comes first.
const { testHome } = await import('../support/service-process.ts')

const SHOWN = resolve(import.meta.dirname, '../../resources/pictures')
const folder = process.argv[2] ?? SHOWN
const isShown = process.argv[2] === undefined
/** What the README shows: name of the picture and its theme. */
const IN_README = new Set(['overview-light', 'instances-light', 'pairing-light', 'messages-dark', 'webhook-light'])

const home = testHome()
const service = await home.start({ SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,20,20' })
const api = service.api((await home.key('Pictures')).key)
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })

try {
  const day = await seed()
  for (const scheme of ['light', 'dark'] as const) await take(scheme, day)
} finally {
  await browser.close()
  await home.remove()
}

interface Day {
  readonly paired: string
  readonly waiting: string
  readonly webhook: string
}

async function seed(): Promise<Day> {
  const names = ['Bakery Luz', 'Dr. Prado Dental', 'Casa Verde Imóveis', 'Studio Norte', 'Mercado Sol', 'Ótica Vista']
  await api('POST', '/v1/sandbox/phones', { number: '12025550199', name: 'Ana Souza' })
  const { id: webhook } = (
    await api('POST', '/v1/webhooks', {
      url: 'https://catcher.sandbox/crm',
      events: ['*'],
      description: 'Everything into the CRM',
    })
  ).body
  const ids: string[] = []
  for (const [index, name] of names.entries()) {
    const { id } = (await api('POST', '/v1/instances', { name, external_ref: `client-${index + 41}` })).body
    ids.push(id)
    if (index === 3) continue
    const number = `1202555010${index}`
    await api('POST', '/v1/sandbox/phones', { number, name })
    const { pairing_code: code } = (await api('GET', `/v1/instances/${id}/qr`)).body
    await api('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code: code })
  }
  await new Promise((done) => setTimeout(done, 800))
  const [paired = '', , , waiting = ''] = ids
  const says = (text: string) => api('POST', '/v1/sandbox/phones/12025550199/messages', { to: '12025550100', text })
  const answers = async (text: string) => {
    await api('POST', `/v1/instances/${paired}/messages`, { to: '12025550199', text })
    await new Promise((done) => setTimeout(done, 150))
  }
  await says('Good morning! Do you still have the rye bread?')
  await answers('Good morning, Ana. Yes, fresh from the oven at nine.')
  await says('Wonderful. Can you keep two for me?')
  await answers('Two are set aside under your name. See you later!')
  await says('Thank you!')
  await new Promise((done) => setTimeout(done, 1_000))
  return { paired, waiting, webhook }
}

async function take(scheme: 'light' | 'dark', { paired, waiting, webhook }: Day): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: scheme,
    locale: 'en-US',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const { console_url: address } = JSON.parse((await home.command('console', '--json')).out) as { console_url: string }
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate(async () => {
    const name = JSON.stringify({ name: 'Luz Agency' })
    await fetch('/panel/v1/account', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: name })
  })
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  const screens: Readonly<Record<string, string>> = {
    overview: '/overview',
    instances: '/instances',
    instance: `/instances/${paired}`,
    wall: '/instances/wall',
    messages: `/messages/${paired}/12025550199`,
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook}`,
    keys: '/keys',
    assistants: '/assistants/connect',
    sandbox: '/sandbox',
    settings: '/settings',
    reference: '/settings/api',
    welcome: '/welcome',
  }
  for (const [name, route] of Object.entries(screens)) {
    await page.evaluate((to) => void (location.hash = `#${to}`), route)
    await shoot(page, `${name}-${scheme}`)
  }
  await page.evaluate((to) => void (location.hash = `#${to}`), `/instances/${waiting}`)
  await page
    .getByRole('button', { name: /^(Pair|Reconnect)/ })
    .first()
    .click()
  await page.getByRole('img', { name: /QR/i }).first().waitFor()
  await shoot(page, `pairing-${scheme}`)
  await context.close()
}

async function shoot(page: Page, name: string): Promise<void> {
  if (isShown && !IN_README.has(name)) return
  await page.waitForTimeout(900)
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
