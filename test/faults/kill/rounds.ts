import { openLandings } from '../landing.ts'
import { killedHome, type Turn } from './killed-home.ts'
import type { PointName } from './points.ts'
import { SCENES } from './scenes.ts'

/** Starts that go on at one moment: what comes after them is mostly waiting. */
const AT_ONCE = 2

/**
 * Every point has a home of its own, and all go on side by side: kill, start the built service, let it finish, look.
 * @param most ends a point after so many kills, or all of them after so many seconds.
 * @returns how often it was killed at each.
 */
export async function killRounds(
  points: readonly PointName[],
  most: { readonly kills: number; readonly seconds: number },
): Promise<ReadonlyMap<PointName, number>> {
  const endsAt = performance.now() + most.seconds * 1_000
  const landings = await openLandings()
  const turn = turns(AT_ONCE)
  const kills = new Map<PointName, number>()

  async function killAgainAndAgain(point: PointName): Promise<void> {
    const home = await killedHome(landings.open(point), turn)
    const { prepare, provoke, afterwards } = SCENES[point]
    try {
      do {
        await prepare?.(home)
        await home.killAt(point, provoke)
        await home.recover(async (stage) => afterwards?.(stage))
        await home.check()
        kills.set(point, home.kills)
      } while (home.kills < most.kills && performance.now() < endsAt)
    } finally {
      await home.remove()
    }
  }

  try {
    await Promise.all(points.map(killAgainAndAgain))
  } finally {
    await landings.close()
  }
  return kills
}

function turns(atOnce: number): Turn {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (act) => {
    if (free > 0) free--
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
