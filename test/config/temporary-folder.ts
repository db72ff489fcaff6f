import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const SHARED_MEMORY = '/dev/shm'
const PREFIX = 'switchboard-tests-'
const NEEDED_BYTES = 2 * 2 ** 30

/**
 * Where tests put their home folders: in memory where the system has room for that, else undefined for the usual folder.
 * Every commit waits for the disk, and thousands of tests on a slow or shared one do little else.
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

/** @returns what removes the folder at the end. */
export default function setup(): (() => void) | undefined {
  const folder = temporaryFolder
  if (folder === undefined) return undefined
  for (const left of readdirSync(SHARED_MEMORY).filter(isOfDeadRun)) rmSync(join(SHARED_MEMORY, left), REMOVAL)
  mkdirSync(folder, { recursive: true })
  return () => rmSync(folder, REMOVAL)
}

const REMOVAL = { recursive: true, force: true, maxRetries: 3 }

/** A run that was killed left its folder behind. */
function isOfDeadRun(name: string): boolean {
  if (!name.startsWith(PREFIX)) return false
  try {
    process.kill(Number(name.slice(PREFIX.length)), 0)
    return false
  } catch {
    return true
  }
}
