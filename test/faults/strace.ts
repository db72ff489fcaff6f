import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENTRY, ENVIRONMENT, follow, untilListening, type RunningService } from '../support/service-process.ts'

/** Why no calls can be traced here; undefined: they can. */
export function straceProblem(): string | undefined {
  if (process.platform !== 'linux') return 'strace is Linux'
  try {
    execFileSync('strace', ['-qq', '-o', '/dev/null', 'true'])
    return undefined
  } catch {
    return 'strace is not there, or may not trace here. Install it (apt-get install strace), and repeat this.'
  }
}

/** For npm run faults. @throws where strace is missing: a fault that was not caused has not been withstood. */
export function needStrace(skip: (note: string) => void): void {
  const problem = straceProblem()
  if (problem === undefined) return
  if (process.platform !== 'linux') return skip(problem)
  throw new Error(problem)
}

/** The built service under strace, when it listens. It is stopped by `stopTraced`: a signal to strace would end neither. */
export function startTraced(
  words: readonly string[],
  home: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<RunningService> {
  const serve = [process.execPath, ENTRY, 'serve', '--port', '0', '--json', '--home', home]
  const env = { ...ENVIRONMENT, ...environment }
  return untilListening(follow(spawn('strace', [...words, ...serve], { env, stdio: ['ignore', 'pipe', 'pipe'] })))
}

export async function stopTraced(traced: RunningService, home: string): Promise<void> {
  process.kill(Number(readFileSync(join(home, 'lock.pid'), 'utf8')), 'SIGTERM')
  await traced.ended
}
