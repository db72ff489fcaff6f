import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodeQr } from '../support/qr.ts'
import { testHome, until, type Api, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import { connected, shownQr } from '../support/whatsapp/paired.ts'

const OURS = '12025550200'
const ANA = '12025550101'
const KILLS = 3

let whatsapp: WhatsApp
let home: TestHome
let key: string

beforeEach(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  key = (await home.key('Retries')).key
})
afterEach(async () => {
  await home.remove()
  await whatsapp.close()
})

const start = async () => {
  const service = await home.start(whatsapp.environment)
  return { service, api: service.api(key) }
}

test(`killed ${KILLS} times while a phone requests a message again: the message finally arrives and is delivered`, async () => {
  let { service, api } = await start()
  const send = async (text: string, by: Api = api): Promise<string> =>
    (await by('POST', `/v1/instances/${id}/messages`, { to: ANA, text })).body.message_id
  const { id } = (await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name: 'Shop' })).body
  await whatsapp.phone(OURS).scan(decodeQr(await shownQr(api, id)))
  await connected(api, id)
  const ana = whatsapp.phone(ANA)
  const has = (text: string) => ana.received().some((one) => one.text === text)
  await send('First')
  await until('the first message', () => has('First') || undefined)

  let asked = ana.unread
  ana.loseSessions()
  const messageId = await send('Second')
  for (let kills = 0; kills < KILLS; kills++) {
    // The receipt that asks for another copy is on its way, or the service has just answered it.
    await until('another question', () => ana.unread > asked || has('Second') || undefined)
    await service.end('SIGKILL')
    asked = ana.unread
    ana.loseSessions()
    ;({ service, api } = await start())
    await connected(api, id)
  }
  await until('the second message', () => has('Second') || undefined)
  const status = async () => (await api('GET', `/v1/instances/${id}/messages/${messageId}`)).body.status
  await until('delivered', async () => ['delivered', 'read'].includes(await status()) || undefined)
  expect(ana.received().filter(({ text }) => text === 'Second')).toHaveLength(1)
  await send('Third')
  await until('the third message', () => has('Third') || undefined)
})
