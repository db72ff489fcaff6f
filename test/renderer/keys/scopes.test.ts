import { describe, expect, test } from 'vitest'
import { SCOPES } from '../../../main/contract/scopes.ts'
import { permissionsOf, AREAS, areasInUse, isEverything, withScope } from '../../../renderer/rooms/keys/scopes.ts'

describe('the scopes of a key, in words', () => {
  test('every scope is in exactly one area', () => {
    expect(AREAS.flatMap(({ scopes }) => scopes).toSorted()).toEqual([...SCOPES].toSorted())
  })

  test('a key is described area by area, in the order of the list', () => {
    expect(permissionsOf(['messages:send', 'instances:read', 'messages:read'])).toEqual([
      { area: 'instances', verbs: ['read'] },
      { area: 'messages', verbs: ['read', 'send'] },
    ])
  })

  test('a synonym is treated as its scope', () => {
    expect(permissionsOf(['instances:manage'])).toEqual([{ area: 'instances', verbs: ['write'] }])
    expect(isEverything([...SCOPES.filter((scope) => scope !== 'ai:write'), 'ai:manage'])).toBe(true)
  })

  test('offers reading to a key that may act in an area', () => {
    expect(withScope([], 'messages:send', true)).toEqual(['messages:send', 'messages:read'])
    expect(withScope(['messages:send', 'messages:read'], 'messages:read', false)).toEqual(['messages:send'])
    expect(withScope([], 'links:generate', true)).toEqual(['links:generate'])
  })
})

test('does not offer areas without operations', () => {
  const offered = areasInUse(['instances:read', 'messages:send'])
  expect(offered.map(({ area, scopes }) => [area, scopes])).toEqual([
    ['instances', ['instances:read']],
    ['messages', ['messages:send']],
  ])
  expect(areasInUse(SCOPES).map(({ area }) => area)).toEqual(AREAS.map(({ area }) => area))
})
