import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../main/kernel/log.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { createVoiceProcess, type CallPlan, type SipTrunk } from '../../main/voice/voice-process.ts'
import { readPages } from '../../main/voice/ogg.ts'
import { testVoiceProcess } from '../support/voice.ts'
import { baresip, ownAddress, registrar } from './sip-servers.ts'
import { NO_SERVICES } from './talking.ts'

/** Telephone calls through the voice process, with baresip as the other telephone. */

const NUMBER = '12025550151'
const folder = mkdtempSync(join(tmpdir(), 'sip-'))
const voice = createVoiceProcess({ clock: systemClock, log: silentLog, start: testVoiceProcess })
afterAll(async () => {
  await voice.close()
  rmSync(folder, { recursive: true, force: true })
})

const trunkAt = (port: number, more: Partial<SipTrunk> = {}): SipTrunk => ({
  ...{ host: '127.0.0.1', port, transport: 'tcp', username: '1001', password: 'right', callerId: null },
  ...more,
})

function place(trunk: SipTrunk, callId: string) {
  const states: string[] = []
  const plan: CallPlan = {
    ...{ callId, route: { kind: 'sip', trunk, number: NUMBER }, consoleOffer: null, speech: NO_SERVICES },
    agent: { name: 'Ana', greeting: 'Hello, this is Ana of the flower shop.', instructions: '' },
    ...{ announcement: null, recordTo: join(folder, `${callId}.ogg`), title: 'Call', isSandbox: false },
    ...{ limitMs: 60_000, ringMs: 10_000 },
  }
  const placed = voice.place(plan, {
    onState: (state) => states.push(state),
    onLine() {},
    onTurn: async () => ({ text: null, hangUp: false }),
  })
  return { ...placed, states }
}

async function until(isDone: () => boolean): Promise<void> {
  for (const startedAt = performance.now(); !isDone(); await systemClock.sleep(50))
    if (performance.now() - startedAt > 15_000) throw new Error('It did not happen.')
}

describe('a call to baresip', () => {
  test.each(['us', 'them'])('is answered, heard both ways, and hung up by %s', { timeout: 40_000 }, async (who) => {
    const port = who === 'us' ? 25_070 : 25_080
    const phone = await baresip(NUMBER, port)
    const call = place(trunkAt(port, { host: ownAddress() }), who)
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
    expect(readPages(readFileSync(join(folder, `${who}.ogg`))).length).toBeGreaterThan(3)
  })
})

test('a trunk that nobody answers at is unavailable', { timeout: 30_000 }, async () => {
  const call = place(trunkAt(9), 'nobody')
  expect((await call.ended)?.reason).toBe('gateway_unavailable')
})

test.each([
  ['over TCP', false],
  ['over TLS', true],
])('the registration is checked %s', { timeout: 30_000 }, async (_, isTls) => {
  const { port, ca, registered } = await registrar('1001', 'right', isTls)
  const trunk = trunkAt(port, isTls ? { transport: 'tls', host: 'localhost', ca } : {})
  expect(await voice.checkTrunk(trunk)).toMatchObject({ ok: true })
  expect(registered.length).toBeGreaterThan(0)
  const wrong = await voice.checkTrunk({ ...trunk, password: 'wrong' })
  expect(wrong).toMatchObject({ ok: false })
  if (isTls) expect(await voice.checkTrunk({ ...trunk, ca: undefined as never })).toMatchObject({ ok: false })
})
