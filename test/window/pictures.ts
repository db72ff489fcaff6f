/**
 * `npm run pictures`: every screen of the console, light and dark, on a small agency's day in the sandbox. Those that the
 * README shows lie in resources/pictures; `npm run pictures -- FOLDER` writes all of them somewhere else to look at.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { build } from '../../resources/run.mjs'
import { browserPath } from '../support/browser.ts'
import { seedLaterDay, type LaterDay } from './pictures-seed.ts'

build()
// It finds the built service when it is loaded, so the build comes first.
const { testHome } = await import('../support/service-process.ts')

const SHOWN = resolve(import.meta.dirname, '../../resources/pictures')
const folder = process.argv[2] ?? SHOWN
const isShown = process.argv[2] === undefined
/** What the README shows: name of the picture and its theme. */
const IN_README = new Set([
  ...['overview-light', 'instances-light', 'pairing-light', 'messages-dark', 'webhook-light'],
  ...[
    'campaign-message-light',
    'campaign-report-dark',
    'agent-light',
    'recording-light',
    'clients-light',
    'billing-light',
  ],
])

const home = testHome()
const service = await home.start({
  SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,20,20',
  SWITCHBOARD_SANDBOX_VOICE_SPEED: '10',
})
const api = service.api((await home.key('Pictures')).key)
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })

try {
  const day = await seed()
  for (const scheme of ['light', 'dark'] as const) await take(scheme, day)
} finally {
  await browser.close()
  await home.remove()
}

interface Day extends LaterDay {
  readonly paired: string
  readonly waiting: string
  readonly webhook: string
  /** A campaign that was sent, and one that is being written. */
  readonly campaign: string
  readonly draft: string
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
  const sent = await campaigns(ids.filter((id) => id !== waiting))
  return { paired, waiting, webhook, ...sent, ...(await seedLaterDay(service.api, api, paired, '12025550100')) }
}

/** People who answer, one who is not there, and two variations of which one is answered more. */
async function campaigns(ids: readonly string[]): Promise<Pick<Day, 'campaign' | 'draft'>> {
  const [bakery = '', dentist = '', , studio = ''] = ids
  const names = ['Ana Souza', 'Ben Carter', 'Clara Díaz', 'Davi Lima', 'Elisa Moreno', 'Felipe Rocha']
  const numbers = Array.from({ length: 90 }, (_, n) => `1202555${4_000 + n}`)
  const recipients = [...numbers, '12025550404', '12025551404'].map((phone, n) => ({
    ...{ phone, name: names[n % names.length] ?? null, variables: { city: n % 2 === 0 ? 'Boston' : 'Recife' } },
  }))
  for (const number of numbers.slice(0, 24)) await api('POST', '/v1/sandbox/phones', { number })
  const messages = [
    {
      text: '{Hi|Hello} {{name|there}}!\n\n*Spring is here:* this week, every loaf of sourdough comes with a free roll.\n\nShall we keep one for you in {{city}}?',
      buttons: [
        { id: '1', text: 'Yes, please' },
        { id: '2', text: 'Not this week' },
      ],
    },
    { text: '{{name|Hi}}, our ovens are on. Sourdough with a free roll, only this week in {{city}}.' },
  ]
  const config = { minDelay: 0, maxDelay: 0, maxFailuresInRow: null, stopOnErrorPercent: null }
  const instance_ids = [bakery, dentist, studio]
  const sent = { instance_ids, name: 'Spring bread week', messages, recipients, config, start: true }
  const { campaign_id: campaign } = (await api('POST', '/v1/campaigns', sent)).body
  const finished = async () => (await api('GET', `/v1/campaigns/${campaign}`)).body.status === 'completed'
  for (let tries = 0; tries < 120 && !(await finished()); tries++) await new Promise((done) => setTimeout(done, 500))
  const { data } = (await api('GET', `/v1/campaigns/${campaign}/recipients?limit=200`)).body
  const reached = data.filter((each: any) => each.message_id !== null).slice(0, 22)
  const sender = async (id: string) => (await api('GET', `/v1/instances/${id}`)).body.phone_number as string
  for (const [n, each] of reached.entries()) {
    if (each.variation === 2 && n % 3 !== 0) continue
    const to = await sender(each.instance_id)
    await api('POST', `/v1/sandbox/phones/${each.phone}/messages`, { to, text: n === 7 ? 'STOP' : 'Yes, please!' })
  }
  const open = { instance_ids: [bakery], name: 'Mother’s Day cakes', messages, recipients: recipients.slice(0, 40) }
  const { campaign_id: draft } = (await api('POST', '/v1/campaigns', open)).body
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  await api('POST', '/v1/campaigns', { ...open, name: 'Sunday brunch', scheduled_at: tomorrow })
  const slow = { minDelay: 600, maxDelay: 900 }
  await api('POST', '/v1/campaigns', { ...sent, name: 'Holiday opening hours', config: slow })
  return { campaign, draft }
}

async function take(scheme: 'light' | 'dark', day: Day): Promise<void> {
  const { paired, waiting, webhook, campaign, draft, recording, client } = day
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
    campaigns: '/campaigns',
    'campaign-numbers': `/campaigns/edit/${draft}`,
    'campaign-message': `/campaigns/edit/${draft}?step=message`,
    'campaign-people': `/campaigns/edit/${draft}?step=people`,
    'campaign-pace': `/campaigns/edit/${draft}?step=pace`,
    'campaign-review': `/campaigns/edit/${draft}?step=review`,
    campaign: `/campaigns/${campaign}`,
    'campaign-recipients': `/campaigns/${campaign}?tab=people`,
    'campaign-report': `/campaigns/${campaign}?tab=report`,
    agents: '/agents',
    agent: `/agents/${paired}?tab=knowledge`,
    calls: '/calls',
    recording: `/recordings/${paired}/${recording}`,
    voice: `/voice/${paired}`,
    clients: '/clients',
    client: `/clients/${client}`,
    billing: '/billing',
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook}`,
    events: '/events',
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
  await page.waitForTimeout(3_000)
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
