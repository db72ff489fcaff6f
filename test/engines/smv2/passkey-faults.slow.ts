import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { logThrough } from '../../../main/kernel/log.ts'
import { until } from '../../support/service-process.ts'
import type { PasskeyFault, PasskeyQuery, PasskeyStep } from '../../support/whatsapp/passkey-faults.ts'
import { passkeyWorld, type PasskeyWorld } from './passkey-world.ts'

let world: PasskeyWorld
let written: string
beforeEach(async () => {
  written = ''
  world = await passkeyWorld({ log: logThrough((_level, fields) => void (written += JSON.stringify(fields))) })
})
afterEach(() => world.close())

const LONG_MS = 60_000

const fault = (one: PasskeyFault) => world.whatsapp.faults.onPasskey(one)
const failure = () => world.heard(world.shop, 'passkey_failed')

/** Goes as far as it can; a fault on the way ends it. */
async function tryToLink(isLate = false): Promise<unknown> {
  await world.scan()
  await world.asked()
  if (isLate) await world.time.advance(301_000)
  const refused = await world.answer().then(
    () => undefined,
    (error: unknown) => error,
  )
  return refused
}

async function expectGone(): Promise<void> {
  await until('no connection', () => world.whatsapp.connections === 0)
  expect([world.timers(), world.phone.linked, await world.current()]).toEqual([0, [], undefined])
  expect(world.data.raw.prepare('SELECT COUNT(*) AS rows FROM smv2_sessions').get()).toEqual({ rows: 0 })
  for (const { acks, type } of world.applicant.notices) expect([type, acks.length]).toEqual([type, 1])
}

const QUERIES = ['ref', 'passkey_prologue', 'companion_nonce', 'encrypted_pairing_request'] as const

describe.each<PasskeyQuery>(QUERIES)('the query %s', (at) => {
  test.each([400, 401, 429, 500] as const)('refused with %i ends the ceremony with that code', async (code) => {
    fault({ at, kind: 'refused', code })
    const refused = await tryToLink()
    expect(await failure()).toMatchObject({ reason: 'refused', code })
    if (at === 'ref' || at === 'passkey_prologue')
      expect(refused).toMatchObject({ code: 'upstream_unavailable', message: expect.stringContaining(String(code)) })
    await expectGone()
  })

  test('without an answer ends the ceremony', { timeout: LONG_MS }, async () => {
    fault({ at, kind: 'unanswered' })
    await tryToLink()
    // The library waits for an answer in real time.
    const { reason } = await until('failed', () => world.of(world.shop, 'passkey_failed')[0], 40_000)
    expect(reason).toBe('connection_lost')
    await expectGone()
  })
})

test.each<PasskeyStep>([...QUERIES, 'passkey_prologue_request', 'crsc_continuation'])(
  'a connection lost at %s ends the ceremony, and nothing is retried',
  async (at) => {
    fault({ at, kind: 'cut' })
    await world.scan()
    if (at !== 'passkey_prologue_request') await world.answer().catch(() => {})
    expect((await failure()).reason).toBe('connection_lost')
    await world.time.advance(600_000)
    await expectGone()
  },
)

test('a connection lost after the phone has linked the device only causes a reconnect', async () => {
  fault({ at: 'pair-success', kind: 'cut' })
  await tryToLink()
  await until('connected', async () => {
    await world.time.advance(1_000)
    return world.of(world.shop, 'connected').length > 0
  })
  expect(world.of(world.shop, 'passkey_failed')).toEqual([])
})

