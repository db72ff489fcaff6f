import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createIds, ID_PREFIXES, systemRandom } from '../../../main/kernel/ids.ts'
import { systemClock } from '../../../main/kernel/clock.ts'

// By its path: the types of the tests know no .vue files, which the entries may reach.
const FILE = resolve(import.meta.dirname, '../../../renderer/app/entries.ts')
const { ENTRIES, ACTIONS, GROUPS, attentionTarget, entryOf, findKnownId, findAttentionDisplay } = await import(FILE)

const ids = createIds(systemClock, systemRandom)

test('the sidebar starts with the overview, ends with settings and log, and has unique paths and keys', () => {
  expect(ENTRIES[0].path).toBe('/overview')
  expect(ENTRIES.slice(-2).map(({ path }: { path: string }) => path)).toEqual(['/settings', '/activity'])
  const paths = ENTRIES.map(({ path }: { path: string }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  const keys = ENTRIES.flatMap(({ key }: { key?: string }) => key ?? [])
  expect(new Set(keys).size).toBe(keys.length)
  const order = ENTRIES.map(({ group }: { group: string }) => GROUPS.indexOf(group))
  expect(order).toEqual(order.toSorted((a: number, b: number) => a - b))
})

test.each(['/recordings', '/recordings/a/b', '/softphone'])('%s belongs to Calls', (path) => {
  expect(entryOf(path)).toBe(entryOf('/calls'))
})

test.each([
  ['/instances/0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', '/instances'],
  ['/instances/wall', '/instances/wall'],
  ['/assistants/approvals', '/assistants/approvals'],
  ['/assistants/calls', '/assistants'],
  ['/settings/api', '/settings/api'],
  ['/settings', '/settings'],
  ['/events', '/events'],
])('%s belongs to %s', (path, entry) => {
  expect(entryOf(path).path).toBe(entry)
})

test('an unknown path belongs to no entry', () => {
  expect(entryOf('/welcome')).toBeUndefined()
  expect(entryOf('/instanceship')).toBeUndefined()
})

describe('an ID pasted into the palette', () => {
  test.each([
    [ids.instance(), '/instances/'],
    [ids.webhook(), '/webhooks/'],
    [ids.delivery(), '/webhooks/deliveries?delivery='],
    [ids.approval(), '/assistants/approvals'],
    [ids.event(), '/events?event='],
  ])('%s opens its screen', (id, to) => {
    expect(findKnownId(id)?.to(id)).toContain(to)
  })

  test.each(['', 'bakery', '+1 202 555 0100', `${ID_PREFIXES.webhook}_short`, `${ids.webhook()} and more`])(
    '%j is not an ID',
    (text) => {
      expect(findKnownId(text)).toBeUndefined()
    },
  )
})

test('every action has a target, and lines of the overview link to their subject', () => {
  expect(ACTIONS.length).toBeGreaterThan(2)
  expect(findAttentionDisplay('instances', 'banned').to('one')).toBe('/instances/one')
  expect(findAttentionDisplay('instances', 'banned').to(null)).toBe('/instances')
  expect(findAttentionDisplay('rooms', 'unknown')).toBeUndefined()
  expect(attentionTarget('instances', 'banned', 'one')).toBe('/instances/one')
  expect(attentionTarget('instances', 'banned', null)).toBe('/instances?attention=instances.banned')
  expect(attentionTarget('approvals', 'waiting', null)).toBe('/assistants/approvals')
  expect(attentionTarget('rooms', 'unknown', null)).toBeUndefined()
})
