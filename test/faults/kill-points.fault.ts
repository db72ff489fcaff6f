import { expect, test } from 'vitest'
import { killRounds } from './kill/rounds.ts'
import { POINTS, type PointName } from './kill/points.ts'

const KILLS = Number(process.env['KILLS'] ?? 50)
const SECONDS = Number(process.env['KILL_SECONDS'] ?? 170)

test(
  `C-03 killed by itself at each of twelve points, up to ${KILLS} times each: the built service goes on, and nothing is lost or repeated`,
  { timeout: SECONDS * 1_000 + 120_000 },
  async ({ task }) => {
    const kills = await killRounds(Object.keys(POINTS) as PointName[], { kills: KILLS, seconds: SECONDS })
    const counts = [...kills.values()]
    expect(kills.size).toBe(12)
    expect(Math.min(...counts)).toBeGreaterThan(0)
    const total = counts.reduce((sum, count) => sum + count, 0)
    task.meta.observed = `${total} kills in ${SECONDS} s, at least ${Math.min(...counts)} at each of twelve points`
  },
)