describe('a passkey request', () => {
  test('without options causes them to be fetched', async () => {
    fault({ at: 'passkey_prologue_request', kind: 'options', options: 'absent' })
    await world.scan()
    const { options } = await world.asked()
    expect(options).toEqual(world.applicant.ceremony?.options)
    await world.answer()
    await world.connected()
  })

  test.each(['refused', 'unanswered'] as const)(
    'ends the ceremony if its options cannot be fetched: %s',
    { timeout: LONG_MS },
    async (kind) => {
      fault({ at: 'passkey_prologue_request', kind: 'options', options: 'absent' })
      if (kind === 'refused') fault({ at: 'passkey_request_options', kind, code: 500 })
      else fault({ at: 'passkey_request_options', kind })
      await world.scan()
      const failed = await until('failed', () => world.of(world.shop, 'passkey_failed')[0], 40_000)
      expect(failed).toMatchObject(
        kind === 'refused' ? { reason: 'refused', code: 500 } : { reason: 'connection_lost', code: null },
      )
      await expectGone()
    },
  )

  test.each(['empty', 'not_json', 'oversized'] as const)('with options that are %s is refused', async (options) => {
    fault({ at: 'passkey_prologue_request', kind: 'options', options })
    await world.smv2.engine.start(world.shop)
    const text = await world.qr(world.shop)
    await expect(world.phone.scan(text)).rejects.toThrow('487')
    expect(world.applicant.notices.map(({ acks }) => acks)).toMatchObject([[{ error: '487' }]])
    expect([await world.qr(world.shop), world.of(world.shop, 'passkey_required')]).toEqual([text, []])
  })

  test.each(['passkey_prologue_request', 'crsc_continuation'] as const)(
    'from a stranger (%s) is refused and changes nothing',
    async (at) => {
      fault({ at, kind: 'foreign' })
      await world.scan()
      const { options } = await world.asked()
      expect(options).toEqual(world.applicant.ceremony?.options)
      await world.answer()
      await world.connected()
      const acks = world.applicant.notices.map((notice) => [notice.acks.length, notice.acks[0]?.['error']])
      expect(acks.toSorted()).toEqual(
        [
          [1, undefined],
          [1, undefined],
          [1, '487'],
        ].toSorted(),
      )
    },
  )
})

test('an answer from the phone with a nonce of 31 bytes is refused and ends the ceremony', async () => {
  fault({ at: 'crsc_continuation', kind: 'short_nonce' })
  await tryToLink()
  expect((await failure()).reason).toBe('refused')
  await until('acknowledged', () => world.applicant.notices.at(-1)?.acks.length === 1)
  expect(world.applicant.notices.at(-1)?.acks).toMatchObject([{ error: '487' }])
  await expectGone()
})

test('an answer from the phone before anything was sent changes nothing', async () => {
  await world.scan()
  await world.asked()
  world.applicant.ceremony?.continueTooEarly()
  await until('acknowledged', () => world.applicant.notices.at(-1)?.acks.length === 1)
  await world.answer()
  await world.connected()
})

test('a ref that arrives as text is accepted', async () => {
  fault({ at: 'ref', kind: 'text' })
  await tryToLink()
  await world.connected()
})

test('a registration refresh during the ceremony is acknowledged and changes nothing', async () => {
  await world.scan()
  await world.asked()
  world.applicant.refresh()
  await until('acknowledged', () => world.applicant.notices.at(-1)?.acks.length === 1)
  expect(world.of(world.shop, 'qr')).toHaveLength(1)
  await world.answer()
  await world.connected()
})

test('a login message that arrives before linking is ignored', async () => {
  await world.scan()
  await world.asked()
  world.applicant.welcomeTooEarly()
  await world.answer()
  await world.connected()
  expect(world.of(world.shop, 'connected')).toHaveLength(1)
})

test('the passkey response, the challenge and the secrets are not logged, stored or reported', async () => {
  await world.scan()
  const { options, attempt } = await world.asked()
  const credential = world.credential(options)
  await world.time.advance(301_000)
  await world.respond(attempt, credential)
  const { code } = await world.step('compare')
  await world.confirm(attempt, true)
  await world.connected()
  expect(written).toContain('smv2.paired')
  const told = JSON.stringify(world.told(world.shop))
  const { clientDataJSON, signature, authenticatorData } = credential.response
  for (const secret of [options.challenge, credential.id, clientDataJSON, signature, authenticatorData, code ?? '']) {
    expect(written).not.toContain(secret)
    expect(told).not.toContain(secret)
    expect(world.data.raw.serialize().includes(secret)).toBe(false)
  }
})
