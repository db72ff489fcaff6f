import { afterAll, beforeAll, expect, test } from 'vitest'
import { settle } from '../../support/clock.ts'
import { campaignBench } from './campaign-bench.ts'
import { phonesFrom } from './campaign-world.ts'

let bench: Awaited<ReturnType<typeof campaignBench>>
beforeAll(async () => {
  bench = await campaignBench()
})
afterAll(() => bench.close())

const UNPACED = { minDelay: 0, maxDelay: 0, checkNumbers: false }
const PACED = { minDelay: 1, maxDelay: 2, checkNumbers: false }
const PEOPLE = 4

/** Creates a campaign, kills its process at this commit, and lets another one finish it. */
async function killAt(atCommit: number, isWritten: boolean, config: object): Promise<'killed' | 'ended before'> {
  const [a, b] = [bench.line('a'), bench.line('b')]
  const phones = phonesFrom(PEOPLE, 12_025_570_000 + 100 * atCommit)
  const before = bench.sent.length
  const id = await bench.create([a, b], phones, config)
  await bench.restart({ atCommit, isWritten })
  for (let i = 0; i < 8 && !bench.process().isDead(); i++) await bench.pass(1)
  const wasKilled = bench.process().isDead()
  await settle()
  await bench.restart()
  for (let i = 0; i < 15 && (await bench.get(id)).status !== 'completed'; i++) await bench.pass(1)

  const times = new Map<string, number>()
  for (const { to } of bench.sent.slice(before)) times.set(to, (times.get(to) ?? 0) + 1)
  const found = bench.recipients(id)
  for (const { phone, status } of found) {
    const label = `${phone} is ${status} after a kill at commit ${atCommit}, ${isWritten ? 'written' : 'not written'}`
    if (status === 'sent') expect(times.get(phone), label).toBe(1)
    else {
      expect(status, label).toBe('unknown')
      expect(times.get(phone) ?? 0, label).toBeLessThanOrEqual(1)
    }
  }
  const { counts, status } = await bench.get(id)
  expect(status).toBe('completed')
  const unknown = found.filter((each) => each.status === 'unknown').length
  expect(counts).toMatchObject({ total: PEOPLE, pending: 0, sent: PEOPLE - unknown, unknown })
  return wasKilled ? 'killed' : 'ended before'
}

test.each([
  ['one after another', PACED],
  ['all at once', UNPACED],
])(
  'whatever commit a process is killed at, everybody gets one message or is honestly unknown: %s',
  async (_name, config) => {
    let kills = 0
    for (const isWritten of [false, true]) {
      for (let atCommit = 1; ; atCommit++) {
        if ((await killAt(atCommit, isWritten, config)) === 'ended before') break
        kills++
      }
    }
    expect(kills).toBeGreaterThan(20)
  },
)

test('paused and resumed after every step, it writes to everybody once, and to nobody while paused', async () => {
  const [a, b] = [bench.line('a'), bench.line('b')]
  const before = bench.sent.length
  const id = await bench.create([a, b], phonesFrom(12, 12_025_590_000), PACED)
  for (let step = 0; step < 60 && (await bench.get(id)).status !== 'completed'; step++) {
    await bench.act('pause', id)
    await settle()
    const whilePaused = bench.sent.length
    await bench.pass(2)
    expect(bench.sent).toHaveLength(whilePaused)
    expect(await bench.get(id)).toMatchObject({ status: 'paused', pause_reason: 'user' })
    await bench.act('resume', id)
    // A number that resumes waits for up to its longest delay, so that not all of them begin at once.
    await bench.pass(1 + (step % 3))
  }
  expect(await bench.get(id)).toMatchObject({ status: 'completed', counts: { sent: 12, pending: 0, unknown: 0 } })
  const written = bench.sent.slice(before).map(({ to }) => to)
  expect(new Set(written).size).toBe(12)
  expect(written).toHaveLength(12)
})
