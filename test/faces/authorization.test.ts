import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../main/contract/operation.ts'
import { ACCEPTED_SCOPES, SCOPES, type AcceptedScope } from '../../main/contract/scopes.ts'
import type { Principal } from '../../main/kernel/access.ts'
import { lineOf, OPERATIONS } from '../support/operations.ts'
import { sized } from '../support/sized.ts'
import type { Reply } from '../support/world.ts'
import { SCOPE_SYNONYMS } from '../spec/tables.ts'
import { askOf, harmless, ownedIn, type Ask } from './requests.ts'
import { EVERY, look, openScene, TARGETS, type Look, type Reaching, type Scene, type Target } from './scene.ts'

/**
 * Every operation × whose thing it names × each single scope, its synonyms, all and none × a key to everything and one
 * to a list. Made from the contracts: an operation that is new is in it, or fails here until it has words of its own
 * in requests.ts.
 */
let scene: Scene
beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene.w.close())

/** Only instances have tombstones; what names nothing has one answer. */
function targetsOf(operation: Operation): readonly Target[] {
  if (operation.reach === 'instance') return TARGETS
  return ownedIn(operation).length > 0 ? ['own', 'outside', 'other', 'unknown', 'malformed'] : ['own']
}

// What a key may do.

const NO_SCOPE = 'no scope'
const NO_KEY = 'no key'
type Holding = AcceptedScope | typeof EVERY | typeof NO_SCOPE | typeof NO_KEY

interface Cell {
  readonly operation: Operation
  readonly target: Target
  readonly holding: Holding
  readonly reaching: Reaching
}

const modern = new Map<string, string>(SCOPE_SYNONYMS)

const HOLDINGS: readonly Holding[] = [...ACCEPTED_SCOPES, EVERY, NO_SCOPE, NO_KEY]

/** In the short form: the operation's own scope with its synonyms, one other, all, none and no key. */
function holdingsOf({ scope }: Operation): readonly Holding[] {
  const own = ACCEPTED_SCOPES.filter((holding) => (modern.get(holding) ?? holding) === scope)
  const other = ACCEPTED_SCOPES.find((holding) => !own.includes(holding))
  return sized([...own, ...(other === undefined ? [] : [other]), EVERY, NO_SCOPE, NO_KEY], HOLDINGS)
}

function cellsOf(operation: Operation): Cell[] {
  const reachings: readonly Reaching[] = ['all', 'list']
  return targetsOf(operation).flatMap((target) =>
    holdingsOf(operation).flatMap((holding) => reachings.map((reaching) => ({ operation, target, holding, reaching }))),
  )
}

/** Key → scope → restriction → existence, written down a second time. */
type Verdict =
  | 'unauthorized'
  | 'insufficient_scope'
  | 'key_restricted'
  | 'instance_restricted_key'
  | 'unknown'
  | 'passes'

function verdictOf({ operation, target, holding, reaching }: Cell): Verdict {
  const { scope, reach } = operation
  if (holding === NO_KEY) return 'unauthorized'
  const isGranted = scope === null || holding === EVERY || (modern.get(holding) ?? holding) === scope
  if (!isGranted) return 'insufficient_scope'
  if (reaching === 'list' && reach === 'account') return 'key_restricted'
  if (reaching === 'list' && reach === 'webhooks') return 'instance_restricted_key'
  return isThere(operation, target, reaching) ? 'passes' : 'unknown'
}

function isThere({ reachesDeleted }: Operation, target: Target, reaching: Reaching): boolean {
  if (target === 'own') return true
  if (target === 'outside') return reaching === 'all'
  return target === 'outside, deleted' && reaching === 'all' && reachesDeleted === true
}

// Asking and judging.

