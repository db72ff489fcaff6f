import type { Prepare } from './statements.ts'

/** Numbers taken from memory, reserved in the database in blocks of a thousand. */
export interface Sequences {
  /** Only inside a unit: a new block is reserved by a write of that unit. */
  next(name: string): number
  /** Marks the start of a unit, for `undoUnit`. */
  beginUnit(): void
  /** Forgets blocks whose reservation was rolled back with the unit. */
  undoUnit(): void
  undoGroup(): void
  keepGroup(): void
}

const BLOCK = 1_000

/** Every new sequence starts after this number. Set after lost commits, which may have started sequences. */
export const EVERY_SEQUENCE = '*'

/**
 * `:floor` is the highest number this process has reserved, so that even a rolled-back reservation is never repeated.
 */
const reserve = {
  text: `INSERT INTO counters (name, value)
    VALUES (:name, max(:floor, COALESCE((SELECT value FROM counters WHERE name = '${EVERY_SEQUENCE}'), 0)) + ${BLOCK})
    ON CONFLICT (name) DO UPDATE SET value = max(value, :floor) + ${BLOCK} RETURNING value`,
}

export function createSequences(prepare: Prepare): Sequences {
  const blocks = new Map<string, { next: number; last: number }>()
  const highest = new Map<string, number>()
  let reservedByGroup: string[] = []
  let before = 0

  function refill(name: string): { next: number; last: number } {
    // The statement above returns exactly this row.
    const { value } = prepare(reserve).one({ name, floor: highest.get(name) ?? 0 }) as { value: number }
    const block = { next: value - BLOCK + 1, last: value }
    highest.set(name, value)
    blocks.set(name, block)
    reservedByGroup.push(name)
    return block
  }

  function drop(from: number): void {
    for (const name of reservedByGroup.splice(from)) blocks.delete(name)
  }

  return {
    next(name) {
      let block = blocks.get(name)
      if (!block || block.next > block.last) block = refill(name)
      return block.next++
    },
    beginUnit: () => void (before = reservedByGroup.length),
    undoUnit: () => drop(before),
    undoGroup: () => drop(0),
    keepGroup: () => void (reservedByGroup = reservedByGroup.length === 0 ? reservedByGroup : []),
  }
}
