import * as baileys from 'baileys'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import type { PasskeyOptions } from '../../../main/engines/engine.ts'
import { createPasskeyCeremony, type PasskeyCeremony, type PasskeyNetwork } from '../../../main/engines/smv2/passkey.ts'
import { handoffKeyOf, handoffProofOf, publicKeyOf } from '../../../main/engines/smv2/shortcake.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { browserCredential } from './browser-credential.ts'

const SEEN = Buffer.alloc(32, 5)
const optionsOf = (byte: number): PasskeyOptions => ({ challenge: Buffer.alloc(32, byte).toString('base64url') })
const PRIMARY = { publicKey: publicKeyOf(Buffer.alloc(32, 2)), nonce: Buffer.alloc(32, 4) }

/** As the library rejects a query that was answered with an error. */
const refusal = (code: number) => Object.assign(new Error('forbidden'), { data: code })

let time: FakeClock
let ceremony: PasskeyCeremony
let failed: (readonly [reason: string, code: number | null])[]
let changes: number
let sent: { what: keyof PasskeyNetwork; proof?: Buffer | null; payload?: Buffer; bytes?: Buffer }[]
/** What the network does with the next query of a kind; by default it agrees. */
let instead: Partial<Record<keyof PasskeyNetwork, () => Promise<never>>>
let given: Buffer[]

function begin(options: PasskeyOptions | null = optionsOf(7)): void {
  const answered = async (what: keyof PasskeyNetwork, more: object = {}) => {
    sent.push({ what, ...more })
    await instead[what]?.()
  }
  const network: PasskeyNetwork = {
    async options() {
      await answered('options')
      return optionsOf(9)
    },
    async ref() {
      await answered('ref')
      return 'REF'
    },
    prologue: ({ payload, proof }) => answered('prologue', { payload, proof }),
    nonce: (bytes) => answered('nonce', { bytes }),
    pairingRequest: (bytes) => answered('pairingRequest', { bytes }),
  }
  const bytes = (count: number) => {
    const made = Buffer.alloc(count, given.length + 0x11)
    given.push(made)
    return made
  }
  ceremony = createPasskeyCeremony(
    {
      ...{ clock: time, alarms: createAlarms(time), random: { bytes }, id: 'shop' as InstanceId },
      ...{ library: baileys, network, deviceType: 1, seenSecret: Buffer.from(SEEN), firstAttempt: 1 },
      keys: {
        companionPublicKey: Buffer.alloc(32, 6),
        companionIdentityKey: Buffer.alloc(32, 7),
        advSecret: Buffer.alloc(32, 8),
      },
      changed: () => changes++,
      failed: (...why) => failed.push(why),
    },
    options,
  )
}

beforeEach(() => {
  time = fakeClock()
  failed = []
  changes = 0
  sent = []
  instead = {}
  given = []
})

const answer = () => ceremony.respond(ceremony.view().attempt, browserCredential(optionsOf(7).challenge))
const step = () => ceremony.view().step
const asked = () => sent.map(({ what }) => what)
/** The way to where the codes are compared: too late for a proof. */
async function compare(): Promise<void> {
  begin()
  await time.advance(300_000)
  await answer()
  ceremony.continued(PRIMARY)
  await settle()
}

describe('a passkey ceremony', () => {
  test('sends nothing to the network before there is a response, and then one request after the other', async () => {
    begin()
    expect([step(), asked(), ceremony.view().options]).toEqual(['sign', [], optionsOf(7)])
    await answer()
    expect([step(), asked(), ceremony.view().options]).toEqual(['phone', ['ref', 'prologue'], null])
    ceremony.continued(PRIMARY)
    await settle()
    expect([step(), asked().slice(2)]).toEqual(['finishing', ['nonce', 'pairingRequest']])
    expect(failed).toEqual([])
  })

  test.each([
    [299_999, true],
    [300_000, false],
  ])('%i ms after the request has a proof: %s', async (waitMs, hasProof) => {
    begin()
    await time.advance(waitMs)
    await answer()
    const { proof, payload } = sent[1] ?? {}
    expect(proof).toEqual(hasProof ? handoffProofOf(handoffKeyOf(SEEN), payload ?? Buffer.alloc(0)) : null)
    ceremony.continued(PRIMARY)
    await settle()
    expect(step()).toBe(hasProof ? 'finishing' : 'compare')
    expect(ceremony.view().code).toEqual(hasProof ? null : expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/))
  })

  test('without a proof waits until a person has compared the codes', async () => {
    await compare()
    expect(asked().at(-1)).toBe('nonce')
    await expect(ceremony.confirm(2, true)).rejects.toThrow(/superseded/)
    await ceremony.confirm(1, true)
    expect([step(), asked().at(-1), ceremony.view().code]).toEqual(['finishing', 'pairingRequest', null])
  })

  test('fetches options that the network did not send', async () => {
    begin(null)
    expect([step(), ceremony.view().options]).toEqual(['sign', null])
    await expect(answer()).rejects.toMatchObject({ code: 'invalid_state' })
    await settle()
    expect([asked(), ceremony.view().options]).toEqual([['options'], optionsOf(9)])
  })

  test('accepts an answer from the phone that arrives before the network’s own', async () => {
    begin()
    const agreed = Promise.withResolvers<never>()
    instead.prologue = () => agreed.promise
    const answering = answer()
    await settle()
    ceremony.continued(PRIMARY)
    expect(step()).toBe('phone')
    agreed.resolve(undefined as never)
    await answering
    await settle()
    expect(step()).toBe('finishing')
  })

  test('ignores an answer from the phone before there is a response, and a second one', async () => {
    begin()
    ceremony.continued(PRIMARY)
    await settle()
    expect([step(), asked()]).toEqual(['sign', []])
    await answer()
    ceremony.continued(PRIMARY)
    ceremony.continued(null)
    await settle()
    expect([step(), failed]).toEqual(['finishing', []])
  })
})