async function hear({ holding, reaching }: Cell, { method, path, body }: Ask): Promise<Reply> {
  if (holding !== NO_SCOPE) {
    const key = holding === NO_KEY ? null : scene.key(reaching, holding)
    return scene.w.api(method, path, body, { key })
  }
  // No key can be made without a scope, so this caller comes by the way of those inside.
  const { headers, ...answer } = await scene.w.service.door.call(scopeless(reaching), { method, path, body })
  return { ...answer, headers: headers as Record<string, string>, text: JSON.stringify(answer.body) }
}

const scopeless = (reaching: Reaching): Principal => ({
  ...{
    kind: 'key',
    role: null,
    accountId: scene.w.account.id,
    accountName: scene.w.account.name,
    key: null,
    scopes: [],
    source: 'api',
  },
  ...{ allowedInstanceIds: reaching === 'all' ? null : scene.listed, ratePerMinute: 1_000_000 },
})

const STATUS = {
  unauthorized: 401,
  insufficient_scope: 403,
  key_restricted: 403,
  instance_restricted_key: 403,
} as const

/** Fails unless the answer is the one this cell must have. */
function judge(cell: Cell, verdict: Verdict, ask: Ask, answer: Reply, unknown: Look): void {
  const { operation, target, holding, reaching } = cell
  const said = `${lineOf(operation)} of ${target} with ${holding}, reaching ${reaching}`
  const seen = look(answer, ask)
  if (verdict === 'unknown') expect(seen, said).toEqual(unknown)
  else if (verdict !== 'passes')
    expect([answer.status, answer.body?.error?.code], said).toEqual([STATUS[verdict], verdict])
  else if (operation.method === 'GET') expect(answer.status, `${said}: ${answer.text}`).toBe(operation.reply.status)
  else
    expect(['validation_error', 'confirmation_required'], `${said}: ${answer.text}`).toContain(answer.body?.error?.code)
  const hidden = [
    ...scene.sides.other.words,
    ...(reaching === 'list' || verdict !== 'passes' ? scene.sides.outside.words : []),
  ]
  expect(
    hidden.filter((word) => seen.text.includes(word)),
    said,
  ).toEqual([])
}

/** What the operation says of a thing that never was, to a key that may do everything. */
async function unknownTo(operation: Operation): Promise<Look> {
  const ask = askOf(operation, scene.sideFor('unknown'))
  const cell: Cell = { operation, target: 'unknown', holding: EVERY, reaching: 'all' }
  return look(await hear(cell, ask), ask)
}

const counted = new Map<Verdict, number>()

describe('the authorization matrix', () => {
  test.each(OPERATIONS.map((operation) => ({ line: lineOf(operation), operation })))('$line', async ({ operation }) => {
    const mark = await scene.w.mark()
    const names = targetsOf(operation).includes('unknown')
    const unknown = names ? await unknownTo(operation) : { status: 0, text: '', headers: [] }
    if (names) expect([unknown.status, JSON.parse(unknown.text).error.code]).toEqual([404, 'not_found'])
    for (const cell of cellsOf(operation)) {
      const verdict = verdictOf(cell)
      const whole = askOf(operation, scene.sideFor(cell.target))
      // What is refused is asked in full, so that it would be done if it were not refused.
      const ask = verdict === 'passes' ? harmless(operation, whole) : whole
      judge(cell, verdict, ask, await hear(cell, ask), unknown)
      counted.set(verdict, (counted.get(verdict) ?? 0) + 1)
    }
    expect(await scene.w.typesSince(mark)).toEqual([])
  })

  test('has a cell for every combination, and covers every kind of answer', () => {
    const cells = [...counted.values()].reduce((a, b) => a + b, 0)
    expect(cells).toBe(OPERATIONS.reduce((sum, operation) => sum + cellsOf(operation).length, 0))
    expect(HOLDINGS).toHaveLength(SCOPES.length + SCOPE_SYNONYMS.length + 3)
    expect(cells).toBeGreaterThan(sized(2_000, 10_000))
    for (const [verdict, count] of counted) expect(count, verdict).toBeGreaterThan(sized(20, 50))
    expect(counted.size).toBe(6)
  })
})
