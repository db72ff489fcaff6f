import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readUpload } from '../../main/capabilities/instances/session-file.ts'
import { systemRandom } from '../../main/kernel/ids.ts'
import { stretched } from '../../main/kernel/scrypt.ts'
import { startWhatsApp, type WhatsApp } from '../support/whatsapp/index.ts'
import { connected, pairedLive } from '../support/whatsapp/paired.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** A number leaves one Switchboard and arrives in another, both by their windows. */
const TIMEOUT = 90_000
const OURS = '12025550400'
const PASSPHRASE = 'correct horse battery'

let whatsapp: WhatsApp
let [here, there]: ConsoleWindow[] = []
let exported: string

beforeAll(async () => {
  whatsapp = await startWhatsApp()
  here = await openConsole(whatsapp.environment)
  there = await openConsole(whatsapp.environment)
  for (const { page } of [here, there]) await page.getByRole('button', { name: 'Skip for now' }).click()
}, TIMEOUT)
afterAll(async () => {
  await here?.remove()
  await there?.remove()
  await whatsapp.close()
})

const opened = (w: ConsoleWindow | undefined): ConsoleWindow => {
  if (w === undefined) throw new Error('The window is not open.')
  return w
}
/** A live instance without a phone, on its page. */
async function newNumber(w: ConsoleWindow, name: string): Promise<string> {
  const { id } = (await w.api('POST', '/v1/instances', { name, network: 'live' })).body
  await w.open(`/instances/${id}?tab=settings`)
  await w.page.getByRole('button', { name: 'Move here…' }).click()
  return String(id)
}

test('it is exported with a passphrase, and disconnected here', { timeout: TIMEOUT }, async () => {
  const w = opened(here)
  const id = await pairedLive(w.api, whatsapp, OURS)
  await w.open(`/instances/${id}?tab=settings`)
  await w.page.getByRole('button', { name: 'Export session…' }).click()
  const dialog = w.page.getByRole('dialog')
  await dialog.getByLabel('Passphrase', { exact: true }).fill('short')
  await dialog.getByRole('button', { name: 'Disconnect and export' }).click()
  await dialog.getByText('Use at least 12 characters.').waitFor()
  await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
  await dialog.getByLabel('Repeat the passphrase').fill(PASSPHRASE)
  const download = w.page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Disconnect and export' }).click()
  exported = await (await download).path()
  await dialog.getByText('was downloaded').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  expect((await w.api('GET', `/v1/instances/${id}`)).body).toMatchObject({
    ...{ status: 'disconnected', last_disconnect_reason: 'moved' },
  })
  expect(readFileSync(exported, 'utf8')).not.toContain(OURS)
})

test('the export connects in the other one', { timeout: TIMEOUT }, async () => {
  const w = opened(there)
  const id = await newNumber(w, 'Bakery Luz')
  const dialog = w.page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /another Switchboard/ }).click()
  const file = { name: 'shop.session', mimeType: 'application/json', buffer: readFileSync(exported) }
  await dialog.locator('input[type=file]').setInputFiles(file)
  await dialog.getByLabel('Passphrase').fill('not the passphrase')
  await dialog.getByRole('button', { name: 'Move and connect' }).click()
  await dialog.getByText('Turn the other server off, then confirm it here.').waitFor()
  await dialog.getByRole('checkbox').click()
  await dialog.getByRole('button', { name: 'Move and connect' }).click()
  await dialog.getByText('The passphrase doesn’t open this export.').waitFor()
  await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
  await dialog.getByRole('button', { name: 'Move and connect' }).click()
  await w.page.getByText('Bakery Luz is connecting').first().waitFor()
  await connected(w.api, id)
  expect(whatsapp.phone(OURS).linked).toHaveLength(1)
  await w.api('POST', `/v1/instances/${id}/disconnect`, {})
})

test('a session folder of another server connects once nobody writes to it', { timeout: TIMEOUT }, async () => {
  const w = opened(here)
  const lines = Buffer.from(`${JSON.stringify({ passphrase: PASSPHRASE })}\n${readFileSync(exported, 'utf8')}`)
  const folder = join(w.home.dir, 'their-session')
  mkdirSync(folder)
  const files = Object.entries(await readUpload(Readable.from([lines]), { random: systemRandom, derive: stretched }))
  for (const [name, content] of files) writeFileSync(join(folder, name), content)
  const id = await newNumber(w, 'Casa Verde')
  const dialog = w.page.getByRole('dialog')
  await dialog.locator('input[type=file]').setInputFiles(folder)
  await dialog.getByText('The folder changed in the last two minutes').waitFor()
  const quiet = new Date(Date.now() - 3 * 60_000)
  for (const [name] of files) utimesSync(join(folder, name), quiet, quiet)
  await dialog.locator('input[type=file]').setInputFiles(folder)
  await dialog.getByText(`${files.length} files chosen`).waitFor()
  await dialog.getByRole('checkbox').click()
  // The page reads some 800 files meanwhile.
  await dialog.getByRole('button', { name: 'Move and connect' }).click({ timeout: 60_000 })
  await connected(w.api, id)
})
