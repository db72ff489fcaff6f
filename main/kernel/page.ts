import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type { Db } from './db.ts'
import type { Random } from './ids.ts'
import { insertMeta } from './meta.ts'

/** Where a page ended: the sort values of its last row, in the order of the list's ORDER BY. */
type Position = readonly (string | number | null)[]

export interface Cursors {
  /** @param list names account, operation and filters; a cursor opens only the list it was made for. */
  encode(list: string, position: Position): string
  /** @throws ApiError invalid_cursor when the cursor was altered or made for another list. */
  decode(list: string, cursor: string): (string | number | null)[]
}

const MAC_LENGTH = 12
/** Much longer than any cursor we make. A longer text is refused without hashing it. */
const LONGEST = 2_048

/** Cursors callers can neither read meaning into nor forge: the position under a MAC over list and position. */
export function createCursors(secretKey: Buffer): Cursors {
  const mac = (list: string, position: Buffer) =>
    createHmac('sha256', secretKey).update(`${list.length}:${list}`).update(position).digest().subarray(0, MAC_LENGTH)
  return {
    encode(list, position) {
      const json = Buffer.from(JSON.stringify(position))
      return Buffer.concat([mac(list, json), json]).toString('base64url')
    },
    decode(list, cursor) {
      const bytes = cursor.length <= LONGEST ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0)
      const json = bytes.subarray(MAC_LENGTH)
      // Different Base64 texts can decode to the same bytes. Only the one we made is accepted.
      const isOurs =
        bytes.length > MAC_LENGTH &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, MAC_LENGTH), mac(list, json))
      if (!isOurs) throw foreignCursor()
      // The MAC vouches for it: this is what encode() wrote.
      return JSON.parse(json.toString()) as (string | number | null)[]
    },
  }
}

/**
 * The key of this home's cursors, made on first use. It guards against tampering, not against reading, so it stays in
 * the open part of the database and pages work while the vault is sealed.
 */
export async function cursorKey(db: Db, random: Random): Promise<Buffer> {
  const fresh = random.bytes(32).toString('base64')
  return Buffer.from(await db.commit((tx) => insertMeta(tx, 'cursor_key', fresh)), 'base64')
}

function foreignCursor(): ApiError {
  return new ApiError(
    'invalid_cursor',
    'cursor is invalid or belongs to another list. Send the next_cursor of the previous page with the same filters, or omit cursor.',
  )
}
