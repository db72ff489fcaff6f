import { join } from 'node:path'
import { cpuMicros, startProgram } from './processes.ts'
import { inRounds } from './rounds.ts'

/** A program that answers HTTP, and what it is asked. */
export interface Target {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

interface Load {
  readonly connections: number
  readonly seconds: number
  /** Undefined: as fast as it can. */
  readonly perSecond?: number
}

export interface Loaded {
  readonly perSecond: number
  readonly p99: number
  /** Microseconds of the program's processor time for each request. */
  readonly cpu: number
}

const WARM_UP_SECONDS = 2

/** All targets are alive at once and take turns. @returns their rounds, in the order of the targets. */
export async function loadInRounds(
  targets: readonly Target[],
  { rounds, ...load }: Load & { readonly rounds: number },
): Promise<Loaded[][]> {
  const found = targets.map((target) => ({ target, rounds: [] as Loaded[] }))
  const seconds = Math.min(WARM_UP_SECONDS, load.seconds)
  for (const target of targets) await loadOnce(target, { ...load, seconds })
  await inRounds(rounds, found, async (one) => void one.rounds.push(await loadOnce(one.target, load)))
  return found.map((one) => one.rounds)
}

/** @throws when an answer was anything but good. */
export async function loadOnce(target: Target, load: Load): Promise<Loaded> {
  const before = cpuMicros(target.pid)
  const { ready, stop } = await startProgram(LOAD, [JSON.stringify({ ...target, ...load })], {})
  await stop()
  const { perSecond = 0, p99 = 0, total = 1, refused, errors } = ready as Record<string, number>
  if (refused || errors) throw new Error(`${target.name}: ${refused} refused, ${errors} errors`)
  return { perSecond, p99, cpu: (cpuMicros(target.pid) - before) / total }
}

const LOAD = join(import.meta.dirname, 'load.ts')
