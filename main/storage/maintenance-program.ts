/**
 * Runs in a separate process: `check <database>`, or `copy <database> <new file>`. Prints the problems found
 * (maintenance-process.ts).
 */
import { constants, setPriority } from 'node:os'
import Database from 'better-sqlite3'
import type { TaskOutput, TaskName } from './maintenance-process.ts'
import { writeCopy } from './backup.ts'
import { pinSnapshot } from './online-backups.ts'
import { findDamage, isCorruption } from './integrity.ts'

const TASKS: Readonly<Record<TaskName, (database: string, target: string) => Promise<TaskOutput>>> = {
  check: async (database) => findProblems(database),
  async copy(database, target) {
    await copyOf(database, target)
    return findProblems(target)
  },
}

function findProblems(file: string): TaskOutput {
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { readonly: true, fileMustExist: true })
    return { problems: findDamage(connection) }
  } catch (error) {
    if (isCorruption(error)) return { problems: [error.message] }
    throw error
  } finally {
    connection?.close()
  }
}

async function copyOf(database: string, target: string): Promise<void> {
  const source = new Database(database, { readonly: true, fileMustExist: true })
  try {
    pinSnapshot(source)
    await writeCopy(source, target)
  } finally {
    source.close()
  }
}

function failure(error: unknown): TaskOutput {
  const failed = error instanceof Error ? error.message : String(error)
  return error instanceof Database.SqliteError ? { failed, code: error.code } : { failed }
}

// Electron and Node put different arguments before ours.
const at = process.argv.findIndex((word) => Object.hasOwn(TASKS, word))
const [task = 'check', database = '', target = ''] = process.argv.slice(at)
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const answer = await TASKS[task as TaskName](database, target).catch(failure)
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0))
