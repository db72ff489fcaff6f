import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { SANDBOX_CREDENTIAL } from '../../main/contract/sandbox.ts'
import { openConsole, strangers, type OpenWindow } from '../support/window.ts'

let w: OpenWindow
beforeAll(async () => {
  w = await openConsole({ SWITCHBOARD_LOG_LEVEL: 'debug' })
})
afterEach(async () => {
  await w.page.keyboard.press('Escape')
  await w.page.getByRole('dialog').waitFor({ state: 'hidden' })
})
afterAll(() => w.remove())

const WAIT = { timeout: 60_000 }

/** A number whose phone has scanned the code, and whose account asks for its passkey. */
async function scanned(name: string): Promise<string> {
  const { page, api } = w
  const { id } = (await api('POST', '/v1/instances', { name })).body
  await w.open(`/instances/${id}`)
  await page.getByRole('button', { name: 'Pair', exact: true }).first().click()
  await page.getByRole('img', { name: /QR/ }).waitFor()
  await page.getByRole('button', { name: 'Scan with a phone that asks for a passkey' }).click()
  await page.getByText('This account requires a passkey').first().waitFor(WAIT)
  return id
}
const button = (name: string) => w.page.getByRole('button', { name, exact: true })
const qrOf = async (id: string) => (await w.api('GET', `/v1/instances/${id}/qr`)).body
const statusOf = async (id: string) => (await w.api('GET', `/v1/instances/${id}`)).body.status

/** The code on the screen, once there is one. */
async function codeOnScreen(id: string): Promise<string> {
  await button('They match').waitFor(WAIT)
  const { passkey } = await qrOf(id)
  const spelled = passkey.code.split('').join(' ')
  await w.page.getByText(spelled, { exact: true }).waitFor(WAIT)
  return passkey.code
}

test('a person confirms with the passkey, compares the code, and the number is connected', async () => {
  const id = await scanned('Bakery Luz')
  await w.page.getByText(/^(10:00|9:5\d) left$/).waitFor(WAIT)
  await button('Confirm with passkey').click()
  await w.page.getByText('Keep WhatsApp open on the phone.', { exact: true }).waitFor(WAIT)
  expect(await codeOnScreen(id)).toMatch(/^\w{4}-\w{4}$/)
  // It waits for the person, however long.
  await w.page.waitForTimeout(2_500)
  expect((await qrOf(id)).passkey.step).toBe('compare')
  await button('They match').click()
  await expect.poll(() => statusOf(id), WAIT).toBe('connected')
  await w.page.getByText('is connected').first().waitFor(WAIT)
})

test('codes that differ link nothing, and another code is one step away', async () => {
  const id = await scanned('Dr. Prado')
  await button('Confirm with passkey').click()
  await codeOnScreen(id)
  await button('They differ').click()
  await w.page.getByText(/^The codes didn’t match, so nothing was linked/).waitFor(WAIT)
  expect(await statusOf(id)).toBe('disconnected')
  await button('Get a new code').click()
  await w.page.getByRole('img', { name: /QR/ }).waitFor(WAIT)
})

test('the answer of another browser is pasted, and leaves no trace', async () => {
  const { page } = w
  const id = await scanned('Casa Verde')
  const answer = page.getByRole('textbox', { name: 'Answer from the console' })
  await button('Use my own browser').click()
  const { challenge } = (await qrOf(id)).passkey.options
  await expect.poll(() => page.locator('pre').textContent()).toContain(challenge)
  await expect
    .poll(() => page.getByRole('link', { name: 'https://web.whatsapp.com/robots.txt' }).getAttribute('rel'))
    .toContain('noopener')
  await answer.fill('Promise {<pending>}')
  await button('Send answer').click()
  await page.getByText('This isn’t the answer from the console.', { exact: false }).waitFor(WAIT)
  await expect.poll(() => answer.inputValue()).toBe('')
  const secret = 'c2lnbmF0dXJlLW9mLXRoZS1vd25lcg'
  const response = { ...SANDBOX_CREDENTIAL.response, signature: secret }
  await answer.fill(JSON.stringify({ ...SANDBOX_CREDENTIAL, id: 'b3RoZXI', response }))
  await button('Send answer').click()
  await page.getByText('This answer doesn’t match the request.', { exact: false }).waitFor(WAIT)
  await answer.fill(JSON.stringify({ ...SANDBOX_CREDENTIAL, response }))
  await button('Send answer').click()
  await codeOnScreen(id)
  expect(await page.content()).not.toContain(secret)
  await button('Cancel and get a new code').click()
  await page.getByRole('img', { name: /QR/ }).waitFor(WAIT)
  expect(w.log()).not.toContain(secret)
})

test('on the wall the card asks for it, and its dialog takes the steps', async () => {
  const { page, api } = w
  const { id } = (await api('POST', '/v1/instances', { name: 'Studio Norte' })).body
  await w.open(`/instances/wall?ids=${id}`)
  await page.getByRole('img', { name: /QR/ }).waitFor(WAIT)
  const number = '12025550177'
  await api('POST', '/v1/sandbox/phones', { number, passkey: true })
  await api('POST', `/v1/sandbox/phones/${number}/scan`, { qr: (await qrOf(id)).qr })
  await button('Confirm with passkey').click(WAIT)
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm with passkey' }).click(WAIT)
  await codeOnScreen(id)
  await button('They differ').click()
  await page
    .getByRole('dialog')
    .getByText(/^The codes didn’t match/)
    .waitFor(WAIT)
  await page.keyboard.press('Escape')
  // The card does not go on to another code before somebody has read why.
  await page
    .getByRole('listitem')
    .getByText(/^The codes didn’t match/)
    .waitFor(WAIT)
  await page.waitForTimeout(3_500)
  expect(await statusOf(id)).toBe('disconnected')
  await button('Get a new code').click()
  await page.getByRole('img', { name: /QR/ }).waitFor(WAIT)
})

test('no request left the machine, and the page did not complain', () => {
  expect(strangers(w)).toEqual([])
  expect(w.complaints.filter((each) => !/400|409/.test(each))).toEqual([])
})
