import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeRooms, inOrder } from '../../main/capabilities/compose-rooms.ts'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { defineRoom, type UsedRooms } from '../../main/capabilities/room.ts'
import { ROOMS } from '../../main/capabilities/rooms.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const CAPABILITIES = join(ROOT, 'main/capabilities')
const folders = readdirSync(CAPABILITIES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const rooms = folders.map(({ name }) => name).toSorted()

test('every room is in the list of contracts, under the name of its folder', () => {
  expect(CONTRACTS.map(({ room }) => room).toSorted()).toEqual(rooms)
})

test('every room is built, under the name of its folder', () => {
  expect(ROOMS.map(({ name }) => name).toSorted()).toEqual(rooms)
})

test.each(rooms)('%s has a contract, handlers, an API for other rooms, and a definition', (name) => {
  expect(readdirSync(join(CAPABILITIES, name))).toEqual(
    expect.arrayContaining(['contract.ts', 'handlers.ts', 'index.ts', 'room.ts']),
  )
})

describe('rooms are built after those that they use', () => {
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)
  const room = (name: string, uses: UsedRooms = {}, build: (of: object) => unknown = () => name) =>
    defineRoom({
      ...{ name, contract: {}, uses },
      build: (deps: { readonly word: string }, used) => ({ handlers: {}, api: build({ ...deps, ...used }) }),
    })

  test('otherwise in the order of the list', () => {
    const base = room('base')
    const left = room('left', { base })
    const right = room('right', { base, left })
    const alone = room('alone')
    expect(names(inOrder([alone, right, left, base]))).toEqual(['alone', 'base', 'left', 'right'])
  })

  test('each gets its dependencies and the rooms it uses, and can be found once built', () => {
    const base = room('base', {}, (given) => given)
    const upper = room('upper', { below: base }, (given) => given)
    const early: unknown[] = []
    const { rooms: built, find } = composeRooms([upper, base], (findRoom) => {
      try {
        findRoom(base)
      } catch (error) {
        early.push(error)
      }
      return { word: 'hello' }
    })
    expect(early).toEqual([new Error('The room base is not built yet.')])
    expect(names(built)).toEqual(['base', 'upper'])
    expect(find(upper)).toEqual({ word: 'hello', below: { word: 'hello' } })
  })

  test('a cycle, a room missing from the list and a duplicate name are refused', () => {
    const uses: Record<string, ReturnType<typeof room>> = {}
    const first = room('first', uses)
    const second = room('second', { first })
    expect(() => inOrder([second])).toThrow('A room is used that is not in the list: second → first.')
    uses['second'] = second
    expect(() => inOrder([first, second])).toThrow('Rooms use each other in a circle: first → second → first.')
    expect(() => inOrder([room('one'), room('one')])).toThrow('Two rooms have the same name.')
  })
})
