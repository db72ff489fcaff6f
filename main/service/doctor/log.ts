import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/value'
import type { Config } from '../../config.ts'
import { logFileName, logFolderOf } from '../../kernel/log-file.ts'
import { LINES_LOST } from '../../kernel/log-health.ts'
import { cause } from '../../kernel/log.ts'
import { ok, warning, type Finding } from './finding.ts'

const Loss = Type.Object({ time: Type.String(), event: Type.Literal(LINES_LOST), lines: Type.Integer() })

/** Checks whether the log can be written, and whether the kept files have gaps. */
export function checkLog({ home, logFiles }: Pick<Config, 'home' | 'logFiles'>): Finding {
  if (logFiles === 0) return warning('log', 'Log files are off (log-files is 0). Logs go to standard error only.')
  const folder = logFolderOf(home)
  try {
    const problem = findObstacle(folder)
    if (problem !== null)
      return warning('log', `Can't write log files in ${folder} (${problem}). Check its permissions.`)
    const losses = Array.from({ length: logFiles }, (_, n) => lossesIn(join(folder, logFileName(n)))).flat()
    const [last] = losses.toSorted((a, b) => b.time.localeCompare(a.time))
    if (last === undefined) return ok('log', `Log files are in ${folder}.`)
    const lines = losses.reduce((sum, loss) => sum + loss.lines, 0)
    return warning(
      'log',
      `Lines missing from the log files in ${folder}: ${lines}, the last before ${last.time}. They could not be ` +
        'written, probably because the disk was full. This warning stays until those files are rotated away.',
    )
  } catch (error) {
    return warning('log', `Can't read the log files in ${folder} (${cause(error).message}). Check its permissions.`)
  }
}

/** Why the log cannot be written; null if it can. The folder is created with the first line. */
function findObstacle(folder: string): string | null {
  const current = join(folder, logFileName(0))
  try {
    if (existsSync(folder)) accessSync(folder, constants.W_OK | constants.X_OK)
    if (existsSync(current)) accessSync(current, constants.W_OK)
    return null
  } catch (error) {
    return cause(error).message
  }
}

function lossesIn(file: string): Static<typeof Loss>[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes(LINES_LOST))
    .map(parsed)
    .filter((line) => Check(Loss, line))
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Cut off by a full disk.
    return undefined
  }
}
