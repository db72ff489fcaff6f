import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock as clock } from '../../main/kernel/clock.ts'
import { openBrowserPage, type BrowserPage } from '../../main/shell/passkey/browser-page.ts'
import type { InstalledBrowser } from '../../main/shell/passkey/installed-browser.ts'
import { createPasskeySigner } from '../../main/shell/passkey/signer.ts'
import { installedBrowserPath } from '../support/browser.ts'
import { selfSigned } from '../support/certificates.ts'
import { createPasskey, requestOptions, verifyAssertion } from '../support/whatsapp/webauthn.ts'

/** The person's own browser, with an authenticator of the DevTools protocol in place of the system's. */
const HOST = 'web.whatsapp.com'
const asked: string[] = []
const server = createServer(selfSigned([HOST]), (request, response) => {
  asked.push(`${request.headers.host} ${request.url}`)
  response.setHeader('content-type', 'text/plain').end('User-agent: *')
})
let words: string[]

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  words = [
    ...['--headless=new', '--no-sandbox', '--ignore-certificate-errors'],
    `--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:${port}`,
  ]
})
afterAll(() => void server.close())
beforeEach(() => void (asked.length = 0))

const profiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('switchboard-passkey-'))

async function addAuthenticator({ send }: BrowserPage, passkey?: ReturnType<typeof createPasskey>): Promise<void> {
  await send('WebAuthn.enable', { enableUI: false })
  const options = {
    ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
    ...{ isUserVerified: true, automaticPresenceSimulation: true },
  }
  const { authenticatorId } = (await send('WebAuthn.addVirtualAuthenticator', { options })) as Record<string, string>
  const credential = passkey?.forVirtualAuthenticator()
  if (credential) await send('WebAuthn.addCredential', { authenticatorId, credential })
}

/** As the command of macOS: starts the app with what follows `--args`, and waits until it quits. */
function openCommand(): string {
  const folder = mkdtempSync(join(tmpdir(), 'open-command-'))
  commands.push(folder)
  const file = join(folder, 'open')
  writeFileSync(file, `#!/bin/sh\n[ "$1 $2 $3 $5" = "-n -W -a --args" ] || exit 1\napp="$4"\nshift 5\n"$app" "$@"\n`)
  chmodSync(file, 0o755)
  return file
}
const commands: string[] = []
afterAll(() => commands.forEach((folder) => rmSync(folder, { recursive: true })))

const STARTS: Readonly<Record<string, (executable: string) => InstalledBrowser>> = {
  'as our child': (executable) => ({ kind: 'program', executable }),
  'as macOS opens apps': (app) => ({ kind: 'app', app, open: openCommand() }),
}

describe.each(Object.entries(STARTS))('a browser started %s', (_name, start) => {
  /** @param prepare what the person has at hand before the page asks. */
  const signerWith = (prepare: (page: BrowserPage) => Promise<unknown>, more: string[] = []) =>
    createPasskeySigner({
      clock,
      ways: [
        async () => {
          const page = await openBrowserPage({
            browser: start(installedBrowserPath()),
            clock,
            words: [...words, ...more],
          })
          await prepare(page)
          return page
        },
      ],
    })

  test('the owner’s passkey signs on WhatsApp’s site, and neither browser nor profile is left', async () => {
    const before = profiles()
    const passkey = createPasskey()
    const options = requestOptions()
    const outcome = await signerWith((page) => addAuthenticator(page, passkey)).sign({ options: { ...options } })
    if (outcome.kind !== 'signed') return expect(outcome.kind).toBe('signed')
    const content = Buffer.from(JSON.stringify(outcome.credential))
    const expected = { challenge: options.challenge, passkeys: [passkey] }
    expect(() => verifyAssertion(content, passkey.credentialId, expected)).not.toThrow()
    expect(asked[0]).toBe(`${HOST} /robots.txt`)
    expect(asked.filter((each) => !/ \/(robots\.txt|favicon\.ico)$/.test(each))).toEqual([])
    expect(profiles()).toEqual(before)
  })

  test('an account without a passkey there is told like one that is dismissed', async () => {
    const outcome = await signerWith((page) => addAuthenticator(page)).sign({ options: { ...requestOptions() } })
    expect(outcome).toEqual({ kind: 'dismissed' })
  })

  test('a window that the person closes is dismissed', async () => {
    const before = profiles()
    const closes = async (page: BrowserPage) => {
      await addAuthenticator(page)
      // Somebody who is asked and does not answer: the window is gone before.
      void clock.after(500, () => void page.send('Page.close').catch(() => {}))
      page.evaluate = () => new Promise(() => {})
    }
    expect(await signerWith(closes).sign({ options: { ...requestOptions() } })).toEqual({ kind: 'dismissed' })
    expect(profiles()).toEqual(before)
  })

  test('without the network nothing is asked', async () => {
    const offline = [`--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:1`]
    const outcome = await signerWith((page) => addAuthenticator(page), offline).sign({
      options: { ...requestOptions() },
    })
    expect(outcome).toEqual({ kind: 'unavailable' })
    expect(asked).toEqual([])
  })

  test('a browser that does not start is unavailable, and leaves no profile', async () => {
    const before = profiles()
    const open = () => openBrowserPage({ browser: start('/bin/false'), clock })
    expect(await createPasskeySigner({ clock, ways: [open] }).sign({ options: { ...requestOptions() } })).toEqual({
      kind: 'unavailable',
    })
    expect(profiles()).toEqual(before)
  })
})
