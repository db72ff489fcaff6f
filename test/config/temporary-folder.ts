import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const SHARED_MEMORY = '/dev/shm'
const PREFIX = 'switchboard-tests-'
const NEEDED_BYTES = 2 * 2 ** 30

/**
 * The folder for the homes of tests. It is in memory if there is enough space, otherwise undefined, which means the
 * usual folder. Every commit waits for the disk, and on a slow or shared disk thousands of tests would spend most of
 * their time waiting.
 */
export const temporaryFolder = hasRoom() ? join(SHARED_MEMORY, `${PREFIX}${process.pid}`) : undefined

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    return bavail * bsize > NEEDED_BYTES
  } catch {
    return false
  }
}

/** @returns a function that removes the folder at the end. */
export default function setup(): (() => void) | undefined {
  const folder = temporaryFolder
  if (folder === undefined) return undefined
  for (const left of readdirSync(SHARED_MEMORY).filter(isOfDeadRun)) rmSync(join(SHARED_MEMORY, left), REMOVAL)
  mkdirSync(folder, { recursive: true })
  return () => rmSync(folder, REMOVAL)
}

const REMOVAL = { recursive: true, force: true, maxRetries: 3 }

/** Whether the folder belongs to a run that was killed. */
function isOfDeadRun(name: string): boolean {
  if (!name.startsWith(PREFIX)) return false
  try {
    process.kill(Number(name.slice(PREFIX.length)), 0)
    return false
  } catch {
    return true
  }
}
