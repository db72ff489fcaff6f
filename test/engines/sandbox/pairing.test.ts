import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { SANDBOX_CREDENTIAL } from '../../../main/contract/sandbox.ts'
import { settle } from '../../support/clock.ts'
import { ANA, networkWorld, OURS, type NetworkWorld } from './network-world.ts'

let world: NetworkWorld
beforeEach(async () => {
  world = await networkWorld()
})
afterEach(() => world.close())

async function pairing() {
  const instance = world.instance('smv2')
  await world.network.smv2.start(instance)
  await settle()
  return instance
}

const scanText = (text: string | null, number = OURS) =>
  world.network.scan(world.accountId, number, { text: text ?? '' })

test('pairing immediately shows a QR code that no real phone accepts; a pairing code has eight characters', async () => {
  const instance = await pairing()
  expect(await world.qr(instance)).toEqual({
    state: 'ready',
    text: expect.stringMatching(/^SWITCHBOARD-SANDBOX:[0-9A-HJKMNP-TV-Z]{32}$/),
    pairingCode: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
    expiresAtMs: world.clock.now() + 60_000,
    attempt: 1,
  })
  expect(world.told(instance)).toEqual([{ kind: 'qr', attempt: 1, expiresAtMs: world.clock.now() + 60_000 }])
})

test('before the first start there is no code to scan', async () => {
  expect(await world.qr(world.instance('smv2'))).toMatchObject({ state: 'pending', text: null, attempt: 0 })
})

test('the first code is valid for a minute, and five more for 20 seconds each, then the pairing ends', async () => {
  const instance = await pairing()
  const startedMs = world.clock.now()
  const texts = new Set<string | null>()
  for (const lifetimeMs of [60_000, 20_000, 20_000, 20_000, 20_000, 20_000]) {
    texts.add((await world.qr(instance)).text)
    await world.clock.advance(lifetimeMs - 1)
    expect((await world.qr(instance)).state).toBe('ready')
    await world.clock.advance(1)
  }
  expect(texts.size).toBe(6)
  expect(await world.qr(instance)).toMatchObject({ state: 'expired', text: null, pairingCode: null, attempt: 6 })
  expect(world.told(instance).map((signal) => signal.kind)).toEqual(['qr', 'qr', 'qr', 'qr', 'qr', 'qr', 'qr_expired'])
  expect(world.of(instance, 'qr').map(({ expiresAtMs }) => (expiresAtMs - startedMs) / 1_000)).toEqual([
    60, 80, 100, 120, 140, 160,
  ])
  expect(world.clock.waiting()).toBeLessThanOrEqual(1)
})

test('a code that was replaced cannot pair, and the new one can', async () => {
  const instance = await pairing()
  const { text } = await world.qr(instance)
  await world.clock.advance(60_000)
  await expect(scanText(text)).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await scanText((await world.qr(instance)).text)).toEqual({ instanceId: instance.id, state: 'connected' })
  await settle()
  expect(world.told(instance).at(-1)).toEqual({ kind: 'connected', number: OURS, name: 'Sandbox phone 0100' })
  expect(await world.qr(instance)).toMatchObject({ state: 'connected', text: null })
})

test('the pairing code stays the same while QR codes change, and is accepted in any spelling', async () => {
  const instance = await pairing()
  const { pairingCode } = await world.qr(instance)
  await world.clock.advance(70_000)
  expect((await world.qr(instance)).pairingCode).toBe(pairingCode)
  const typed = (pairingCode ?? '').toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
  expect(await world.network.scan(world.accountId, OURS, { code: typed })).toEqual({
    instanceId: instance.id,
    state: 'connected',
  })
})

test('a refresh starts again with another code', async () => {
  const instance = await pairing()
  const before = await world.qr(instance)
  await world.clock.advance(65_000)
  const after = await world.network.smv2.pairing?.refresh(instance)
  expect(after).toMatchObject({ state: 'ready', attempt: 1, expiresAtMs: world.clock.now() + 60_000 })
  expect(after?.text).not.toBe(before.text)
  expect(after?.pairingCode).not.toBe(before.pairingCode)
})

test('starting again has no effect unless the pairing has expired', async () => {
  const instance = await pairing()
  const before = await world.qr(instance)
  await world.network.smv2.start(instance)
  expect(await world.qr(instance)).toEqual(before)
  await world.clock.advance(160_000)
  await world.network.smv2.start(instance)
  expect(await world.qr(instance)).toMatchObject({ state: 'ready', attempt: 1 })
})

test('asking for a pairing code starts pairing', async () => {
  const instance = world.instance('smv2')
  expect(await world.network.smv2.pairing?.code(instance, OURS)).toMatchObject({ state: 'ready', attempt: 1 })
})

test('a phone with a passkey leaves the instance waiting for the passkey', async () => {
  const instance = await pairing()
  await world.network.changePhone(world.accountId, OURS, { passkey: true })
  expect(await scanText((await world.qr(instance)).text)).toEqual({
    instanceId: instance.id,
    state: 'passkey_required',
  })
  await settle()
  expect(world.told(instance).map(({ kind }) => kind)).toEqual(['qr', 'passkey_required'])
  expect(await world.qr(instance)).toMatchObject({ state: 'passkey_required', text: null })
  await world.clock.advance(200_000)
  expect(world.told(instance)).toHaveLength(2)
  await world.network.smv2.start(instance)
  expect(await scanText((await world.qr(instance)).text, ANA)).toMatchObject({ state: 'connected' })
})

