import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { LIMITS } from '../../main/contract/limits.ts'
import { isDestructive } from '../../main/contract/effects.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { ALL_OPERATIONS } from '../support/operations.ts'
import { builtConsole, signedIn, type Browser } from '../support/panel.ts'
import { sized } from '../support/sized.ts'
import { overSocket } from '../support/wire.ts'
import { inPassing, world, type World } from '../support/world.ts'
import { hostileBodies, hostileFile, hostileQuery, PARTS } from './hostile-bodies.ts'
import { offendersOf, type LoopRequest } from './loop-offenders.ts'
import { askOf } from './requests.ts'
import { sideOf, type Side } from './sides.ts'

vi.setConfig({ testTimeout: sized(60_000, 1_800_000), hookTimeout: 120_000 })

let w: World
let side: Side
/** Signed in at the console, for the operations that only the window has. */
let person: Browser
/** Requests that were turned away before they were read: they prove nothing. */
let turnedAway = 0
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole(), settings: { graphBaseUrl: 'sandbox' } })
  side = await sideOf(w, w.allScopes, 'Quillhaven', '31')
  person = await signedIn(w)
})
afterAll(() => w.close())

async function ask({ method, bodyFile, audience }: Operation, path: string, body?: unknown): Promise<void> {
  const isForWindow = audience === 'console'
  const headers: Record<string, string> = {
    ...(isForWindow
      ? { cookie: person.cookie, origin: `http://${w.host}`, 'sec-fetch-site': 'same-origin' }
      : { authorization: `Bearer ${w.allScopes}` }),
    ...(body !== undefined && { 'content-type': bodyFile?.types[0] ?? 'application/json' }),
  }
  const asked = overSocket(`http://${w.host}`, method, isForWindow ? `/panel${path}` : path, headers, body)
  // A file gives the loop thousands of turns, in which no time need pass.
  const { status } = await (bodyFile === undefined ? inPassing(w.clock, asked) : asked)
  if (status === 401 || status === 429) turnedAway++
}

const isRemoval = (operation: Operation) => isDestructive(operation) || operation.confirm !== undefined
/** Switches billing of every account to live. */
const OPERATIONS = ALL_OPERATIONS.filter(({ id }) => id !== 'updateBillingProvider')
const IN_ORDER = [...OPERATIONS.filter((one) => !isRemoval(one)), ...OPERATIONS.filter(isRemoval)]

/** The parts to try with one operation, different for each. Every part with every operation would take minutes. */
const partsFor = (at: number) =>
  Array.from({ length: sized(1, 4) }, (_, turn) => PARTS[(at + turn * 7) % PARTS.length] ?? '')

/** The first of each operation, and what costs most where a schema allows anything. */
const isShort = ([field]: readonly [string, unknown], place: number) => place < 3 || field.startsWith('distinct fields')

function* requestsOf(operation: Operation, at: number): Generator<LoopRequest> {
  const { id, bodyFile } = operation
  const { path, body } = askOf(operation, side)
  for (const part of partsFor(at)) {
    const name = (what: string) => `${id} ${what} of ${JSON.stringify(part)}`
    const bodies = Object.entries(hostileBodies(operation, body, part))
    for (const [field, make] of sized(bodies.filter(isShort), bodies)) {
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
  test('A-06 is not blocked by the largest and oddest bodies, queries and files of any operation', async () => {
    for (const operation of IN_ORDER) {
      const { path, body } = askOf(operation, side)
      // Schemas are compiled with the first request.
      if (!isRemoval(operation)) await ask(operation, path, body)
    }
    function* all() {
      for (const [at, operation] of IN_ORDER.entries()) yield* requestsOf(operation, at)
    }
    expect(await offendersOf(all())).toEqual([])
    expect(turnedAway).toBe(0)
  })

  test('is reported as blocked by a slow function', async () => {
    const busy = async () => {
      await Promise.resolve()
      const until = process.threadCpuUsage().user + 150_000
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
