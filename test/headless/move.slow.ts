import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readUpload } from '../../main/capabilities/instances/session-file.ts'
import type { SessionFiles } from '../../main/engines/engine.ts'
import { systemRandom } from '../../main/kernel/ids.ts'
import { stretched } from '../../main/kernel/scrypt.ts'
import { decodeQr } from '../support/qr.ts'
import { testHome, type Api, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import { connected, shownQr } from '../support/whatsapp/paired.ts'

const OURS = '12025550400'
const CLIENT = '12025550101'

let whatsapp: WhatsApp
let [old, next]: TestHome[] = []
const opened: TestHome[] = []

beforeEach(async () => {
  whatsapp = await startWhatsApp()
  old = testHome()
  next = testHome()
  opened.push(old, next)
})
afterEach(async () => {
  for (const home of opened.splice(0)) await home.remove()
  await whatsapp.close()
})

async function open(home = old ?? testHome()) {
  const { key } = await home.key('Moving')
  const service = await home.start(whatsapp.environment)
  const api = service.api(key)
  const create = async (name: string) =>
    String((await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name })).body.id)
  return { home, api, id: await create('Shop') }
}
const send = async (api: Api, id: string) =>
  (await api('POST', `/v1/instances/${id}/messages`, { to: CLIENT, text: 'Hello' })).status

test('a number moves to another Switchboard by export and import, and the first one reports it as moved', async () => {
  const here = await open()
  await whatsapp.phone(OURS).scan(decodeQr(await shownQr(here.api, here.id)))
  await connected(here.api, here.id)
  const there = await open(next)
  const [passphrase, file] = [join(here.home.dir, 'passphrase'), join(here.home.dir, 'shop.session')]
  writeFileSync(passphrase, 'correct horse battery\n')
  const out = ['move', 'out', '--instance', here.id, '--to', file, '--passphrase-file', passphrase]
  expect(await here.home.command(...out)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
  expect(await here.home.command(...out, '--yes')).toMatchObject({ code: 0 })
  expect((await here.api('GET', `/v1/instances/${here.id}`)).body).toMatchObject({
    ...{ status: 'disconnected', last_disconnect_reason: 'moved' },
  })
  expect(readFileSync(file, 'utf8')).not.toContain(OURS)

  const into = ['move', 'in', '--instance', there.id, '--from', file, '--passphrase-file', passphrase, '--yes']
  expect(await there.home.command(...into)).toMatchObject({ code: 0, out: expect.stringContaining(OURS) })
  await connected(there.api, there.id)
  expect(await send(there.api, there.id)).toBe(201)
  expect(whatsapp.phone(OURS).linked).toHaveLength(1)
  expect(await there.home.command(...into)).toMatchObject({
    code: 1,
    err: expect.stringContaining('already has a phone'),
  })
})

/** The files in an export, as a Baileys-based server would have them. */
function unpacked(file: string): Promise<SessionFiles> {
  const line = JSON.stringify({ passphrase: 'correct horse battery' })
  const whole = Buffer.from(`${line}\n${readFileSync(file, 'utf8')}`)
  return readUpload(Readable.from([whole]), { random: systemRandom, derive: stretched })
}

test('the move command imports a session folder of another server, once that server is off', async () => {
  const here = await open()
  await whatsapp.phone(OURS).scan(decodeQr(await shownQr(here.api, here.id)))
  await connected(here.api, here.id)
  const [passphrase, file] = [join(here.home.dir, 'passphrase'), join(here.home.dir, 'shop.session')]
  writeFileSync(passphrase, 'correct horse battery')
  await here.home.command('move', 'out', '--instance', here.id, '--to', file, '--passphrase-file', passphrase, '--yes')
  const files = await unpacked(file)
  const folder = join(here.home.dir, 'baileys')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)

  const there = await open(next)
  const into = ['move', 'in', '--instance', there.id, '--from', folder, '--yes']
  expect(await there.home.command(...into)).toMatchObject({
    code: 1,
    err: expect.stringContaining('seems to be running'),
  })
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 0, 0)
  expect(await there.home.command(...into)).toMatchObject({ code: 0 })
  await connected(there.api, there.id)
  expect(await send(there.api, there.id)).toBe(201)
})
