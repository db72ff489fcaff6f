import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedCall } from '../support/recorded-call.ts'
import { caught } from '../support/sandbox.ts'
import { codeOnScreen } from '../support/qr.ts'
import { sized } from '../support/sized.ts'
import { openConsole, openDesktop, strangers, type OpenWindow } from '../support/window.ts'
import { everyPlace } from './places.ts'

const OURS = '12025550100'
const PERSON = '12025550101'
const PASSWORD = 'a long walk in the rain'
const HOMES = [
  ['the console in a browser', openConsole],
  ['the desktop app in the stand-in', openDesktop],
] as const

/** The same day in both homes, as a person has it: a real window, a real service, and the network simulated. */
describe.each(sized(HOMES.slice(0, 1), [...HOMES]))('%s', (_name, openHome) => {
  let w: OpenWindow
  /** Everything that was secret on the way. */
  const secrets = new Map<string, string>()
  const received = async () => JSON.stringify((await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body)

  beforeAll(async () => {
    w = await openHome({ SWITCHBOARD_LOG_LEVEL: 'debug' })
    for (const [name, secret] of Object.entries(w.secrets)) secrets.set(name, secret)
  })
  afterAll(() => w.remove())

  test('the workspace is named, and a phone paired by what a camera sees', async () => {
    const { page, api } = w
    await page.getByLabel('Workspace').fill('Bakery Luz')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Pair a sandbox phone' }).click()
    await page.getByRole('img', { name: /QR/i }).waitFor()
    await expect.poll(() => codeOnScreen(page)).not.toBeUndefined()
    const qr = (await codeOnScreen(page)) ?? ''
    const { data } = (await api('GET', '/v1/instances')).body
    const { pairing_code: code, qr: picture } = (await api('GET', `/v1/instances/${data[0].id}/qr`)).body
    secrets.set('the content of the QR code', qr).set('the pairing code', code)
    secrets.set('the picture of the QR code', picture.slice(-400, -200))
    await api('POST', '/v1/sandbox/phones', { number: OURS, name: 'Front desk' })
    expect((await api('POST', `/v1/sandbox/phones/${OURS}/scan`, { qr })).status).toBe(200)
    await page.getByText('Connected', { exact: false }).first().waitFor()
  })

  test('a first message is sent and watched until it is read', async () => {
    const { page, api } = w
    await api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana' })
    await page.getByRole('textbox', { name: 'To' }).fill(`+${PERSON}`)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Read', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor()
  })

  test('what the other side writes is there within a moment, and is answered', async () => {
    const { page, api } = w
    const { data } = (await api('GET', '/v1/instances')).body
    await w.open(`/messages/${data[0].id}/${PERSON}`)
    await api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OURS, text: 'Do you have rye bread today?' })
    await page.getByText('Do you have rye bread today?').last().waitFor()
    await page.getByPlaceholder('Write a message').fill('Yes, until six.')
    await page.keyboard.press('Enter')
    await page.getByText('Yes, until six.').last().waitFor()
    await expect.poll(received).toContain('Yes, until six.')
  })

  test('a webhook is made on a catcher, and its deliveries appear while they happen', async () => {
    const { page, api } = w
    await w.open('/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByRole('button', { name: 'No server? Use a catcher' }).click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const secret = page.getByText(/^whsec_[\w+/]{20,}$/).first()
    secrets.set('the secret of the webhook', (await secret.textContent()) ?? '')
    await page.getByRole('button', { name: 'I’ve stored it' }).click()
    await api('POST', '/v1/instances', { name: 'For its event' })
    await page.getByText('instance.created').first().waitFor()
    await page.getByText('Delivered').first().waitFor()
    expect(await page.content()).not.toContain(secrets.get('the secret of the webhook'))
  })

  test('a delivery is looked into and sent once more', async () => {
    const { page, api } = w
    const { data } = (await api('GET', '/v1/webhooks')).body
    const catcher = new URL(data[0].url).pathname.slice(1)
    const before = (await caught(api, catcher)).length
    await page.getByRole('button', { name: 'instance.created' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click()
    await expect.poll(async () => (await caught(api, catcher)).length).toBe(before + 1)
    await page.keyboard.press('Escape')
  })

  test('a key is made for an assistant that asks first, and its call waits for a yes', async () => {
    const { page, api } = w
    await w.open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Assistant')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('switch').click()
    await dialog.getByText('Sending and destructive actions').click()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const key =
      (await page
        .getByText(/^swb_\w{30,}$/)
        .first()
        .textContent()) ?? ''
    secrets.set('the key of the assistant', key)
    await page.getByRole('button', { name: 'I’ve copied it' }).click()

    const { data } = (await api('GET', '/v1/instances?limit=200')).body
    const sender = data.find((each: { connected: boolean }) => each.connected)
    const client = new Client({ name: 'window-test', version: '1' })
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${w.url}/mcp`), { requestInit }))
    const text = 'Sent by an assistant, with a yes.'
    const asked = await client.callTool({
      name: 'send_message',
      arguments: { instance_id: sender.id, to: PERSON, text, idempotency_key: 'yes-1' },
    })
    expect(JSON.stringify(asked)).toContain('approval')
    await w.open('/assistants/approvals')
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(received).toContain(text)
    // The result stays where the decision was made.
    await page.getByRole('article').getByText('Approved').waitFor()
    expect(await page.evaluate(() => location.hash)).toBe('#/assistants/approvals')
    await w.open('/assistants/connect')
    await page.getByRole('listitem').filter({ hasText: 'window-test' }).waitFor()
    await client.close()
  })

  test('a password is set where somebody signs in, and is not asked for where nobody does', async () => {
    const { page } = w
    await w.open('/settings')
    const session = await page.evaluate(async () => (await fetch('/panel/session')).json() as Promise<{ home: string }>)
    const password = page.getByLabel('New password')
    if (session.home === 'desktop') return await expect.poll(() => password.count()).toBe(0)
    secrets.set('the password', PASSWORD)
    await password.fill(PASSWORD)
    await page.getByLabel('Confirm password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Password set').first().waitFor()
  })

  test('on no screen does a request leave the machine, or the page complain', async () => {
    const { data } = (await w.api('GET', '/v1/instances?limit=200')).body
    const [instance, unpaired] = [true, false].map((wanted) => data.find((each: any) => each.connected === wanted).id)
    const { id: webhook } = (await w.api('GET', '/v1/webhooks')).body.data[0]
    const draft = { instance_ids: [instance], name: 'Spring offer', messages: [{ text: 'Hi {{name}}' }] }
    const { campaign_id: campaign } = (await w.api('POST', '/v1/campaigns', draft)).body
    const { id: client } = (await w.api('POST', '/v1/agency/accounts', { name: 'North bakery' })).body
    await w.api('PATCH', '/v1/agency/billing', { enabled: true })
    await w.api('PUT', `/v1/agency/accounts/${client}/billing`, {
      ...{ amount_cents: 4_900, currency: 'usd', interval: 'month', email: 'north@client.example' },
    })
    const made = await w.api('POST', `/v1/instances/${instance}/groups`, { subject: 'Our street' })
    const holdings = {
      campaign,
      draft: campaign,
      scheduled: campaign,
      instance,
      unpaired,
      confirming: unpaired,
      live: unpaired,
      official: unpaired,
      linkable: unpaired,
      webhook,
      selective: webhook,
      chat: PERSON,
      number: PERSON,
      agents: instance,
      client,
      group: made.body.group,
      ...(await recordedCall(w.api, instance)),
    }
    const places = everyPlace(holdings)
    for (const place of places.filter((_, at) => at % sized(4, 1) === 0)) await w.open(place)
    expect(strangers(w)).toEqual([])
    expect(w.complaints).toEqual([])
  })

  test('nothing secret was in an address, is kept in the page, or is written by the service or the browser', async () => {
    const kept = await w.page.evaluate(async () => {
      const databases = await indexedDB.databases()
      const stored = [localStorage, sessionStorage].map((each) => Object.entries(each) as unknown)
      return { stored, databases, caches: await caches.keys(), cookie: document.cookie, history: location.href }
    })
    expect(kept).toMatchObject({ databases: [], caches: [], cookie: '' })
    const log = (await w.close(), w.log())
    const writing = { addresses: w.asked.join('\n'), page: JSON.stringify(kept), log, browser: contentOf(w.profile) }
    const found = [...secrets].flatMap(([name, secret]) => {
      expect(secret.length, name).toBeGreaterThan(7)
      const places = Object.entries(writing).filter(([, text]) => text.includes(secret))
      return places.map(([place]) => `${name} in ${place}`)
    })
    // The address that was opened stands in the browser's own history, with a code that is spent.
    expect(found.filter((each) => each !== 'the one-time code in browser')).toEqual([])
    // The browser keeps the pages of the API reference, whose examples look like secrets.
    const { browser: _, ...ours } = writing
    expect(Object.values(ours).join('\n')).not.toMatch(/swb_[A-Za-z0-9]{30}|whsec_[A-Za-z0-9+/]{20}/)
  })
})

/** Every byte of every file below a folder. */
function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}
