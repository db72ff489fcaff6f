import { describe, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isKept } from '../../main/capabilities/audit/index.ts'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { linesOf, type Act } from '../../renderer/rooms/audit/act-lines.ts'

let made = 0
const act = (more: Partial<Act> = {}): Act => ({
  ...{
    id: String(++made),
    at: '2026-03-01T09:30:00.000Z',
    actor: 'key',
    actor_id: 'one',
    actor_name: 'CRM',
    via: 'api',
  },
  ...{ operation: 'updateInstance', summary: 'Update an instance', subject_id: 'a', subject_name: null, fields: [] },
  ...more,
})

describe('the lines of the activity log', () => {
  test('groups equal actions in a row under the newest, with their number', () => {
    const [newest, ...others] = Array.from({ length: 299 }, () => act())
    const oldest = act({ at: '2026-03-01T08:00:00.000Z' })
    if (newest === undefined) throw new Error('There are 299.')
    expect(linesOf([newest, ...others, oldest])).toEqual([{ act: newest, times: 300, since: oldest.at }])
  })

  test.each([
    { operation: 'restartInstance' },
    { subject_id: 'b' },
    { actor_id: 'two' },
    { actor_name: 'Shop' },
    { actor: 'member' as const },
    { via: 'mcp' as const },
  ])('starts a new line for an action with another %j', (other) => {
    expect(linesOf([act(), act(), act(other), act()]).map(({ times }) => times)).toEqual([2, 1, 1])
  })

  test('keeps one line for other fields of the same subject', () => {
    expect(linesOf([act({ fields: ['name'] }), act({ fields: ['metadata'] })])).toHaveLength(1)
  })
})

test('exactly the logged operations have a text', () => {
  const file = resolve(import.meta.dirname, '../../renderer/locales/en/audit.json')
  const { did } = JSON.parse(readFileSync(file, 'utf8')) as { did: Record<string, string> }
  const kept = CONTRACTS.flatMap(({ room, operations }) =>
    Object.values(operations).flatMap((operation) => (isKept(room, operation) ? [operation.id] : [])),
  )
  expect(Object.keys(did).toSorted()).toEqual(kept.toSorted())
})
