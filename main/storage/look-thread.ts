/** Runs in a thread of its own: looks through one database, and says what is wrong there. */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { isDamage, lookThrough } from './integrity.ts'
import type { LookAnswer, LookOrder } from './look.ts'

// look.ts made it so.
const { file, end } = workerData as LookOrder

function look(connection: Database.Database): LookAnswer {
  const isToEnd = () => Atomics.load(new Int32Array(end), 0) !== 0
  const found: string[] = []
  for (const wrong of lookThrough(connection)) {
    if (isToEnd()) return { found: null }
    found.push(...wrong)
  }
  return { found }
}

function answer(): LookAnswer {
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { readonly: true, fileMustExist: true })
    return look(connection)
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return isDamage(error) ? { found: [words] } : { failed: words }
  } finally {
    connection?.close()
  }
}

// Linux alone knows a priority of a thread; elsewhere this would be the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
parentPort?.postMessage(answer())
