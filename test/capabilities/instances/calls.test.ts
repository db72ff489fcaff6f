import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instancesHandlers } from '../../../main/capabilities/instances/handlers.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { NO_CODE } from '../../support/engine.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

// The package's types describe its ES form; what Node loads is the function itself.
const readQr = jsQR as unknown as typeof jsQR.default

const TEXT = `https://wa.me/settings/linked_devices#${'Ab3+/='.repeat(33)}`

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const verbs = () => room.smv2.calls.splice(0).map((call) => call.split(' ')[0])
const types = () => room.newEvents().map(({ type }) => type)

/** An instance whose engine shows a code. */
async function showing(): Promise<InstanceId> {
  const { id } = await room.create()
  const expiresAtMs = room.clock.now() + 60_000
  room.smv2.script.qr = { state: 'ready', text: TEXT, pairingCode: null, expiresAtMs, attempt: 1 }
  await room.instances.qr.read(id, undefined)
  await room.instances.onSignal(id, { kind: 'qr', attempt: 1, expiresAtMs })
  room.newEvents()
  verbs()
  return id
}

describe('reading the QR', () => {
  test('starts pairing of a new instance, once', async () => {
    const { id } = await room.create()
    room.newEvents()
    const views = await Promise.all([1, 2, 3].map(() => room.instances.qr.read(id, undefined)))
    expect(views[0]).toEqual({ qr: null, pairing_code: null, state: 'pending', expires_at: null, attempt: 0 })
    expect(types()).toEqual(['instance.connecting'])
    expect(verbs().filter((verb) => verb === 'start')).toHaveLength(1)
  })

  test.each([
    ['long, as on the live network', TEXT],
    ['short', 'SWITCHBOARD-SANDBOX:0123456789'],
  ])('returns an image that a camera can read, dark on white with a margin (%s)', async (_kind, text) => {
    const id = await showing()
    room.smv2.script.qr = { ...room.smv2.script.qr, text }
    const { qr, ...rest } = await room.instances.qr.read(id, undefined)
    const expires_at = new Date(room.clock.now() + 60_000).toISOString()
    expect(rest).toEqual({ pairing_code: null, state: 'ready', expires_at, attempt: 1 })
    const image = PNG.sync.read(Buffer.from(qr?.replace('data:image/png;base64,', '') ?? '', 'base64'))
    const { data, width, height } = image
    expect(readQr(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data).toBe(text)
    expect(width).toBeGreaterThanOrEqual(320)
    const margin = Array.from({ length: width * 20 }, (_, i) => data[i * 4])
    expect(new Set(margin)).toEqual(new Set([255]))
  })

  test('reports connected only once the instance is connected', async () => {
    const id = await showing()
    room.smv2.script.qr = { state: 'connected', text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }
    expect(await room.instances.qr.read(id, undefined)).toMatchObject({ state: 'pending' })
    await room.instances.onSignal(id, { kind: 'connected', number: '12025550123', name: null })
    expect(await room.instances.qr.read(id, undefined)).toMatchObject({ state: 'connected' })
  })

  test('with a phone number also returns a pairing code', async () => {
    const id = await showing()
    expect(await room.instances.qr.read(id, '12025550123')).toMatchObject({ state: 'ready', pairing_code: 'ABCD-1234' })
    expect(verbs()).toEqual(['code'])
  })

  test('of a connected instance reports connected without asking the engine', async () => {
    const { id } = await room.connected()
    verbs()
    expect(await room.instances.qr.read(id, '12025550123')).toEqual({
      qr: null,
      pairing_code: null,
      state: 'connected',
      expires_at: null,
      attempt: 0,
    })
    expect(verbs()).toEqual([])
  })

  test.each(['disconnected', 'auth_failed'] as const)(
    'of a %s instance starts nothing and reports expired',
    async (state) => {
      const { id } = await room.connected()
      if (state === 'disconnected') await room.instances.disconnect(id, false)
      else await room.instances.onSignal(id, { kind: 'auth_failed', reason: 'banned', code: 403, untilMs: null })
      room.newEvents()
      verbs()
      expect(await room.instances.qr.read(id, '12025550123')).toMatchObject({ qr: null, state: 'expired' })
      expect(types()).toEqual([])
      expect(verbs()).toEqual(['qr'])
    },
  )

  test('reports that a passkey is required', async () => {
    const id = await showing()
    await room.instances.onSignal(id, { kind: 'passkey_required' })
    expect(await room.instances.qr.read(id, undefined)).toMatchObject({
      qr: null,
      pairing_code: null,
      state: 'passkey_required',
    })
  })

  test('answers upstream_unavailable if the engine is unreachable, and the next read starts the engine', async () => {
    const { id } = await room.create()
    room.smv2.script.failing.add('start')
    await expect(room.instances.qr.read(id, undefined)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: expect.not.stringContaining('ECONNREFUSED'),
    })
    room.smv2.script.failing.clear()
    verbs()
    expect(await room.instances.qr.read(id, undefined)).toMatchObject({ state: 'pending' })
    expect(verbs()).toEqual(['start', 'qr'])
    await room.instances.qr.read(id, undefined)
    expect(verbs()).toEqual(['qr'])
    expect(types()).toEqual(['instance.created', 'instance.connecting'])
  })
})

