import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
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
  const process_ = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const waiting: { readonly count: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] =
    []
  const reader = createInterface({ input: process_.stdout })
  reader.on('line', (line) => {
    lines.push(line)
    for (const { count, resolve } of waiting) if (lines.length >= count) resolve()
  })
  const gone = closed(process_).then((code) => {
    for (const { reject } of waiting) reject(new Error(`${file} ended with ${code} after ${lines.length} lines`))
    return code
  })
  onTestFinished(() => void process_.kill('SIGKILL'))
  return {
    pid: process_.pid ?? 0,
    lines,
    hasWritten: (count) =>
      new Promise((resolve, reject) => {
        if (lines.length >= count) resolve()
        else waiting.push({ count, resolve, reject })
      }),
    async kill() {
      process_.kill('SIGKILL')
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
