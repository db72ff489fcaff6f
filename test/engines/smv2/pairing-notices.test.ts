import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { until } from '../../support/service-process.ts'
import { stanza, type Stanza } from '../../support/whatsapp/stanza.ts'
import { lineWorld, type LineWorld } from './line-world.ts'
import { tappedNetwork, type TappedNetwork } from './tapped-network.ts'

const OURS = '12025550200'

let time: FakeClock
let world: LineWorld
let tap: TappedNetwork
let shop: EngineInstance

beforeEach(async () => {
  time = fakeClock()
  world = await lineWorld({ time })
  tap = await tappedNetwork()
  shop = world.instance()
})
afterEach(async () => {
  await world.close()
  await tap.close()
})

const pairing = () => {
  const found = world.smv2.engine.pairing
  if (!found) throw new Error('smv2 pairs')
  return found
}
const fieldsOf = (text: string) => text.split('#')[1]?.split(',') ?? []
const refresh = (child = 'companion_reg_refresh') => tap.notify('companion_reg_refresh', [stanza(child)])

describe('a notification before the pairing', () => {
  test('is acknowledged exactly once, whatever it contains', async () => {
    await world.smv2.engine.start(shop)
    await world.qr(shop)
    const id = tap.notify('psa', [stanza('anything')])
    expect(await tap.acks(id)).toEqual([{ id, to: 's.whatsapp.net', class: 'notification', type: 'psa' }])
    await settle()
    expect(await tap.acks(id)).toHaveLength(1)
  })

  test('while a pairing code is open is acknowledged once as well', async () => {
    await pairing().code(shop, OURS)
    const ids = [tap.notify('psa'), refresh()]
    for (const id of ids) expect(await tap.acks(id)).toHaveLength(1)
    await settle()
    for (const id of ids) expect(await tap.acks(id)).toHaveLength(1)
  })
})

test('a login announced by the network before the pairing is ignored', async () => {
  await world.smv2.engine.start(shop)
  const text = await world.qr(shop)
  tap.tell(stanza('success', { t: 1, lid: '900000000000001:11@lid' }))
  await tap.acks(refresh())
  expect(world.of(shop, 'connected')).toEqual([])
  expect((await world.qr(shop)).split(',')[1]).toBe(text.split(',')[1])
})

describe('a refresh of the pairing registration', () => {
  test.each(['companion_reg_refresh', 'pair-device-rotate-qr'])(
    'by %s shows the same ref with a new secret, uses up no ref, and is reported',
    async (child) => {
      await world.smv2.engine.start(shop)
      const before = await world.qr(shop)
      const { expiresAtMs } = await pairing().current(shop)
      await time.advance(10_000)
      expect((await tap.acks(refresh(child)))[0]).not.toHaveProperty('error')
      const after = await until('another text', async () => {
        const { text } = await pairing().current(shop)
        return text !== before && text !== null ? text : undefined
      })
      const [ref, noiseKey, identity, secret, platform] = fieldsOf(after)
      expect([ref, noiseKey, identity, platform]).toEqual(fieldsOf(before).toSpliced(3, 1))
      expect(secret).not.toBe(fieldsOf(before)[3])
      expect(Buffer.from(secret ?? '', 'base64')).toHaveLength(32)
      expect((await pairing().current(shop)).expiresAtMs).toBe(expiresAtMs)
      expect(world.of(shop, 'qr')).toMatchObject([
        { attempt: 1, expiresAtMs },
        { attempt: 2, expiresAtMs },
      ])
      const own = tap.network.phone(OURS)
      await own.scan(after)
      await world.heard(shop, 'connected')
    },
  )

  test.each([
    ['without either child', () => tap.notify('companion_reg_refresh', [stanza('something')])],
    ['without content', () => tap.notify('companion_reg_refresh')],
    [
      'from anybody but the server',
      () => tap.notify('companion_reg_refresh', [stanza('companion_reg_refresh')], '12025550101@s.whatsapp.net'),
    ],
  ])('%s is refused and changes nothing', async (_what, send) => {
    await world.smv2.engine.start(shop)
    const text = await world.qr(shop)
    expect(await tap.acks(send())).toMatchObject([{ error: '487' }])
    expect((await pairing().current(shop)).text).toBe(text)
  })

  test('after the pairing code was entered keeps the secret agreed by phone and device', async () => {
    const { pairingCode } = await pairing().code(shop, OURS)
    const isFinish = ({ content }: Stanza) =>
      Array.isArray(content) && content[0]?.attrs['stage'] === 'companion_finish'
    tap.answer('link_code_companion_reg', (node) => (isFinish(node) ? null : undefined))
    const entering = tap.network.phone(OURS).enter(pairingCode ?? '')
    entering.catch(() => {})
    await until('the code was typed', () => tap.heard.some(isFinish))
    const { text } = await pairing().current(shop)
    await tap.acks(refresh())
    expect((await pairing().current(shop)).text).toBe(text)
  })
})