describe('refreshing the QR', () => {
  test('of a connected instance is refused and changes nothing', async () => {
    const { id } = await room.connected()
    verbs()
    await expect(room.instances.qr.refresh(id)).rejects.toMatchObject({ code: 'invalid_state' })
    await room.instances.onSignal(id, { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: null })
    await expect(room.instances.qr.refresh(id)).rejects.toMatchObject({ code: 'invalid_state' })
    expect(verbs()).toEqual([])
    expect(types()).toEqual([])
  })

  test('while a code is shown requests another one without a new start', async () => {
    const id = await showing()
    expect(await room.instances.qr.refresh(id)).toMatchObject({ state: 'ready' })
    expect(verbs()).toEqual(['refresh'])
    expect(types()).toEqual([])
  })

  test('starts pairing again from disconnected', async () => {
    const id = await showing()
    await room.instances.onSignal(id, { kind: 'qr_expired' })
    room.newEvents()
    await room.instances.qr.refresh(id)
    expect(room.newEvents()).toMatchObject([{ type: 'instance.connecting', data: { reason: 'start', attempt: 2 } }])
    expect(verbs()).toEqual(['refresh'])
  })

  test('calls the engine after the status is stored, so that a code that comes immediately is accepted', async () => {
    const { id } = await room.create()
    room.smv2.script.during = async (call) => {
      if (call === 'refresh') await room.instances.onSignal(id, { kind: 'qr', attempt: 1, expiresAtMs: 1 })
    }
    await room.instances.qr.refresh(id)
    expect(types()).toEqual(['instance.created', 'instance.connecting', 'instance.qr.updated'])
    expect((await room.instances.get(id)).status).toBe('qr')
  })
})

describe('a restart', () => {
  test('of a created or disconnected instance starts the engine', async () => {
    const { id } = await room.create()
    expect(await room.instances.restart(id)).toEqual({ id, engine: 'smv2', status: 'connecting' })
    expect(verbs()).toEqual(['start'])
    await room.instances.disconnect(id, false)
    verbs()
    room.newEvents()
    await room.instances.restart(id)
    expect(verbs()).toEqual(['start'])
    expect(room.newEvents()).toMatchObject([{ type: 'instance.connecting', data: { reason: 'restart', attempt: 2 } }])
  })

  test('of a connected instance that reconnects in time causes no events', async () => {
    const { id } = await room.connected()
    verbs()
    expect(await room.instances.restart(id)).toMatchObject({ status: 'connecting' })
    expect(verbs()).toEqual(['stop', 'start'])
    await room.clock.advance(1_000)
    await room.instances.onSignal(id, { kind: 'connected', number: '12025550123', name: 'Acme' })
    await room.clock.advance(10_000)
    expect(types()).toEqual([])
  })

  test('of a connected instance that does not reconnect in time causes an outage', async () => {
    const { id } = await room.connected()
    await room.instances.restart(id)
    await room.clock.advance(5_000)
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.disconnected', data: { reason: 'restart', will_retry: true } },
    ])
  })

  test('during pairing starts again without a new event', async () => {
    const id = await showing()
    expect(await room.instances.restart(id)).toMatchObject({ status: 'qr' })
    expect(verbs()).toEqual(['stop', 'start'])
    expect(types()).toEqual([])
  })

  test('with the existing session reports that the instance reconnected', async () => {
    const { id } = await room.connected()
    await room.instances.disconnect(id, false)
    await room.clock.advance(90_000)
    await room.instances.restart(id)
    room.newEvents()
    await room.instances.onSignal(id, { kind: 'connected', number: '12025550123', name: 'Acme' })
    expect(room.newEvents()).toMatchObject([{ data: { reconnected: true, downtime_seconds: 90 } }])
  })

  test('first completes a logout that the engine could not do before', async () => {
    const { id } = await room.connected()
    room.smv2.script.failing.add('logout')
    await room.instances.disconnect(id, true)
    room.smv2.script.failing.clear()
    verbs()
    await room.instances.restart(id)
    expect(verbs()).toEqual(['logout', 'start'])
  })

  test.each(['restart', 'refresh'] as const)(
    'does not use a session that still has to be discarded (%s)',
    async (act) => {
      const { id } = await room.connected()
      room.smv2.script.failing.add('logout')
      await room.instances.disconnect(id, true)
      verbs()
      const again = act === 'restart' ? room.instances.restart : room.instances.qr.refresh
      await expect(again(id)).rejects.toMatchObject({ code: 'upstream_unavailable' })
      expect(verbs()).toEqual(['logout'])
      room.smv2.script.failing.clear()
      await again(id)
      expect(verbs()).toEqual([
        'logout',
        act === 'restart' ? 'stop' : 'refresh',
        ...(act === 'restart' ? ['start'] : []),
      ])
    },
  )

  test('of an unreachable engine answers upstream_unavailable', async () => {
    const { id } = await room.create()
    room.smv2.script.failing.add('start')
    await expect(room.instances.restart(id)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    expect((await room.instances.get(id)).status).toBe('connecting')
  })

  test('and a disconnect at the same time reach the engine in order', async () => {
    const { id } = await room.connected()
    await room.instances.disconnect(id, false)
    verbs()
    room.smv2.script.during = async () => new Promise((resolve) => setImmediate(resolve))
    await Promise.all([room.instances.restart(id), room.instances.disconnect(id, false), room.instances.restart(id)])
    expect(verbs()).toEqual(['start', 'stop', 'start'])
    expect((await room.instances.get(id)).status).toBe('connecting')
  })
})

