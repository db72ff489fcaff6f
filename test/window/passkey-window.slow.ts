import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WindowBridge } from '../../main/contract/window-bridge.ts'
import { selfSigned } from '../support/certificates.ts'
import { tempFolder } from '../support/database.ts'
import { launchStandIn, tempProfile, type Desktop } from '../support/electron/launch.ts'
import { createPasskey, requestOptions, verifyAssertion } from '../support/whatsapp/webauthn.ts'

/** The window of the desktop app on Windows, in the stand-in: our own code for it, and a real page of the site's name. */
const HOST = 'web.whatsapp.com'
const ADDRESS = `https://${HOST}/robots.txt`
const home = tempFolder()
const { profile, remove } = tempProfile()
const passkey = createPasskey()
/** What the person has at hand when the page is asked for. */
let prepare: (signing: Page) => Promise<unknown> = async () => {}
let desktop: Desktop
let page: Page

const signingPage = () =>
  page
    .context()
    .pages()
    .find((each) => each !== page)
const server = createServer(selfSigned([HOST]), (_request, response) => {
  void (async () => {
    await expect.poll(signingPage).toBeDefined()
    const opened = signingPage()
    if (opened) await prepare(opened)
    response.setHeader('content-type', 'text/plain').end('User-agent: *')
  })()
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const words = ['--ignore-certificate-errors', `--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:${port}`]
  desktop = await launchStandIn({ home, profile, environment: { STAND_IN_WORDS: JSON.stringify(words) } })
  page = await desktop.firstWindow()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await desktop.evaluate(() => void Object.defineProperty(process, 'platform', { value: 'win32' }))
})
afterAll(async () => {
  await desktop.close()
  server.close()
  rmSync(home, { recursive: true, force: true })
  remove()
})

/** @param isTouched by the person, as soon as it is asked. */
async function addAuthenticator(signing: Page, isTouched = true): Promise<void> {
  const cdp = await signing.context().newCDPSession(signing)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: isTouched },
    },
  })
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: passkey.forVirtualAuthenticator() })
}

const sign = (options: ReturnType<typeof requestOptions>) =>
  page.evaluate(
    (given) => (window as unknown as { switchboard: WindowBridge }).switchboard.signPasskey({ options: given }),
    { ...options },
  )
const recorded = (what: string) =>
  desktop.evaluate(({ record }, name) => record.filter((each) => each.what.startsWith(name)), what)

test('the owner’s passkey signs in a window of its own, which closes at once', async () => {
  prepare = (signing) => addAuthenticator(signing)
  const options = requestOptions()
  const outcome = await sign(options)
  if (outcome.kind !== 'signed') return expect(outcome.kind).toBe('signed')
  const content = Buffer.from(JSON.stringify(outcome.credential))
  const expected = { challenge: options.challenge, passkeys: [passkey] }
  expect(() => verifyAssertion(content, passkey.credentialId, expected)).not.toThrow()
  await expect.poll(signingPage).toBeUndefined()
  // The app and its own window stay.
  expect(await page.evaluate(async () => (await fetch('/panel/session')).status)).toBe(200)
})

test('the window has a partition in memory without permissions, no preload, and one address', async () => {
  const [, window] = await recorded('BrowserWindow')
  const { webPreferences } = window?.given[0] as { webPreferences: Record<string, unknown> }
  expect(webPreferences).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false })
  expect(webPreferences).toMatchObject({ devTools: false, partition: expect.stringMatching(/^passkey-[\da-f-]{36}$/) })
  expect(webPreferences).not.toHaveProperty('preload')
  expect((await recorded('session.fromPartition'))[0]?.given).toEqual([webPreferences['partition'], { cache: false }])
  for (const what of ['request', 'check', 'device'])
    expect((await recorded(`partition.${what}`))[0]?.given, what).toEqual([false])
})

test('what the page asks for besides is cancelled, its popups are denied, and closing it is an answer', async () => {
  prepare = (signing) => addAuthenticator(signing, false)
  const outcome = sign(requestOptions())
  await expect.poll(() => signingPage()?.url()).toBe(ADDRESS)
  const signing = signingPage()
  const fetched = await signing?.evaluate(async () =>
    fetch('/other').then(
      () => 'fetched',
      () => 'refused',
    ),
  )
  expect(fetched).toBe('refused')
  await signing?.evaluate(() => void (location.href = 'https://example.com/'))
  expect(signing?.url()).toBe(ADDRESS)
  const [action] = await desktop.evaluate(({ BrowserWindow }) =>
    BrowserWindow.all.slice(1).map((each) => each.askToOpen('https://example.com/')),
  )
  expect(action).toBe('deny')
  expect(await recorded('shell.openExternal')).toEqual([])
  const requests = (await recorded('partition.request')).map(({ given }) => given)
  expect(requests.filter(([, how]) => how === 'sent').every(([url]) => url === ADDRESS)).toBe(true)
  expect(requests).toContainEqual([`https://${HOST}/other`, 'cancelled'])
  await signing?.close()
  expect(await outcome).toEqual({ kind: 'dismissed' })
})
