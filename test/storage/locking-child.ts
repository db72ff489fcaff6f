/** Takes the home folder, says so, and keeps it until it is killed. */
import { writeSync } from 'node:fs'
import { lockHome } from '../../main/storage/lock.ts'

try {
  lockHome(process.argv[2] ?? '')
  writeSync(1, 'locked\n')
  setInterval(() => {}, 1_000)
} catch (error) {
  writeSync(1, `${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
