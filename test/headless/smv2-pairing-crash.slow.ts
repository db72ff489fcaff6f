import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodeQr } from '../support/qr.ts'
import { testHome, until, type Api, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import { connected, shownQr } from '../support/whatsapp/paired.ts'
import type { RequestOptions } from '../support/whatsapp/webauthn.ts'
import { slowness } from '../support/loop-stretch.ts'

const OURS = '12025550200'

let whatsapp: WhatsApp
let home: TestHome
let key: string

beforeEach(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  key = (await home.key('Pairing')).key
})
afterEach(async () => {
  await home.remove()
  await whatsapp.close()
})

const start = async () => {
  const service = await home.start(whatsapp.environment)
  return { service, api: service.api(key) }
}
const create = async (api: Api): Promise<string> =>
  (await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name: 'Shop' })).body.id

test('killed right after the phone confirmed: the session is stored, and no second scan is needed', async () => {
  const { service, api } = await start()
  const id = await create(api)
  // The network counts the device as paired from here on; what was not stored by then would be lost.
  await whatsapp.phone(OURS).scan(decodeQr(await shownQr(api, id)))
  await service.end('SIGKILL')
  const again = await start()
  await connected(again.api, id)
  expect(whatsapp.phone(OURS).linked).toHaveLength(1)
})

test('killed while a code is shown: nothing is stored, and a new code pairs', async () => {
  const { service, api } = await start()
  const id = await create(api)
  const old = await shownQr(api, id)
  await service.end('SIGKILL')
  const again = await start()
  await again.api('POST', `/v1/instances/${id}/qr/refresh`)
  const fresh = await until('another code', async () => {
    const qr = await shownQr(again.api, id)
    return qr === old ? undefined : qr
  })
  await whatsapp.phone(OURS).scan(decodeQr(fresh))
  await connected(again.api, id)
})

test('stopped right after pairing: exits within six seconds, although a timer of the client library runs for thirty', async () => {
  const { service, api } = await start()
  const id = await create(api)
  await whatsapp.phone(OURS).scan(decodeQr(await shownQr(api, id)))
  await connected(api, id)
  const toldMs = performance.now()
  await service.end('SIGTERM')
  expect((performance.now() - toldMs) / slowness()).toBeLessThan(6_000)
})

test('killed while the account waits for its passkey: nothing is linked, the instance says so, and the next confirmation links', async () => {
  const phone = whatsapp.phone(OURS, { passkey: 'has' })
  const first = await start()
  const id = await create(first.api)
  const scan = async (api: Api, code: string) => {
    // It answers once the account is linked.
    phone.scan(decodeQr(code)).catch(() => {})
    return until('the request', async () => {
      const { passkey } = (await api('GET', `/v1/instances/${id}/qr`)).body
      return passkey?.options ? passkey : undefined
    })
  }
  const answer = (api: Api, { attempt, options }: { attempt: number; options: RequestOptions }) =>
    api('POST', `/v1/instances/${id}/passkey/response`, { attempt, credential: phone.passkey.assert(options) })

  const old = await shownQr(first.api, id)
  const asked = await scan(first.api, old)
  await first.service.end('SIGKILL')

  const { api } = await start()
  expect((await api('GET', `/v1/instances/${id}`)).body).toMatchObject({
    ...{ status: 'disconnected', last_disconnect_reason: 'pairing_interrupted' },
  })
  expect((await answer(api, asked)).body.error).toMatchObject({ code: 'invalid_state' })
  expect(phone.linked).toHaveLength(0)

  await api('POST', `/v1/instances/${id}/qr/refresh`)
  const again = await scan(api, await shownQr(api, id))
  expect(await answer(api, again)).toMatchObject({ status: 202 })
  await connected(api, id)
  expect(phone.linked).toHaveLength(1)
})
