import { expect, test } from 'vitest'
import { killRounds } from '../faults/kill/rounds.ts'

test('C-03 killed by itself in the middle of a group, and between accepting a send and sending it: nothing is lost or sent twice', async () => {
  const points = ['mid group commit', 'between idempotency accept and engine call'] as const
  const kills = await killRounds(points, { kills: 1, seconds: 60 })
  expect(Object.fromEntries(kills)).toEqual({ [points[0]]: 1, [points[1]]: 1 })
})
