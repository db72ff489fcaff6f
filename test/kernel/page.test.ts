import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import { createCursors, cursorKey } from '../../main/kernel/page.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'

const cursors = createCursors(Buffer.alloc(32, 7))
const position = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 4 })

function codeOf(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error)
  }
}

describe('cursors', () => {
  test('a cursor returns the position that it was made from', () => {
    fc.assert(
      fc.property(fc.string(), position, (list, at) => {
        expect(cursors.decode(list, cursors.encode(list, at))).toEqual(at)
      }),
    )
  })

  test('a cursor of another list is refused', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), position, (mine, other, at) => {
        fc.pre(mine !== other)
        expect(codeOf(() => cursors.decode(other, cursors.encode(mine, at)))).toBe('invalid_cursor')
      }),
    )
  })

  test('a cursor with one changed, added or missing character is refused', () => {
    const character = fc.constantFrom(
      ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. '),
    )
    fc.assert(
      fc.property(position, fc.nat(), fc.constantFrom(0, 1, 2), character, (at, where, kind, one) => {
        const cursor = cursors.encode('webhooks a', at)
        const i = where % cursor.length
        const altered = cursor.slice(0, i) + (kind === 0 ? '' : one) + cursor.slice(kind === 1 ? i : i + 1)
        fc.pre(altered !== cursor)
        expect(codeOf(() => cursors.decode('webhooks a', altered))).toBe('invalid_cursor')
      }),
      { numRuns: 2_000 },
    )
  })

  test('any other text is refused as an invalid cursor', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.base64String(), fc.string({ minLength: 3_000, maxLength: 4_000 })),
        (text) => {
          expect(codeOf(() => cursors.decode('list', text))).toBe('invalid_cursor')
        },
      ),
    )
  })

  test('a cursor of another home is refused', () => {
    const foreign = createCursors(Buffer.alloc(32, 8)).encode('list', [1])
    expect(codeOf(() => cursors.decode('list', foreign))).toBe('invalid_cursor')
  })
})

describe('the cursor key', () => {
  let opened: TestDatabase | undefined
  afterEach(() => opened?.close())

  test('is created once for each home', async () => {
    opened = await testDatabase()
    const first = await cursorKey(opened.db, seededRandom(1))
    expect(first).toHaveLength(32)
    expect(await cursorKey(opened.db, seededRandom(2))).toEqual(first)
  })
})
