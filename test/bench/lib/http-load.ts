import { join } from 'node:path'
import { cpuMicros, startProgram } from './processes.ts'
import { inRounds } from './rounds.ts'

/** An HTTP server and the requests to send to it. */
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
  /** undefined sends as many as possible. */
  readonly perSecond?: number
}

export interface Loaded {
  readonly perSecond: number
  readonly p99: number
  /** Processor time of the program per request, in microseconds. */
  readonly cpu: number
}

const WARM_UP_SECONDS = 2

/** All targets run in parallel and are measured in turns. @returns their rounds, in the order of the targets. */
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

/** @throws if any answer is not successful. */
export async function loadOnce(target: Target, load: Load): Promise<Loaded> {
  const before = cpuMicros(target.pid)
  const { ready, stop } = await startProgram(LOAD, [JSON.stringify({ ...target, ...load })], {})
  await stop()
  const { perSecond = 0, p99 = 0, total = 1, refused, errors } = ready as Record<string, number>
  if (refused || errors) throw new Error(`${target.name}: ${refused} refused, ${errors} errors`)
  return { perSecond, p99, cpu: (cpuMicros(target.pid) - before) / total }
}

const LOAD = join(import.meta.dirname, 'load.ts')
