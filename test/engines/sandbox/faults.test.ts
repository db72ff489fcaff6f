import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settle } from '../../support/clock.ts'
import { ANA, BEN, ENGINES, networkWorld, OURS, SEND_TIMEOUT_MS, type NetworkWorld } from './network-world.ts'

let world: NetworkWorld
beforeEach(async () => {
  world = await networkWorld()
})
afterEach(() => world.close())

/** Nobody has heard from this person yet. */
const STRANGER = '12025550105'
const hi = { to: OURS, group: null, content: { type: 'text', text: 'Hi' } }

describe.each(ENGINES)('faults on %s', (name) => {
  test('the fault "unreachable" affects the given number of sends, and survives a restart', async () => {
    const instance = await world.connected(name)
    await world.network.failSends(instance, 'unreachable', 2)
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'nothing_sent' })
    await world.restart()
    await world.engine(name).resume(instance)
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'nothing_sent' })
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'accepted' })
  })

  test('concurrent sends use up a fault together', async () => {
    const instance = await world.connected(name)
    await world.network.failSends(instance, 'unreachable', 2)
    const sends = Array.from({ length: 5 }, () => world.sending(instance, ANA))
    await world.clock.advance(50)
    const kinds = await Promise.all(sends.map(async ({ outcome }) => (await outcome).kind))
    expect(kinds.toSorted()).toEqual(['accepted', 'accepted', 'accepted', 'nothing_sent', 'nothing_sent'])
  })

  test('the fault "timeout" leaves the outcome unknown until the message is delivered, also across a crash', async () => {
    const instance = await world.connected(name)
    await world.network.failSends(instance, 'timeout', 1)
    const { messageId, outcome } = world.sending(instance, ANA)
    await world.clock.advance(1_000)
    await world.restart()
    await world.engine(name).resume(instance)
    await world.engine(name).begin()
    await world.clock.advance(SEND_TIMEOUT_MS)
    expect(await outcome).toMatchObject({ kind: 'unknown' })
    expect(await world.engine(name).find(instance, messageId)).toBe('arrived')
    await world.clock.advance(10_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered'])
    expect(await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
  })

  test('the fault "drop" ends the connection, delays later signals, and recovers after eight seconds', async () => {
    const instance = await world.connected(name)
    const { messageId } = await world.send(instance, { to: ANA })
    const lostMs = world.clock.now()
    await world.network.breakLink(instance, 'drop')
    await settle()
    expect(world.told(instance)).toEqual([
      { kind: 'link_lost', reason: 'connection_lost', code: 428, nextRetryAtMs: lostMs + 8_000 },
    ])
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'not_ready' })
    await world.network.speak(world.accountId, BEN, hi)
    await world.clock.advance(7_900)
    expect(world.told(instance)).toHaveLength(1)
    await world.clock.advance(100)
    const kinds = world.told(instance).map(({ kind }) => kind)
    expect(kinds.slice(0, 2)).toEqual(['link_lost', 'connected'])
    expect(kinds.slice(2).toSorted()).toEqual(['receipt', 'receipt', 'receipt', 'received'])
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
  })

  test('the fault "drop" recovers even if the service was restarted meanwhile', async () => {
    const instance = await world.connected(name)
    await world.network.breakLink(instance, 'drop')
    await settle()
    await world.restart()
    expect(await world.engine(name).resume(instance)).toBe('connecting')
    await world.engine(name).begin()
    await world.clock.advance(8_000)
    expect(world.told(instance).map(({ kind }) => kind)).toEqual(['link_lost', 'connected'])
  })

  test.each([
    ['logout', { reason: 'logged_out', code: 401 }],
    ['ban', { reason: 'banned', code: 403 }],
  ] as const)('the fault "%s" ends the session permanently', async (kind, expected) => {
    const instance = await world.connected(name)
    await world.send(instance, { to: ANA })
    await world.network.breakLink(instance, kind)
    await world.clock.advance(60_000)
    expect(world.told(instance)).toEqual([{ kind: 'auth_failed', untilMs: null, ...expected }])
    expect(await world.engine(name).resume(instance)).toBe('no_session')
    await expect(world.network.breakLink(instance, 'drop')).rejects.toMatchObject({ code: 'invalid_state' })
  })

  test('the fault "restricted" refuses one message to people who never wrote, and is shown in health', async () => {
    const instance = await world.connected(name)
    await world.network.speak(world.accountId, BEN, hi)
    await world.network.failSends(instance, 'restricted', 1)
    expect(world.engine(name).evidence(instance).restriction).toMatchObject({ kind: 'reachout' })
    expect(await world.send(instance, { to: BEN })).toMatchObject({ kind: 'accepted' })
    const cold = await world.send(instance, { to: STRANGER })
    if (name === 'smv2') expect(cold).toMatchObject({ kind: 'refused', error: { code: 'reachout_restricted' } })
    else {
      await world.clock.advance(1_000)
      expect(world.of(instance, 'failed')[0]).toMatchObject({
        messageId: cold.messageId,
        error: { provider_code: 131048 },
      })
    }
    expect(await world.send(instance, { to: STRANGER })).toMatchObject({ kind: 'accepted' })
  })

  test('the fault "engine_down" makes the engine unreachable until a restart, and its connection state is still known', async () => {
    const instance = await world.connected(name)
    await world.network.failSends(instance, 'engine_down', 5)
    expect(world.engine(name).evidence(instance)).toMatchObject({
      reachable: false,
      lastSeenAtMs: null,
      latencyMs: null,
    })
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'nothing_sent' })
    expect(await world.engine(name).resume(instance)).toBe('connected')
    await world.engine(name).start(instance)
    expect(world.engine(name).evidence(instance)).toMatchObject({ reachable: true, latencyMs: 50 })
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'accepted' })
  })

  test('a connection fault is refused without a connection', async () => {
    const instance = world.instance(name)
    await expect(world.network.breakLink(instance, 'drop')).rejects.toMatchObject({ code: 'invalid_state' })
    const stopped = await world.connected(name)
    await world.engine(name).stop(stopped)
    await expect(world.network.breakLink(stopped, 'drop')).rejects.toMatchObject({ code: 'invalid_state' })
  })
})
