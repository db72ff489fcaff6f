import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly pid: number
  /** Everything it wrote on standard output so far. */
  readonly lines: readonly string[]
  /** Resolves when there are that many lines; rejects when the process ends before. */
  hasWritten(lines: number): Promise<void>
  /** `kill -9`, and waits until the process is gone and its last line was read. */
  kill(): Promise<void>
  /** Resolves with the exit code. */
  ended(): Promise<number | null>
}

/** Runs a TypeScript file in a process of its own, with the Node that runs the tests. It never outlives the test. */
export function startChild(file: string, ...args: readonly string[]): Child {
  return watch(file, spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }))
}

/** The same where no file may grow beyond the limit: writing further fails as on a broken disk. Not on Windows. */
export function startChildWithFileLimit(kibibytes: number, file: string, ...args: readonly string[]): Child {
  const shell = ['-c', 'ulimit -f "$0" && exec "$@"', String(kibibytes), process.execPath, file, ...args]
  return watch(file, spawn('bash', shell, { stdio: ['ignore', 'pipe', 'inherit'] }))
}

function watch(file: string, spawned: ChildProcessByStdio<null, Readable, null>): Child {
  const lines: string[] = []
  const waiting: { readonly count: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] =
    []
  const reader = createInterface({ input: spawned.stdout })
  reader.on('line', (line) => {
    lines.push(line)
    for (const { count, resolve } of waiting) if (lines.length >= count) resolve()
  })
  const gone = closed(spawned).then((code) => {
    for (const { reject } of waiting) reject(new Error(`${file} ended with ${code} after ${lines.length} lines`))
    return code
  })
  onTestFinished(() => void spawned.kill('SIGKILL'))
  return {
    pid: spawned.pid ?? 0,
    lines,
    hasWritten: (count) =>
      new Promise((resolve, reject) => {
        if (lines.length >= count) resolve()
        else waiting.push({ count, resolve, reject })
      }),
    async kill() {
      spawned.kill('SIGKILL')
      await gone
    },
    ended: () => gone,
  }
}

function closed(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code))
  })
}
