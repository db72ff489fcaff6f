import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../support/service-process.ts'
import { passkeyWorld, type PasskeyWorld } from './passkey-world.ts'

/** With what can go wrong on the network: passkey-faults.slow.ts. */
let world: PasskeyWorld
beforeEach(async () => {
  world = await passkeyWorld()
})
afterEach(() => world.close())

const kinds = () => {
  const all = world.told(world.shop).map(({ kind }) => kind)
  return all.filter((kind, i) => kind !== all[i - 1])
}
const acks = () => world.applicant.notices.map(({ type, acks: given }) => [type, given.length, given[0]?.['error']])

describe('an account that requires a passkey is linked', () => {
  test('by QR code with a proof, without comparing codes', async () => {
    await world.scan()
    const { attempt, options, deadlineMs, step, code } = await world.asked()
    expect({ attempt, step, code }).toEqual({ attempt: 1, step: 'sign', code: null })
    expect(options).toEqual(world.applicant.ceremony?.options)
    expect(deadlineMs).toBe(world.time.now() + 600_000)
    expect(await world.smv2.engine.pairing?.current(world.shop)).toMatchObject({ text: null, pairingCode: null })
    await world.answer()
    await world.connected()
    expect(world.applicant.ceremony).toMatchObject({ hasProof: true, code: undefined })
    expect(kinds()).toEqual(['qr', 'passkey_required', 'passkey_accepted', 'connected'])
    expect(await world.current()).toBeUndefined()
    expect(acks()).toEqual([
      ['passkey_prologue_request', 1, undefined],
      ['crsc_continuation', 1, undefined],
    ])
  })

  test('by pairing code', async () => {
    await world.enter()
    await world.answer()
    await world.connected()
    expect(world.applicant.ceremony?.hasProof).toBe(true)
    expect(acks().filter(([type]) => type !== 'link_code_companion_reg')).toEqual([
      ['passkey_prologue_request', 1, undefined],
      ['crsc_continuation', 1, undefined],
    ])
  })

  test('by a QR code that was refreshed, with the secret that the phone scanned', async () => {
    world.phone.behave({ scansWith: 'camera' })
    await world.smv2.engine.start(world.shop)
    const first = await world.qr(world.shop)
    await expect(world.phone.scan(first)).rejects.toThrow('could not link')
    await until('another text', async () => (await world.qr(world.shop)) !== first)
    await world.scan()
    await world.answer()
    await world.connected()
    expect(world.applicant.ceremony?.hasProof).toBe(true)
  })

  test('more than five minutes after the request only if a person has compared the codes', async () => {
    await world.scan()
    await world.asked()
    await world.time.advance(301_000)
    await world.answer()
    const { code, attempt } = await world.step('compare')
    expect(world.applicant.ceremony?.hasProof).toBe(false)
    await until('the phone shows it', () => world.applicant.ceremony?.code === code)
    expect(world.phone.linked).toEqual([])
    await world.confirm(attempt, true)
    await world.connected()
  })

  test('even if all QR codes have expired meanwhile', async () => {
    await world.scan()
    await world.asked()
    await world.time.advance(290_000)
    expect(kinds()).toEqual(['qr', 'passkey_required'])
    await world.answer()
    await world.connected()
    expect(world.applicant.ceremony?.hasProof).toBe(true)
  })

  test('after a second request of WhatsApp, with the response to the second request only', async () => {
    await world.scan()
    const first = await world.asked()
    world.applicant.ceremony?.askAgain()
    const second = await until('other options', async () => {
      const now = await world.asked()
      return now.attempt === 2 ? now : undefined
    })
    expect(second.options.challenge).not.toBe(first.options.challenge)
    await expect(world.respond(1, world.credential(first.options))).rejects.toThrow(/passkey_superseded/)
    await world.respond(2, world.credential(second.options))
    await world.connected()
    expect(world.applicant.ceremony?.hasProof).toBe(true)
  })

  test('after a person has corrected a wrong response', async () => {
    await world.scan()
    const { attempt, options } = await world.asked()
    const wrong = world.credential({ ...options, challenge: Buffer.alloc(32).toString('base64url') })
    await expect(world.respond(attempt, wrong)).rejects.toMatchObject({ code: 'validation_error' })
    expect((await world.asked()).attempt).toBe(1)
    await world.answer()
    await world.connected()
  })
})

describe('a passkey ceremony ends', () => {
  const failed = async (reason: string, code: number | null = null) => {
    expect(await world.heard(world.shop, 'passkey_failed')).toEqual({ kind: 'passkey_failed', reason, code })
    expect(await world.smv2.engine.pairing?.current(world.shop)).toMatchObject({ state: 'expired', text: null })
    await until('no connection', () => world.whatsapp.connections === 0)
    expect(world.timers()).toBe(0)
    expect(world.phone.linked).toEqual([])
  }

  test('when the codes differ', async () => {
    await world.scan()
    await world.asked()
    await world.time.advance(301_000)
    await world.answer()
    const { attempt } = await world.step('compare')
    await world.confirm(attempt, false)
    await failed('differs')
  })

  test('when nobody responds for ten minutes', async () => {
    await world.scan()
    await world.asked()
    await world.time.advance(599_000)
    expect(world.of(world.shop, 'passkey_failed')).toEqual([])
    await world.time.advance(1_000)
    await failed('expired')
  })

  test('when the phone does not answer after WhatsApp has accepted the response', async () => {
    await world.scan({ passkey: 'refuses' })
    await world.answer()
    await world.time.advance(121_000)
    await failed('phone_silent')
  })

  test('when the connection is lost, and its challenge cannot be used again', async () => {
    await world.scan()
    const { attempt, options } = await world.asked()
    const late = world.credential(options)
    world.applicant.drop()
    expect(await world.heard(world.shop, 'passkey_failed')).toMatchObject({ reason: 'connection_lost' })
    await expect(world.respond(attempt, late)).rejects.toThrow(/passkey_not_asked/)
    // Started again by a person, it is another request and another challenge.
    await world.smv2.engine.pairing?.refresh(world.shop)
    world.forget()
    await until('a code', async () => {
      await world.time.advance(100)
      return (await world.smv2.engine.pairing?.current(world.shop))?.text !== null
    })
    await world.scan()
    expect((await world.asked()).attempt).toBe(2)
    await world.answer()
    await world.connected()
  })

  test.each([['stop'], ['wipe']] as const)('with a %s, without an error', async (how) => {
    await world.scan()
    await world.asked()
    await world.smv2.engine[how](world.shop)
    expect(kinds()).toEqual(['qr', 'passkey_required'])
    await until('no connection', () => world.whatsapp.connections === 0)
    expect([await world.current(), world.timers()]).toEqual([undefined, 0])
  })
})

test('a sixth passkey ceremony within an hour is refused', async () => {
  for (let i = 0; i < 5; i++) {
    await world.scan()
    await world.asked()
    await world.smv2.engine.stop(world.shop)
    world.forget()
    await world.time.advance(60_000)
  }
  await world.smv2.engine.start(world.shop)
  world.phone.scan(await world.qr(world.shop)).catch(() => {})
  expect(await world.heard(world.shop, 'passkey_failed')).toMatchObject({ reason: 'too_often' })
  await world.time.advance(3_600_000)
  await world.scan()
  await world.asked()
})
