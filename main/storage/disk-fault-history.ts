import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Check } from 'typebox/value'

const Times = Type.Array(Type.Integer())

const WINDOW_MS = 600_000
const MAX_FAULTS = 3

/**
 * Records a disk fault. The times are in a file, because everything is reopened after a fault, possibly in another
 * process.
 * @returns whether reopening may help: not after three faults in ten minutes, or if the fault cannot be recorded.
 */
export function recordDiskFault(home: string, nowMs: number): boolean {
  const times = [...readFaults(home), nowMs].filter((at) => at > nowMs - WINDOW_MS && at <= nowMs)
  try {
    writeFileSync(fileIn(home), JSON.stringify(times), { mode: 0o600 })
  } catch {
    return false
  }
  return times.length < MAX_FAULTS
}

/** Whether enough time has passed to try again. */
export function mayRetry(home: string, nowMs: number): boolean {
  return readFaults(home).filter((at) => at > nowMs - WINDOW_MS && at <= nowMs).length < MAX_FAULTS
}

const fileIn = (home: string) => join(home, 'disk-faults.json')

function readFaults(home: string): readonly number[] {
  try {
    const found: unknown = JSON.parse(readFileSync(fileIn(home), 'utf8'))
    return Check(Times, found) ? found : []
  } catch {
    return []
  }
}
