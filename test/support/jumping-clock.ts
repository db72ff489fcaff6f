import type { Clock } from '../../main/kernel/clock.ts'
import type { Statement } from '../../main/kernel/sql.ts'
import { DUE_COLUMNS } from '../../main/storage/due-columns.ts'
import type { Storage } from '../../main/storage/sqlite.ts'
import type { FakeClock } from './clock.ts'

/** Longer than anything waits. */
const JUMP_MS = 300 * 86_400_000

/** Every column that moves with the clock, and its rows that wait past a time. */
const WAITING = Object.entries(DUE_COLUMNS).flatMap(([table, columns]) =>
  Object.entries(columns).flatMap(([column, due]) =>
    [due].flat().flatMap((one) => {
      if (typeof one === 'string' || one.kind !== 'moves') return []
      const where = one.where.replaceAll(/:(after|recent)/g, '0')
      return [{ name: `${table}.${column}`, table, column, where }]
    }),
  ),
)
const LATE: Statement<{ limit: number }, { name: string; count: number }> = {
  text: WAITING.map(
    ({ name, table, column, where }) =>
      `SELECT '${name}' AS name, COUNT(*) AS count FROM ${table} WHERE (${where}) AND ${column} > :limit
         AND ${column} < 9000000000000 HAVING COUNT(*) > 0`,
  ).join(' UNION ALL '),
}

export interface JumpingClock {
  readonly observe: (storage: Storage, clock: Pick<Clock, 'now'>) => Storage
  start(): void
  stop(): void
  /** Times of the former clock that were stored after it was set back: the column, and who stored it. */
  readonly parked: ReadonlyMap<string, string>
  jumps(): number
}

/**
 * Sets the clock between the moment in which somebody asks for a commit and the commit, back and forth in turns. Times
 * that were taken before are then of the former clock.
 * @param skipped how many commits come before the first.
 */
export function jumpingClock(fake: FakeClock, skipped: number): JumpingClock {
  let toSkip = skipped
  const parked = new Map<string, string>()
  const counts = new Map<string, number>()
  let isOn = false
  let isJumping = false
  /** The next commit is the one that moves the due times. */
  let isMoveNext = false
  /** Commits keep their order, and come after it. */
  let untilMoved: Promise<void> = Promise.resolve()
  let letOthersCommit = () => {}
  let jumps = 0
  return {
    parked,
    jumps: () => jumps,
    start: () => void (isOn = true),
    stop: () => void (isOn = false),
    observe: (storage, clock) => ({
      ...storage,
      async commit(work) {
        if (isMoveNext) {
          isMoveNext = false
          const moved = storage.commit(work)
          letOthersCommit()
          return moved
        }
        await untilMoved
        // Not within a move, and not before it took effect.
        if (!isOn || isJumping || Math.abs(clock.now() - fake.now()) > 1_000) return storage.commit(work)
        if (toSkip-- > 0) return storage.commit(work)
        isJumping = true
        fake.set(fake.now() + (jumps++ % 2 === 0 ? -JUMP_MS : JUMP_MS))
        const { stack = '' } = new Error()
        // It is noticed, and what waits is moved in the commit before: the first one of the next turn.
        untilMoved = new Promise((resolve) => (letOthersCommit = resolve))
        setImmediate(() => (isMoveNext = true))
        clock.now()
        setImmediate(() => {
          isMoveNext = false
          letOthersCommit()
        })
        await untilMoved
        // The move has ended a turn of the event loop after its commit.
        const result = await storage.commit(work).finally(() => setImmediate(() => (isJumping = false)))
        for (const { name, count } of await storage.read(LATE, { limit: clock.now() + JUMP_MS / 2 })) {
          const before = counts.get(name) ?? 0
          counts.set(name, count)
          if (count > before && !parked.has(name)) parked.set(name, stack)
        }
        return result
      },
    }),
  }
}
