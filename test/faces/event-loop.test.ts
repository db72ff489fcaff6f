import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { LIMITS } from '../../main/contract/limits.ts'
import { isDestructive } from '../../main/contract/effects.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { longestStretch, shortestOf, slowness } from '../support/loop-stretch.ts'
import { OPERATIONS } from '../support/operations.ts'
import { sized } from '../support/sized.ts'
import { overSocket } from '../support/wire.ts'
import { inPassing, world, type World } from '../support/world.ts'
import { hostileBodies, hostileFile, hostileQuery, PARTS } from './hostile-bodies.ts'
import { askOf } from './requests.ts'
import { sideOf, type Side } from './sides.ts'

vi.setConfig({ testTimeout: sized(60_000, 1_800_000), hookTimeout: 120_000 })

/** No operation holds the event loop of an ordinary computer up for longer: what others wait then is hardly noticed. */
const MOST_MS = 50
/** What is measured again alone, before it counts. */
const RUNS = 4

interface Request {
  readonly name: string
  readonly send: () => Promise<unknown>
}

/** @returns those that hold the loop up, with the milliseconds. */
async function offendersOf(requests: Iterable<Request>): Promise<string[]> {
  const found: string[] = []
  for (const { name, send } of requests) {
    if ((await longestStretch(send)) <= MOST_MS) continue
    const ms = (await shortestOf(RUNS, send, MOST_MS)) / slowness()
    if (ms > MOST_MS) found.push(`${name}: ${Math.round(ms)} ms`)
  }
  return found
}

let w: World
let side: Side
beforeAll(async () => {
  w = await world({ settings: { graphBaseUrl: 'sandbox' } })
  side = await sideOf(w, w.allScopes, 'Quillhaven', '31')
})
afterAll(() => w.close())

function ask({ method, bodyFile }: Operation, path: string, body?: unknown): Promise<unknown> {
  const type = bodyFile?.types[0] ?? 'application/json'
  const headers = {
    authorization: `Bearer ${w.allScopes}`,
    ...(body === undefined ? {} : { 'content-type': type }),
  }
  const asked = overSocket(`http://${w.host}`, method, path, headers, body)
  // A file gives the loop thousands of turns, in which no time need pass.
  return bodyFile === undefined ? inPassing(w.clock, asked) : asked
}

const isRemoval = (operation: Operation) => isDestructive(operation) || operation.confirm !== undefined
const IN_ORDER = [...OPERATIONS.filter((one) => !isRemoval(one)), ...OPERATIONS.filter(isRemoval)]

/** The parts that one operation is tried with: others for each operation. All of them with all operations take minutes. */
const partsFor = (at: number) =>
  Array.from({ length: sized(1, 4) }, (_, turn) => PARTS[(at + turn * 7) % PARTS.length] ?? '')

function* requestsOf(operation: Operation, at: number): Generator<Request> {
  const { id, bodyFile } = operation
  const { path, body } = askOf(operation, side)
  for (const part of partsFor(at)) {
    const name = (what: string) => `${id} ${what} of ${JSON.stringify(part)}`
    const bodies = Object.entries(hostileBodies(operation, body, part))
    for (const [field, make] of sized(bodies.slice(0, 3), bodies)) {
      const bytes = make()
      yield { name: name(field), send: () => ask(operation, path, bytes) }
    }
    const query = hostileQuery(operation, part)
    if (query !== '') {
      const asked = `${path}${path.includes('?') ? '&' : '?'}${query}`
      yield { name: name('query'), send: () => ask(operation, asked, body) }
    }
    if (bodyFile === undefined) continue
    const file = hostileFile(part, sized(500_000, LIMITS.importBytes))
    yield { name: name('file'), send: () => ask(operation, path, file) }
  }
}

describe('the event loop', () => {
  test('A-06 is not held up by the largest and oddest bodies, queries and files of any operation', async () => {
    for (const operation of IN_ORDER) {
      const { path, body } = askOf(operation, side)
      // Schemas are compiled with the first request.
      if (!isRemoval(operation)) await ask(operation, path, body)
    }
    function* all() {
      for (const [at, operation] of IN_ORDER.entries()) yield* requestsOf(operation, at)
    }
    expect(await offendersOf(all())).toEqual([])
  })

  test('is seen to be held up by a slow function', async () => {
    const busy = async () => {
      await Promise.resolve()
      const until = process.threadCpuUsage().user + 300_000
      while (process.threadCpuUsage().user < until);
    }
    const quick = async () => new Promise((resolve) => setTimeout(resolve, 100))
    const requests = [
      { name: 'quick', send: quick },
      { name: 'slow', send: busy },
    ]
    expect(await offendersOf(requests)).toEqual([expect.stringMatching(/^slow: \d+ ms$/)])
  })
})
