import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { chromium, type Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { selfSigned } from '../support/certificates.ts'
import { decodeQr } from '../support/qr.ts'
import { testHome, until, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import { connected, shownQr } from '../support/whatsapp/paired.ts'

const OURS = '12025550200'
const HOST = 'web.whatsapp.com'

let whatsapp: WhatsApp
let home: TestHome
const site = createServer(selfSigned([HOST]), (_request, response) => void response.end('User-agent: *'))

beforeEach(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
})
afterEach(async () => {
  await home.remove()
  await whatsapp.close()
  site.close()
})

const startBrowser = () =>
  chromium.launch({
    executablePath: browserPath(),
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:${(site.address() as AddressInfo).port}`],
  })

/** Runs lines as the console of the browser does, on a device that has this passkey. */
async function runInConsole(page: Page, lines: string, passkey: ReturnType<WhatsApp['phone']>['passkey']) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: passkey.forVirtualAuthenticator() })
  const asked = {
    expression: lines,
    replMode: true,
    awaitPromise: true,
    userGesture: true,
    includeCommandLineAPI: true,
  }
  // The page leaves while it answers.
  await cdp.send('Runtime.evaluate', asked).catch(() => {})
}

test('the owner opens the link, signs on WhatsApp’s site, returns automatically, and the number is linked', async () => {
  const { key } = await home.key('Passkey')
  const api = (await home.start(whatsapp.environment)).api(key)
  const made = await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name: 'Shop' })
  const at = `/v1/instances/${String(made.body.id)}`
  const phone = whatsapp.phone(OURS, { passkey: 'has' })
  phone.scan(decodeQr(await shownQr(api, made.body.id))).catch(() => {})
  await until('the request', async () => (await api('GET', `${at}/qr`)).body.passkey?.options)
  const { url } = (await api('POST', `${at}/passkey/link`)).body

  const browser = await startBrowser()
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    await page.goto(url)
    const lines = await page.locator('dd.lines').innerText()
    await page.goto(await page.locator('a[href*="whatsapp"]').first().getAttribute('href').then(String))
    await runInConsole(page, lines, phone.passkey)
    await page.getByText('The account is linked').waitFor()
    expect(page.url()).toBe(url)
    expect(faults).toEqual([])
    // Nothing of the answer is left where somebody could read it.
    expect(await page.evaluate(() => location.hash)).toBe('')
  } finally {
    await browser.close()
  }
  await connected(api, made.body.id)
  expect(phone.linked).toHaveLength(1)
})