describe('a passkey confirmation', () => {
  let instance: EngineInstance
  beforeEach(async () => {
    instance = await pairing()
    await world.network.changePhone(world.accountId, OURS, { passkey: true })
    await scanText((await world.qr(instance)).text)
  })
  const credential = (id: string = SANDBOX_CREDENTIAL.id) => ({
    ...{ id, rawId: id, type: 'public-key' },
    response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
  })
  const passkey = () => {
    const found = world.network.smv2.pairing?.passkey
    if (!found) throw new Error('the sandbox has passkeys')
    return found
  }
  const kinds = () => world.told(instance).map(({ kind }) => kind)
  const now = async () => (await world.qr(instance)).passkey

  test('completes every step and connects', async () => {
    expect(await now()).toMatchObject({
      ...{ step: 'sign', attempt: 1, code: null, deadlineMs: world.clock.now() + 600_000 },
      options: { rpId: 'whatsapp.com', challenge: expect.stringMatching(/^[\w-]{43}$/) },
    })
    expect((await passkey().respond(instance, { attempt: 1, credential: credential() })).passkey).toMatchObject({
      ...{ step: 'phone', options: null, code: null },
    })
    await world.clock.advance(1_000)
    expect(await now()).toMatchObject({ step: 'compare', code: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/) })
    await passkey().confirm(instance, { attempt: 1, match: true })
    expect(await now()).toMatchObject({ step: 'finishing', code: null })
    await world.clock.advance(1_100)
    await settle()
    expect(await world.qr(instance)).toMatchObject({ state: 'connected' })
    expect(kinds().filter((kind) => kind !== 'passkey_required')).toEqual(['qr', 'passkey_accepted', 'connected'])
  })

  test('refuses unexpected responses without changing its step', async () => {
    const refused = [
      [passkey().respond(instance, { attempt: 2, credential: credential() }), 'invalid_state', /superseded/],
      [passkey().respond(instance, { attempt: 1, credential: credential('x') }), 'validation_error', /credential\.id/],
      [passkey().confirm(instance, { attempt: 1, match: true }), 'invalid_state', /passkey_not_asked/],
    ] as const
    for (const [call, code, message] of refused)
      await expect(call).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(await now()).toMatchObject({ step: 'sign' })
  })

  test.each([
    ['nobody answers', 600_000, 'expired', async () => {}],
    [
      'the codes differ',
      0,
      'differs',
      async () => {
        await passkey().respond(instance, { attempt: 1, credential: credential() })
        await world.clock.advance(1_000)
        await passkey().confirm(instance, { attempt: 1, match: false })
      },
    ],
  ])('ends when %s', async (_why, waitMs, reason, act) => {
    await act()
    await world.clock.advance(waitMs)
    await settle()
    expect(world.told(instance).at(-1)).toEqual({ kind: 'passkey_failed', reason, code: null })
    expect(await world.qr(instance)).toMatchObject({ state: 'expired', text: null })
    await expect(passkey().respond(instance, { attempt: 1, credential: credential() })).rejects.toThrow(
      /passkey_not_asked/,
    )
  })

  test('ends when its pairing ends', async () => {
    await world.network.smv2.stop(instance)
    expect(await now()).toBeUndefined()
    await world.clock.advance(700_000)
    expect(kinds()).not.toContain('passkey_failed')
  })
})

test('a phone may be linked to several instances', async () => {
  const first = await world.connected('smv2')
  const second = await world.connected('smv2')
  const third = await world.connected('official')
  for (const instance of [first, second, third])
    expect(await world.engine(instance.engine).resume(instance)).toBe('connected')
})

test('codes of another account are neither shown nor accepted', async () => {
  const instance = await pairing()
  const { text, pairingCode } = await world.qr(instance)
  const foreign = 'another-account' as typeof world.accountId
  await expect(world.network.scan(foreign, OURS, { text: text ?? '' })).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(world.network.scan(foreign, OURS, { code: pairingCode ?? '' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  expect(world.network.shownCodes(foreign)).toEqual([])
})

test('stopping the instance or restarting the service ends a pairing', async () => {
  const stopped = await pairing()
  await world.network.smv2.stop(stopped)
  expect(await world.qr(stopped)).toMatchObject({ state: 'pending' })
  const cut = await pairing()
  await world.restart()
  expect(await world.network.smv2.resume(cut)).toBe('no_session')
})

test('an official instance is onboarded once with the token of its page', async () => {
  const instance = world.instance('official')
  const token = (await world.network.official.onboarding?.token(instance)) ?? ''
  expect(await world.network.official.onboarding?.token(instance)).toBe(token)
  await world.restart()
  await world.network.official.begin()
  expect(await world.network.onboardingSubject(token)).toEqual({ id: instance.id, accountId: world.accountId })
  await world.network.completeOnboarding(token, OURS)
  await settle()
  expect(world.told(instance)).toEqual([{ kind: 'connected', number: OURS, name: 'Sandbox phone 0100' }])
  expect(await world.network.official.onboarding?.token(instance)).toBeNull()
  await expect(world.network.completeOnboarding(token, ANA)).rejects.toMatchObject({ code: 'not_found' })
  await expect(world.network.onboard(instance, ANA)).rejects.toMatchObject({ code: 'invalid_state' })
})
