import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

export interface Started {
  readonly pid: number
  /** The first line that the program printed, parsed as JSON. */
  readonly ready: Record<string, unknown>
  stop(): Promise<void>
  /** Ends the program as a crash would. */
  kill(): Promise<void>
}

/**
 * Starts a program that prints one JSON line when it is ready.
 * @param flags options of Node itself.
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  environment: Record<string, string>,
  flags: readonly string[] = [],
): Promise<Started> {
  const child = spawn(process.execPath, [...flags, file, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  const end = (signal: 'SIGTERM' | 'SIGKILL') => async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = JSON.parse(line) as Record<string, unknown>
    return { pid: child.pid ?? 0, ready, stop: end('SIGTERM'), kill: end('SIGKILL') }
  }
  throw new Error(`${file} ended before it was ready`)
}

/** Processor time in microseconds that a process and its ended children have used so far (Linux). */
export function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks * 10_000
}

/** Resident memory in MiB (Linux). */
export function residentMiB(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return (pages * 4096) / 2 ** 20
}

/** The processor time of several programs that work together. */
export const cpuOfAll = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0)
