import Database from 'better-sqlite3'

/** Long work on a database in a separate process. */
export interface MaintenanceTask {
  /** Problems in SQLite's messages; empty: none. null: it was stopped before its end. */
  readonly problems: Promise<readonly string[] | null>
  /** Stops it immediately, in the middle of its work. */
  kill(): void
}

/** Checks a database that may be in use. */
export type CheckDatabase = (file: string) => MaintenanceTask

/**
 * Work that takes seconds per gigabyte and would block the service. Not in a thread, because SQLite cannot be
 * interrupted there and quitting would have to wait; a process can be killed at any time.
 */
export interface MaintenanceProcess {
  readonly checkDatabase: CheckDatabase
  /** Writes the committed state to a new file, and checks that file. */
  readonly copy: (database: string, target: string) => MaintenanceTask
}

/** Output of the program, in one line. */
export type TaskOutput = { readonly problems: readonly string[] } | { readonly failed: string; readonly code?: string }

/** First argument of the program. */
export type TaskName = 'check' | 'copy'

/** A running program, started by Node or by Electron. */
interface RunningProgram {
  readonly stdout: NodeJS.ReadableStream | null
  readonly stderr: NodeJS.ReadableStream | null
  once(event: 'exit', listener: () => void): unknown
  /** It could not be started. */
  once(event: 'error', listener: (error: unknown) => void): unknown
  kill(): unknown
}

export type StartProgram = (program: string, args: readonly string[]) => RunningProgram

/** @param program path of maintenance-program.ts. */
export function createMaintenanceProcess(program: string, start: StartProgram): MaintenanceProcess {
  const run = (...task: readonly [TaskName, ...string[]]): MaintenanceTask => {
    const running = start(program, task)
    let isKilled = false
    return {
      problems: readOutput(running).then(({ out, error }) => {
        if (isKilled) return null
        const [line] = out.split('\n')
        if (!line) throw new Error(`${program} ended without an answer: ${error.trim()}`)
        return problemsIn(JSON.parse(line) as TaskOutput)
      }),
      kill() {
        isKilled = true
        running.kill()
      },
    }
  }
  return { checkDatabase: (file) => run('check', file), copy: (database, target) => run('copy', database, target) }
}

function problemsIn(output: TaskOutput): readonly string[] {
  if ('problems' in output) return output.problems
  throw output.code === undefined ? new Error(output.failed) : new Database.SqliteError(output.failed, output.code)
}

/** Its output, after it has exited and its pipes are closed. */
async function readOutput(running: RunningProgram): Promise<{ out: string; error: string }> {
  const isOver = new Promise<void>((resolve, reject) => {
    running.once('exit', resolve)
    running.once('error', reject)
  })
  const [out, error] = await Promise.all([textOf(running.stdout), textOf(running.stderr), isOver])
  return { out, error }
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = ''
  if (stream === null) return text
  for await (const part of stream.setEncoding('utf8')) text += String(part)
  return text
}
