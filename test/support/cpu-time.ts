import { slowness } from './loop-stretch.ts'

/** Shorter than this, a time tells nothing about the machine. */
const SHORT_MS = 50

/**
 * Processor time of this process while something runs, in milliseconds of an ordinary desktop computer. What others do on
 * the machine does not count, except that it makes the processor slower, which is measured.
 */
export async function cpuTime(act: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  const ms = (user + system) / 1_000
  return ms < SHORT_MS ? ms : ms / slowness()
}
