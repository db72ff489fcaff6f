import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../support/database.ts'
import { scriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, until, voiceOf } from './calls.ts'

const NUMBERS = Array.from({ length: 8 }, (_, i) => String(12_025_550_100 + i))
const INTERVAL_MS = 60_000

const busy = () => scriptedVoice((voice, plan) => voice.end(plan, { reason: 'busy' }))

/** @returns the instance. */
async function batchOf(w: World): Promise<string> {
  const id = await callingInstance(w)
  const made = await w.api('POST', `${voiceOf(id)}/calls/batch`, {
    ...{ numbers: NUMBERS, agent_id: 'agent-1', interval_seconds: INTERVAL_MS / 1_000 },
  })
  expect(made.body.scheduled).toBe(NUMBERS.length)
  return id
}

const starts = async (w: World) =>
  (
    await w.rows<{ at: number }>('SELECT started_at AS at FROM voice_calls WHERE started_at IS NOT NULL ORDER BY seq')
  ).map(({ at }) => at)

function expectPace(times: readonly number[]): void {
  for (const [i, at] of times.slice(1).entries()) expect(at - (times[i] ?? 0)).toBeGreaterThanOrEqual(INTERVAL_MS)
}

test('a batch keeps its pace over a restart: calls that were due meanwhile are not made together', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const first = await world({ voiceAgents: testAgents(), home, startVoice: busy().start })
  const id = await batchOf(first)
  await until(
    first,
    () => starts(first),
    (times) => times.length === 2,
  )
  await first.close()
  // Five calls are due when it is back.
  first.clock.set(first.clock.now() + 5 * INTERVAL_MS)
  const { vault, clock } = first
  const second = await worldOfTest({
    ...{ voiceAgents: testAgents(), home, vault, clock, seed: 9 },
    startVoice: busy().start,
  })
  // A number that is not connected yet makes no calls, and how long that takes depends on the machine.
  await expect.poll(async () => (await second.api('GET', `/v1/instances/${id}`)).body.status).toBe('connected')
  await until(
    second,
    () => starts(second),
    ({ length }) => length === 3,
  )
  const times = await until(
    second,
    () => starts(second),
    ({ length }) => length === NUMBERS.length,
  )
  expectPace(times)
  expect(times.at(-1)! - times[2]!, 'and no slower than needed').toBeLessThan(6 * INTERVAL_MS)
})

test('a batch keeps its pace when the clock is set forward or back', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: busy().start })
  await batchOf(w)
  await until(
    w,
    () => starts(w),
    (times) => times.length === 1,
  )
  w.clock.set(w.clock.now() + 4 * INTERVAL_MS)
  await w.pass(10_000)
  expect(await starts(w), 'no call is early').toHaveLength(1)
  w.clock.set(w.clock.now() - 4 * INTERVAL_MS)
  await w.pass(NUMBERS.length * 2 * INTERVAL_MS)
  expect(await starts(w)).toHaveLength(NUMBERS.length)
})
