import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isDestructive } from '../../main/contract/effects.ts'
import { LIMITS } from '../../main/contract/limits.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { OPERATIONS } from '../support/operations.ts'
import { sized } from '../support/sized.ts'
import { overSocket } from '../support/wire.ts'
import { inPassing, world, type World } from '../support/world.ts'
import { hostileBodies, hostileJson, PARTS } from './hostile-bodies.ts'
import { offendersOf, type LoopRequest } from './loop-offenders.ts'
import { askOf } from './requests.ts'
import { sideOf, type Side } from './sides.ts'

vi.setConfig({ testTimeout: sized(60_000, 900_000), hookTimeout: 120_000 })

let w: World
let side: Side
beforeAll(async () => {
  w = await world({ settings: { graphBaseUrl: 'sandbox' } })
  side = await sideOf(w, w.allScopes, 'Quillhaven', '31')
})
afterAll(() => w.close())

/** Answers that never reached a tool: they prove nothing. */
let unproved: string[] = []

async function post(body: string, method = '', name?: string): Promise<string> {
  const headers = {
    ...(method !== '' && { 'mcp-protocol-version': REVISION, 'mcp-method': method }),
    ...(name !== undefined && { 'mcp-name': name }),
    ...{ authorization: `Bearer ${w.allScopes}`, 'content-type': 'application/json' },
    accept: 'application/json, text/event-stream',
  }
  const { status, text } = await inPassing(w.clock, overSocket(`http://${w.host}`, 'POST', '/mcp', headers, body))
  if ([401, 403, 429].includes(status)) unproved.push(`${status}: ${text.slice(0, 100)}`)
  return text
}

const REVISION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const messageOf = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

function* toolCalls(): Generator<LoopRequest> {
  const tools = OPERATIONS.filter(({ tool, bodyFile }) => tool !== null && bodyFile === undefined)
  for (const [at, operation] of tools.filter((_, place) => sized(place % 4 === 0, true)).entries()) {
    const { given, body } = askOf(operation, side)
    for (const part of partsFor(at)) {
      const bodies = Object.entries(hostileBodies(operation, body, part))
      for (const [field, make] of sized(bodies.slice(0, 2), bodies)) {
        const args = argumentsOf(operation, given, make())
        const sent = messageOf('tools/call', { name: toolOf(operation), arguments: args, _meta: META })
        yield {
          name: `${toolOf(operation)} ${field} of ${JSON.stringify(part)}`,
          send: () => call(toolOf(operation), sent),
        }
      }
    }
  }
}

/** A call must reach its tool: an error of the protocol has no result. */
async function call(name: string, sent: string): Promise<void> {
  const answer = await post(sent, 'tools/call', name)
  if (!answer.includes('"result"') && !REFUSED_FOR_SIZE.test(answer)) unproved.push(`${name}: ${answer.slice(0, 200)}`)
}
/** Then the refusal is what is measured. */
const REFUSED_FOR_SIZE = /The body (is larger than|has more than)/

const toolOf = ({ tool }: Operation) => tool?.name ?? ''
const partsFor = (at: number) =>
  Array.from({ length: sized(1, 3) }, (_, turn) => PARTS[(at + turn * 7) % PARTS.length] ?? '')

/** Nothing is confirmed, so that what one tool removes is there for the next. */
function argumentsOf(operation: Operation, given: object, body: Buffer): object {
  const fields = JSON.parse(body.toString()) as unknown
  const isObject = typeof fields === 'object' && fields !== null
  return { ...given, ...(isObject ? fields : {}), ...(isDestructive(operation) && { confirm: false }) }
}

/** Messages that are no calls of a tool, or strange ones. */
function* messages(): Generator<LoopRequest> {
  for (const [what, make] of Object.entries(hostileJson(LIMITS.bodyBytes * 0.9))) {
    const filling = make()
    for (const [method, params] of Object.entries({
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { x: filling },
        clientInfo: { name: 'x', version: '1' },
      },
      'tools/list': { cursor: filling },
      'tools/call': { name: 'list_instances', arguments: { limit: filling } },
      'nothing/known': filling,
    })) {
      const sent = messageOf(method, params)
      yield { name: `${method} with ${what}`, send: () => post(sent) }
    }
  }
  const batch = JSON.stringify(
    Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
  )
  yield { name: 'a batch of ten thousand', send: () => post(batch) }
}

test('A-06 no message to /mcp blocks the event loop', async () => {
  await post(messageOf('tools/list', {}))
  unproved = []
  expect(await offendersOf(messages())).toEqual([])
  expect(unproved).toEqual([])
})

test('A-06 no tool blocks the event loop with its largest and oddest arguments', async () => {
  unproved = []
  expect(await offendersOf(toolCalls())).toEqual([])
  expect(unproved).toEqual([])
})