describe('a disconnect', () => {
  test('keeps the session, and repeating it changes nothing', async () => {
    const { id } = await room.connected()
    verbs()
    expect(await room.instances.disconnect(id, false)).toEqual({ status: 'disconnected' })
    const before = await room.instances.get(id)
    expect(before).toMatchObject({
      status: 'disconnected',
      connected: false,
      phone_number: '12025550123',
      last_disconnect_reason: 'user',
    })
    expect(await room.instances.connection(id)).toEqual({
      connected: false,
      logged_in: true,
      name: 'Acme',
      number: '12025550123',
    })
    room.newEvents()
    expect(await room.instances.disconnect(id, false)).toEqual({ status: 'disconnected' })
    expect(await room.instances.get(id)).toEqual(before)
    expect(types()).toEqual([])
    expect(verbs()).toEqual(['stop', 'stop'])
  })

  test('with logout discards the session', async () => {
    const { id } = await room.connected()
    verbs()
    await room.instances.disconnect(id, true)
    expect(verbs()).toEqual(['logout'])
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.disconnected', data: { reason: 'logout', will_retry: false } },
    ])
    expect(await room.instances.get(id)).toMatchObject({
      phone_number: null,
      profile_name: null,
      last_disconnect_reason: 'logout',
    })
    expect(await room.instances.connection(id)).toEqual({
      connected: false,
      logged_in: false,
      name: null,
      number: null,
    })
  })

  test('succeeds even if the engine is unreachable', async () => {
    const { id } = await room.connected()
    room.smv2.script.failing = new Set(['stop', 'logout'])
    expect(await room.instances.disconnect(id, false)).toEqual({ status: 'disconnected' })
    expect(await room.instances.disconnect(id, true)).toEqual({ status: 'disconnected' })
  })

  test.each(['logout', 'deletion'])('discards the session after a %s once the engine is reachable', async (kind) => {
    const { id } = await room.connected()
    room.smv2.script.failing = new Set(['stop', 'logout', 'wipe'])
    await (kind === 'logout' ? room.instances.disconnect(id, true) : room.instances.remove(id))
    verbs()
    const step = room.instances.chore.begin()
    while (await step());
    const discard = () => room.database.raw.prepare('SELECT discard FROM instances WHERE id = ?').pluck().get(id)
    expect(discard()).toBe(kind === 'logout' ? 'logout' : 'wipe')
    room.smv2.script.failing = new Set()
    const again = room.instances.chore.begin()
    while (await again());
    expect(discard()).toBeNull()
    verbs()
    const third = room.instances.chore.begin()
    while (await third());
    expect(verbs()).toEqual([])
  })

  test('ends a pairing in progress', async () => {
    const id = await showing()
    expect(await room.instances.disconnect(id, false)).toEqual({ status: 'disconnected' })
    expect(types()).toEqual(['instance.disconnected'])
  })

  test('of an instance that was never connected changes nothing', async () => {
    const made = await room.create()
    room.newEvents()
    expect(await room.instances.disconnect(made.id, true)).toEqual({ status: 'created' })
    expect(await room.instances.get(made.id)).toEqual(made)
    expect(types()).toEqual([])
  })

  test('with logout requires confirm=true, and does nothing without it', async () => {
    const { id } = await room.connected()
    verbs()
    const handler = instancesHandlers(room.instances).disconnectInstance
    // Only what the handler reads of a call.
    const call = (body: { logout?: boolean }, confirmed: boolean) =>
      handler({ instance: { id }, body, confirmed } as unknown as Parameters<typeof handler>[0])
    await expect(call({ logout: true }, false)).rejects.toMatchObject({ code: 'confirmation_required' })
    expect(verbs()).toEqual([])
    expect(types()).toEqual([])
    expect(await call({}, false)).toEqual({ id, connected: false, status: 'disconnected', logged_out: false })
    expect(await call({ logout: true }, true)).toEqual({
      id,
      connected: false,
      status: 'disconnected',
      logged_out: true,
    })
  })
})

test('an old code is not shown after the pairing ended', async () => {
  const id = await showing()
  await room.instances.onSignal(id, { kind: 'qr_expired' })
  expect(await room.instances.qr.read(id, undefined)).toMatchObject({ qr: null, pairing_code: null, state: 'expired' })
  room.smv2.script.qr = NO_CODE
})
