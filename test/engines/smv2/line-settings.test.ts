import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_LINE, type LineSettings } from '../../../main/engines/line-settings.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { startProxy, type TestProxy } from '../../support/proxy.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550210'
const ANA = '12025551310'
const HOST = 'web.whatsapp.com:443'

let world: LineWorld
let shop: EngineInstance
let proxy: TestProxy | undefined

beforeEach(async () => {
  world = await lineWorld()
  world.whatsapp.phone(OURS, { name: 'Shop' })
  shop = await world.connect(OURS)
})
afterEach(async () => {
  await world.close()
  await proxy?.close()
  proxy = undefined
})

async function set(settings: Partial<LineSettings>): Promise<void> {
  world.line.settings = { ...DEFAULT_LINE, ...settings }
  await world.smv2.engine.lines?.settingsChanged(shop)
}
const through = (port: number, type: 'http' | 'socks5' = 'socks5') =>
  ({ type, host: '127.0.0.1', port, credentials: null }) as const
const issues = () => world.smv2.engine.evidence(shop).issues?.map(({ code }) => code)

test('a number reconnects through its proxy, also for files, and again after an outage of the proxy', async () => {
  proxy = await startProxy('socks5', { to: world.whatsapp.route.port })
  const ana = world.whatsapp.phone(ANA)
  await set({ proxy: through(proxy.port) })
  await world.heard(shop, 'connected')
  expect(proxy.carried).toEqual([HOST])
  // Another way is no outage.
  expect(world.of(shop, 'link_lost')).toEqual([])

  const file = {
    content: contentOf(Buffer.from('%PDF-1.7')),
    mediaType: 'document',
    mimeType: 'application/pdf',
  } as const
  const sending = { kind: 'media', to: ANA, ...file, caption: null, filename: 'a.pdf' } as const
  expect((await world.send(shop, sending)).outcome).toMatchObject({ kind: 'accepted' })
  await ana.sendFile(OURS, { kind: 'image', bytes: Buffer.from('a picture'), mimeType: 'image/png' })
  expect(await world.heard(shop, 'received')).toMatchObject({ media: { size: 9 } })
  const carried = new Set(proxy.carried)
  expect([...carried]).toContain('mmg.whatsapp.net:443')

  world.forget()
  proxy.down()
  await world.heard(shop, 'link_lost')
  await until('the issue', () => issues()?.includes('proxy_failed') || undefined)
  expect((await world.send(shop, { to: ANA })).outcome).toMatchObject({ kind: 'not_ready' })
  proxy.up()
  await world.heard(shop, 'connected')
  expect(issues()).toEqual([])

  world.forget()
  const before = proxy.carried.length
  await set({ proxy: null })
  await world.heard(shop, 'connected')
  expect(proxy.carried).toHaveLength(before)
})

test('a number with a proxy uses it after a restart and while it pairs', async () => {
  proxy = await startProxy('http', { to: world.whatsapp.route.port })
  world.line.settings = { ...DEFAULT_LINE, proxy: through(proxy.port, 'http') }
  await world.restart(shop)
  expect(proxy.carried).toEqual([HOST])
  await world.connect('12025550211')
  expect(new Set(proxy.carried)).toEqual(new Set([HOST]))
  expect(proxy.carried.length).toBeGreaterThan(1)
})

test('a proxy is checked by a connection to WhatsApp', async () => {
  proxy = await startProxy('socks5', { to: world.whatsapp.route.port, login: { username: 'a', password: 'b' } })
  const check = world.smv2.engine.lines?.checkProxy
  await expect(check?.(through(proxy.port))).rejects.toMatchObject({ reason: 'proxy_login' })
  await expect(check?.({ ...through(9), host: '10.0.0.1' })).rejects.toMatchObject({ stage: 'blocked' })
})

test('a number has its own pace and presence', async () => {
  const pace = { perMinute: 60, burst: 1, chatPerMinute: 60, chatBurst: 1, spacingMs: 200 }
  await set({ pace, online: true })
  const heard = () => world.whatsapp.phone(OURS).device.heard.filter(({ tag }) => tag === 'presence')
  const presence = () =>
    heard()
      .flatMap(({ attrs }) => attrs['type'] ?? [])
      .at(-1)
  await until('online', () => presence() === 'available' || undefined)
  const sends = Array.from({ length: 15 }, (_, i) => world.sending(shop, { to: ANA, text: String(i) }, 20_000))
  const last = await sends.at(-1)?.outcome
  expect(last).toMatchObject({ kind: 'nothing_sent' })
  expect(world.smv2.engine.retryAfterSeconds?.(shop, ANA)).toBeGreaterThan(5)

  // Without a pace of its own it sends as the service is set: as fast as it can.
  await set({})
  expect((await Promise.all(sends.slice(0, 5).map(({ outcome }) => outcome))).map(({ kind }) => kind)).toEqual(
    Array.from({ length: 5 }, () => 'accepted'),
  )
  await until('offline', () => presence() === 'unavailable' || undefined)
})
