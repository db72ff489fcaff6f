import { afterAll, beforeAll, expect, test } from 'vitest'
import { settle } from '../../support/clock.ts'
import { aiBench, sure } from './ai-bench.ts'

let bench: Awaited<ReturnType<typeof aiBench>>
beforeAll(async () => {
  bench = await aiBench()
  await bench.agent()
  bench.model = () => sure('We open at 8.')
})
afterAll(() => bench.close())

/** A turn whose process is killed at this commit, and taken up by another one. */
async function killAt(atCommit: number, isWritten: boolean): Promise<'killed' | 'ended before'> {
  const chat = String(12_025_570_000 + atCommit * 2 + (isWritten ? 1 : 0))
  await bench.restart({ atCommit, isWritten })
  await bench.receive(chat, 'When do you open?')
  for (let i = 0; i < 8 && !bench.process().isDead(); i++) await bench.pass(1)
  const wasKilled = bench.process().isDead()
  await settle()
  await bench.restart()
  for (let i = 0; i < 20 && bench.turns().at(-1).ended_at === null; i++) await bench.pass(1)

  const turn = bench.turns().at(-1)
  const label = `${turn.state} after a kill at commit ${atCommit}, ${isWritten ? 'written' : 'not written'}`
  expect(['answered', 'unknown'], label).toContain(turn.state)
  if (turn.state === 'answered') expect(bench.texts(chat), label).toEqual(['We open at 8.'])
  else expect(bench.texts(chat).length, label).toBeLessThanOrEqual(1)
  // Nothing comes later either.
  await bench.pass(3)
  expect(bench.texts(chat).length, label).toBeLessThanOrEqual(1)
  return wasKilled ? 'killed' : 'ended before'
}

test('a process killed at any commit gives a person one answer or reports an unknown outcome', async () => {
  let kills = 0
  for (const isWritten of [false, true]) {
    for (let atCommit = 1; ; atCommit++) {
      if ((await killAt(atCommit, isWritten)) === 'ended before') break
      kills++
    }
  }
  expect(kills).toBeGreaterThan(14)
  expect(bench.turns().filter(({ state }) => state === 'unknown').length).toBeLessThan(kills / 3)
})
