import { expect, test } from 'vitest'
import { killRounds } from '../faults/kill/rounds.ts'

test('C-03 a service that kills itself during a commit group, or between accepting and sending a message, loses and repeats nothing', async () => {
  const points = ['mid group commit', 'between idempotency accept and engine call'] as const
  const kills = await killRounds(points, { kills: 1, seconds: 60 })
  expect(Object.fromEntries(kills)).toEqual({ [points[0]]: 1, [points[1]]: 1 })
})
