import { longestStretch, shortestOf, slowness } from '../support/loop-stretch.ts'

/** No request holds the event loop of an ordinary computer up for longer: what others wait then is hardly noticed. */
const MOST_MS = 50
/** What is measured again alone, before it counts. */
const RUNS = 4

export interface LoopRequest {
  readonly name: string
  readonly send: () => Promise<unknown>
}

/** @returns those that hold the loop up, with the milliseconds. */
export async function offendersOf(requests: Iterable<LoopRequest>): Promise<string[]> {
  const found: string[] = []
  for (const { name, send } of requests) {
    if ((await longestStretch(send)) <= MOST_MS) continue
    const ms = (await shortestOf(RUNS, send, MOST_MS)) / slowness()
    if (ms > MOST_MS) found.push(`${name}: ${Math.round(ms)} ms`)
  }
  return found
}
