import { longestStretch, shortestOf, slowness } from '../support/loop-stretch.ts'

/** No request holds the event loop of an ordinary computer up for longer: what others wait then is hardly noticed. */
const MOST_MS = 50
/** What is measured again alone, before it counts. */
const RUNS = 4
/** Other work on this machine makes processor time longer, and passes. What is slow by itself stays slow. */
const ROUNDS = 5

export interface LoopRequest {
  readonly name: string
  readonly send: () => Promise<unknown>
}

/** @returns those that hold the loop up, with the milliseconds. */
export async function offendersOf(requests: Iterable<LoopRequest>): Promise<string[]> {
  const suspects: LoopRequest[] = []
  for (const request of requests) {
    if ((await longestStretch(request.send)) <= MOST_MS) continue
    if ((await measured(request)) > MOST_MS) suspects.push(request)
  }
  const found: string[] = []
  for (const suspect of suspects) {
    let ms = Infinity
    for (let round = 0; round < ROUNDS && ms > MOST_MS; round++) ms = Math.min(ms, await measured(suspect))
    if (ms > MOST_MS) found.push(`${suspect.name}: ${Math.round(ms)} ms`)
  }
  return found
}

const measured = async ({ send }: LoopRequest): Promise<number> => (await shortestOf(RUNS, send, MOST_MS)) / slowness()