describe('another passkey request', () => {
  test('replaces the options, keeps the age of the first request, and invalidates responses to it', async () => {
    begin()
    await time.advance(200_000)
    ceremony.requested(optionsOf(8))
    expect(ceremony.view()).toMatchObject({
      ...{ attempt: 2, options: optionsOf(8), deadlineMs: time.now() + 600_000 },
    })
    await expect(ceremony.respond(1, browserCredential(optionsOf(7).challenge))).rejects.toThrow(/superseded/)
    await time.advance(100_000)
    await ceremony.respond(2, browserCredential(optionsOf(8).challenge))
    expect(sent[1]?.proof).toBeNull()
  })

  test('without options keeps options younger than ten minutes', () => {
    begin()
    ceremony.requested(null)
    expect([ceremony.view().attempt, ceremony.view().options, asked()]).toEqual([1, optionsOf(7), []])
  })

  test('changes nothing once a response was sent', async () => {
    begin()
    await answer()
    ceremony.requested(optionsOf(8))
    expect(ceremony.view()).toMatchObject({ step: 'phone', attempt: 1 })
  })
})

describe('a passkey ceremony ends', () => {
  const gone = (reason: string, code: number | null = null) => {
    expect(failed).toEqual([[reason, code]])
    expect(time.waiting()).toBe(0)
    // Every key and nonce is overwritten; what was sent to the network is its own.
    for (const secret of given.slice(0, 2)) expect(secret.equals(Buffer.alloc(32))).toBe(true)
    expect(ceremony.view()).toMatchObject({ options: null, code: null })
  }

  test('when nobody responds for ten minutes', async () => {
    begin()
    await time.advance(599_999)
    expect(failed).toEqual([])
    await time.advance(1)
    gone('expired')
    await expect(answer()).rejects.toThrow(/passkey_not_asked/)
  })

  test('when the phone does not answer for two minutes', async () => {
    begin()
    await answer()
    await time.advance(119_999)
    expect(failed).toEqual([])
    await time.advance(1)
    gone('phone_silent')
  })

  test('when nobody compares the codes for two minutes', async () => {
    await compare()
    await time.advance(120_000)
    gone('expired')
  })

  test('when the codes differ', async () => {
    await compare()
    await ceremony.confirm(1, false)
    gone('differs')
    expect(asked()).not.toContain('pairingRequest')
  })

  test('when the pairing is not completed within two minutes', async () => {
    begin()
    await answer()
    ceremony.continued(PRIMARY)
    await settle()
    await time.advance(120_000)
    gone('phone_silent')
  })

  test('when the phone’s answer has no valid identity, or a key of low order', async () => {
    begin()
    await answer()
    ceremony.continued(null)
    await settle()
    gone('refused')
    failed = []
    begin()
    await answer()
    ceremony.continued({ ...PRIMARY, publicKey: Buffer.alloc(32) })
    await settle()
    expect(failed).toEqual([['refused', null]])
  })

  test('after ten unusable responses, and not before', async () => {
    begin()
    const wrong = () => ceremony.respond(1, browserCredential(optionsOf(1).challenge))
    for (let i = 0; i < 9; i++) await expect(wrong()).rejects.toMatchObject({ code: 'validation_error' })
    expect(failed).toEqual([])
    await expect(wrong()).rejects.toMatchObject({ code: 'validation_error' })
    gone('refused')
  })

  test.each([400, 401, 403, 429, 500])('when the network refuses the response with %i', async (code) => {
    begin()
    instead.prologue = () => Promise.reject(refusal(code))
    await expect(answer()).rejects.toMatchObject({
      ...{ code: 'upstream_unavailable', message: expect.stringContaining(`${code} forbidden`) },
    })
    gone('refused', code)
  })

  test.each(['options', 'ref', 'nonce', 'pairingRequest'] as const)('when the network refuses %s', async (what) => {
    instead[what] = () => Promise.reject(refusal(500))
    begin(what === 'options' ? null : undefined)
    await answer().catch(() => {})
    ceremony.continued(PRIMARY)
    await settle()
    gone('refused', 500)
  })

  test.each(['ref', 'prologue', 'nonce', 'pairingRequest'] as const)('when %s is not answered', async (what) => {
    instead[what] = () => Promise.reject(new Error('no response'))
    begin()
    const answering = answer()
    if (what === 'ref' || what === 'prologue')
      await expect(answering).rejects.toMatchObject({ code: 'upstream_unavailable' })
    else await answering
    ceremony.continued(PRIMARY)
    await settle()
    gone('connection_lost')
  })

  test('when it is canceled, without a failure, and a waiting response is rejected', async () => {
    begin()
    instead.prologue = () => new Promise<never>(() => {})
    const answering = answer()
    await settle()
    ceremony.end()
    await expect(answering).rejects.toMatchObject({ code: 'invalid_state' })
    ceremony.end()
    expect([failed, time.waiting()]).toEqual([[], 0])
    const before = changes
    ceremony.requested(optionsOf(8))
    ceremony.continued(PRIMARY)
    await time.advance(700_000)
    expect([failed, changes - before]).toEqual([[], 0])
  })

  test('when it is canceled, and a late answer of the network is ignored', async () => {
    begin()
    const late = Promise.withResolvers<never>()
    instead.ref = () => late.promise
    const answering = answer()
    answering.catch(() => {})
    await settle()
    ceremony.end()
    late.resolve(undefined as never)
    await expect(answering).rejects.toMatchObject({ code: 'invalid_state' })
    expect([asked(), step()]).toEqual([['ref'], 'finishing'])
  })
})
