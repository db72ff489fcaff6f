import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { browserPath } from '../browser.ts'
import { selfSigned } from '../certificates.ts'
import { createPasskey, requestOptions, verifyAssertion, type AssertionJson } from './webauthn.ts'

const HOST = 'web.whatsapp.com'

/** A page of the network's site in a real browser with an authenticator that holds this passkey. */
async function pageWith(passkey: ReturnType<typeof createPasskey>) {
  const server = createServer(selfSigned([HOST]), (_request, response) => void response.end('User-agent: *'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const browser = await chromium.launch({
    executablePath: browserPath(),
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:${port}`],
  })
  onTestFinished(async () => {
    await browser.close()
    server.close()
  })
  const page = await browser.newPage({ ignoreHTTPSErrors: true })
  await page.goto(`https://${HOST}/robots.txt`)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: passkey.forVirtualAuthenticator() })
  return page
}

test('what a real browser signs is taken, and looks like what the stand-in signs', async () => {
  const passkey = createPasskey()
  const options = requestOptions()
  const page = await pageWith(passkey)
  const made = await page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json as never)
    const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
    return credential.toJSON()
  }, options)
  const assertion = made as AssertionJson
  const expected = { challenge: options.challenge, passkeys: [passkey] }
  const content = Buffer.from(JSON.stringify(assertion))
  expect(() => verifyAssertion(content, passkey.credentialId, expected)).not.toThrow()
  expect(() => verifyAssertion(content, passkey.credentialId, { ...expected, challenge: 'AAAA' })).toThrow('challenge')

  const ours = passkey.assert(options)
  expect(Object.keys(ours).toSorted()).toEqual(Object.keys(assertion).toSorted())
  expect(Object.keys(ours.response).toSorted()).toEqual(Object.keys(assertion.response).toSorted())
  const { authenticatorData, userHandle } = ours.response
  expect(assertion).toMatchObject({ id: ours.id, rawId: ours.rawId, type: ours.type, response: { userHandle } })
  const data = Buffer.from(assertion.response.authenticatorData, 'base64url')
  expect(data.subarray(0, 33)).toEqual(Buffer.from(authenticatorData, 'base64url').subarray(0, 33))
})
