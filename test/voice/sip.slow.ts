import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { readPages } from '../../main/kernel/ogg.ts'
import type { SipTrunk } from '../../main/voice/voice-process.ts'
import { sipCalls, trunkAt, until } from './sip-calls.ts'
import { baresip, ownAddress, registrar } from './sip-servers.ts'

/** Telephone calls through the voice process, with baresip as the other telephone. */

const NUMBER = '12025550151'
const { voice, folder, place } = sipCalls()
const dial = (trunk: SipTrunk, callId: string) => place({ kind: 'sip', trunk, number: NUMBER }, callId)

describe('a call to baresip', () => {
  test.each(['us', 'them'])('is answered, heard both ways, and hung up by %s', async (who) => {
    const port = who === 'us' ? 25_070 : 25_080
    const phone = await baresip(NUMBER, port)
    const call = dial(trunkAt(port, { host: ownAddress() }), who)
    await until(() => call.states.includes('in_progress'))
    await systemClock.sleep(3_000)
    if (who === 'us') call.hangUp('operator_hung_up')
    else await phone.hangUp()
    const end = await call.ended
    expect(end?.reason).toBe(who === 'us' ? 'operator_hung_up' : 'person_hung_up')
    expect(end?.media.framesIn).toBeGreaterThan(100)
    expect(end?.media.framesLost).toBe(0)
    const { recording } = end ?? {}
    expect(recording?.durationMs).toBeGreaterThan(2_500)
    const peaks = [...(recording?.peaks ?? [])]
    const [agent, person] = [peaks.slice(0, peaks.length / 2), peaks.slice(peaks.length / 2)]
    expect(Math.max(...agent)).toBeGreaterThan(20)
    expect(Math.max(...person)).toBeGreaterThan(20)
    await until(() => phone.heardPeak() > 2_000, 'The greeting at the other side')
    expect(readPages(readFileSync(join(folder, `${who}.ogg`))).length).toBeGreaterThan(3)
  })
})

test('baresip takes a hold, the end of it, and keys', async () => {
  const phone = await baresip(NUMBER, 25_120)
  const call = dial(trunkAt(25_120, { host: ownAddress() }), 'held')
  await until(() => call.states.includes('in_progress'))
  expect(await call.control({ kind: 'hold', isHeld: true })).toEqual({ ok: true })
  // Longer than a call without sound that is not on hold.
  await systemClock.sleep(6_000)
  expect(await call.control({ kind: 'hold', isHeld: false })).toEqual({ ok: true })
  await systemClock.sleep(1_000)
  expect(await call.control({ kind: 'press', digits: '15#' })).toEqual({ ok: true })
  call.hangUp('operator_hung_up')
  const end = await call.ended
  expect([end?.reason, end?.media.framesLost]).toEqual(['operator_hung_up', 0])
  await until(() => phone.said().includes('session closed'), 'The end')
})

test('a trunk that nobody answers at is unavailable', async () => {
  const call = dial(trunkAt(9), 'nobody')
  expect((await call.ended)?.reason).toBe('gateway_unavailable')
})

test.each([
  ['over TCP', false],
  ['over TLS', true],
])('the registration is checked %s', async (_, isTls) => {
  const { port, ca, registered } = await registrar('1001', 'right', isTls)
  const trunk = trunkAt(port, isTls ? { transport: 'tls', host: 'localhost', ca } : {})
  expect(await voice.checkTrunk(trunk)).toMatchObject({ ok: true })
  expect(registered.length).toBeGreaterThan(0)
  const wrong = await voice.checkTrunk({ ...trunk, password: 'wrong' })
  expect(wrong).toMatchObject({ ok: false })
  if (isTls) expect(await voice.checkTrunk({ ...trunk, ca: undefined as never })).toMatchObject({ ok: false })
})
