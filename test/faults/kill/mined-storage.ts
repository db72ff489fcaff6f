import type { Tx } from '../../../main/kernel/db.ts'
import type { Statement } from '../../../main/kernel/sql.ts'
import type { Migration } from '../../../main/storage/migrate.ts'
import type { Storage } from '../../../main/storage/sqlite.ts'
import { pointOf, type Moment, type PointName } from './points.ts'

/** The database port of the service, which tells each time that the point is reached. */
export function mined(storage: Storage, name: PointName, reach: () => void): Storage {
  const { at } = pointOf(name)
  const reachAt = (moment: Moment) => {
    if (at?.moments.includes(moment) === true) reach()
  }
  let unitsOfGroup = 0

  /** A group runs in one go of the microtask queue (main/storage/group-commit.ts); what is asked for here comes after it. */
  function countUnit(): void {
    if (unitsOfGroup++ === 0) process.nextTick(() => (unitsOfGroup = 0))
    if (name === 'mid group commit' && unitsOfGroup > 1) reach()
  }

  async function commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    /** Statements of the point that this unit ran. */
    const ran: string[] = []
    const note = (text: string) => {
      if (at?.sql.test(text) !== true) return
      ran.push(text)
      reachAt('statement')
    }
    const result = await storage.commit(async (tx) => {
      // A unit may be run again.
      ran.length = 0
      const value = await work(watched(tx, note))
      countUnit()
      if (ran.length > 0) reachAt('unit')
      return value
    })
    if (ran.length > 0) reachAt('commit')
    return result
  }

  return {
    ...storage,
    commit,
    writeBackup(reason) {
      const copied = storage.writeBackup(reason)
      if (name === 'mid backup') everyTurn(reach)
      return copied
    },
  }
}

/** Tells of each statement before it runs. */
function watched(tx: Tx, tell: (text: string) => void): Tx {
  const told = <P extends object, R extends object>(statement: Statement<P, R>) => {
    tell(statement.text)
    return statement
  }
  return {
    ...tx,
    all: (statement, params) => tx.all(told(statement), params),
    one: (statement, params) => tx.one(told(statement), params),
    run: (statement, params) => tx.run(told(statement), params),
  }
}

function everyTurn(act: () => void): void {
  setImmediate(() => {
    act()
    everyTurn(act)
  })
}

/**
 * Steps of the schema, of which one has only its first statements, so many that they are `atStatement` in all. When they
 * have run, in a transaction that is still open, its version is asked for: `die` is called then.
 */
export function minedSteps(steps: readonly Migration[], atStatement: number, die: () => void): readonly Migration[] {
  let left = atStatement
  return steps.map(({ version, name, sql }) => {
    let isCut = false
    return {
      name,
      get version() {
        if (isCut) die()
        return version
      },
      get sql() {
        const statements = sql.split(/(?<=;)\s*\n/).filter((text) => text.trim() !== '')
        isCut = left <= statements.length
        const shown = isCut ? statements.slice(0, left) : statements
        left -= shown.length
        return shown.join('\n')
      },
    }
  })
}
