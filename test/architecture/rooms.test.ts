import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const CAPABILITIES = join(ROOT, 'main/capabilities')
const folders = readdirSync(CAPABILITIES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const rooms = folders.map(({ name }) => name).toSorted()

test('every room is in the list of contracts, under the name of its folder', () => {
  expect(CONTRACTS.map(({ room }) => room).toSorted()).toEqual(rooms)
})

test.each(rooms)('%s says what it adds to the service, and the service builds it', (name) => {
  expect(readdirSync(join(CAPABILITIES, name))).toEqual(
    expect.arrayContaining(['contract.ts', 'handlers.ts', 'index.ts', 'room.ts']),
  )
  expect(readFileSync(join(CAPABILITIES, name, 'room.ts'), 'utf8')).toContain(`name: '${name}'`)
  expect(readFileSync(join(ROOT, 'main/service/rooms.ts'), 'utf8')).toContain(`'../capabilities/${name}/room.ts'`)
})
