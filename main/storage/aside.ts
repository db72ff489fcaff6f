import Database from 'better-sqlite3'

/** Long work on a database that is under way in a process of its own. */
export interface Look {
  /** What is wrong, in SQLite's words; empty: nothing. null: it was ended before it was through. */
  readonly found: Promise<readonly string[] | null>
  /** Ends it now, whatever it is at. */
  end(): void
}

/** Looks through a database that others may be using. */
export type LookThrough = (file: string) => Look

/**
 * What takes seconds for each gigabyte, and would hold everything up where the service runs. Not in a thread: SQLite
 * cannot be interrupted in it, and whoever quits would wait; a process can be killed at any time.
 */
export interface Aside {
  readonly lookThrough: LookThrough
  /** Writes what is committed at this moment to a new file, and looks through that. */
  readonly copy: (database: string, target: string) => Look
}

/** What the program answers, as its one line. */
export type Answer = { readonly found: readonly string[] } | { readonly failed: string; readonly code?: string }

/** The words its arguments begin with. */
export type Order = 'look' | 'copy'

/** A program that was started, by Node or by Electron. */
interface RunningProgram {
  readonly stdout: NodeJS.ReadableStream | null
  readonly stderr: NodeJS.ReadableStream | null
  once(event: 'exit', hear: () => void): unknown
  /** It could not be started. */
  once(event: 'error', hear: (error: unknown) => void): unknown
  kill(): unknown
}

export type StartProgram = (program: string, args: readonly string[]) => RunningProgram

/** @param program where aside-program.ts lies. */
export function asideIn(program: string, start: StartProgram): Aside {
  const run = (...order: readonly [Order, ...string[]]): Look => {
    const running = start(program, order)
    let isEnded = false
    return {
      found: said(running).then(({ out, error }) => {
        if (isEnded) return null
        const [line] = out.split('\n')
        if (!line) throw new Error(`${program} ended without an answer: ${error.trim()}`)
        return foundIn(JSON.parse(line) as Answer)
      }),
      end() {
        isEnded = true
        running.kill()
      },
    }
  }
  return { lookThrough: (file) => run('look', file), copy: (database, target) => run('copy', database, target) }
}

function foundIn(answer: Answer): readonly string[] {
  if ('found' in answer) return answer.found
  throw answer.code === undefined ? new Error(answer.failed) : new Database.SqliteError(answer.failed, answer.code)
}

/** What it printed, once it is gone and its connections with it. */
async function said(running: RunningProgram): Promise<{ out: string; error: string }> {
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
