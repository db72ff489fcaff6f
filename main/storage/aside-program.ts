/**
 * Runs in a process of its own: `look <database>`, or `copy <database> <new file>`. Prints what is wrong there (aside.ts).
 */
import { constants, setPriority } from 'node:os'
import Database from 'better-sqlite3'
import type { Answer, Order } from './aside.ts'
import { writeCopy } from './backup.ts'
import { seeThisMoment } from './copies.ts'
import { damageOf, isDamage } from './integrity.ts'

const ORDERS: Readonly<Record<Order, (database: string, target: string) => Promise<Answer>>> = {
  look: async (database) => lookThrough(database),
  async copy(database, target) {
    await copyOf(database, target)
    return lookThrough(target)
  },
}

function lookThrough(file: string): Answer {
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { readonly: true, fileMustExist: true })
    return { found: damageOf(connection) }
  } catch (error) {
    if (isDamage(error)) return { found: [error.message] }
    throw error
  } finally {
    connection?.close()
  }
}

async function copyOf(database: string, target: string): Promise<void> {
  const source = new Database(database, { readonly: true, fileMustExist: true })
  try {
    seeThisMoment(source)
    await writeCopy(source, target)
  } finally {
    source.close()
  }
}

function failure(error: unknown): Answer {
  const failed = error instanceof Error ? error.message : String(error)
  return error instanceof Database.SqliteError ? { failed, code: error.code } : { failed }
}

// Electron and Node put different words before ours.
const at = process.argv.findIndex((word) => Object.hasOwn(ORDERS, word))
const [order = 'look', database = '', target = ''] = process.argv.slice(at)
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const answer = await ORDERS[order as Order](database, target).catch(failure)
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0))
