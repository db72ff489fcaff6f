import Database from 'better-sqlite3'

/** Long work on a database that is under way in a process of its own. */
export interface MaintenanceTask {
  /** What is wrong, in SQLite's words; empty: nothing. null: it was ended before it was through. */
  readonly problems: Promise<readonly string[] | null>
  /** Ends it now, in the middle of its work. */
  kill(): void
}

/** Looks through a database that others may be using. */
export type CheckDatabase = (file: string) => MaintenanceTask

/**
 * What takes seconds for each gigabyte, and would hold everything up where the service runs. Not in a thread: SQLite
 * cannot be interrupted in it, and quitting would have to wait; a process can be killed at any time.
 */
export interface MaintenanceProcess {
  readonly checkDatabase: CheckDatabase
  /** Writes what is committed at this moment to a new file, and looks through that. */
  readonly copy: (database: string, target: string) => MaintenanceTask
}

/** What the program answers, as its one line. */
export type TaskOutput = { readonly problems: readonly string[] } | { readonly failed: string; readonly code?: string }

/** The words its arguments begin with. */
export type TaskName = 'check' | 'copy'

/** A program that was started, by Node or by Electron. */
interface RunningProgram {
  readonly stdout: NodeJS.ReadableStream | null
  readonly stderr: NodeJS.ReadableStream | null
  once(event: 'exit', listener: () => void): unknown
  /** It could not be started. */
  once(event: 'error', listener: (error: unknown) => void): unknown
  kill(): unknown
}

export type StartProgram = (program: string, args: readonly string[]) => RunningProgram

/** @param program where maintenance-program.ts lies. */
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

/** What it printed, once it is gone and its connections with it. */
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
