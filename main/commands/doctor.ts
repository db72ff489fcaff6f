import type { Finding, FindingState } from '../service/doctor/finding.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const DOCTOR_USAGE = `Usage: npm run doctor [-- --offline] [--json]
       Looks at everything Switchboard stands on, and changes nothing; damage it finds is noted for
       the next start. Exit code 0: nothing is broken; 2: something is.
       --offline asks nobody outside.`

const MARKS: Readonly<Record<FindingState, string>> = { well: '✓', look: '!', broken: '✗' }
const SUBJECT_WIDTH = 11

/** Prints what was found. @returns the exit code. */
export async function doctorCommand(
  argv: readonly string[],
  examine: (isOffline: boolean) => Promise<readonly Finding[]>,
  terminal: Terminal,
): Promise<number> {
  const unknown = argv.filter((word) => word !== '--json' && word !== '--offline')
  if (unknown.length > 0) throw new CommandError(`doctor does not know ${unknown.join(' ')}.\n${DOCTOR_USAGE}`)
  const findings = await examine(argv.includes('--offline'))
  const count = (state: FindingState) => findings.filter((finding) => finding.state === state).length
  if (argv.includes('--json')) terminal.out(JSON.stringify({ broken: count('broken'), look: count('look'), findings }))
  else {
    for (const { subject, state, says } of findings)
      terminal.out(`${MARKS[state]} ${subject.padEnd(SUBJECT_WIDTH)} ${says}`)
    terminal.out(summary(count('broken'), count('look')))
  }
  return count('broken') > 0 ? BROKEN : 0
}

const BROKEN = 2

function summary(broken: number, look: number): string {
  const things = (count: number) => `${count} ${count === 1 ? 'thing' : 'things'}`
  if (broken > 0) return `${things(broken)} must be put right.`
  return look > 0 ? `Nothing is broken; ${things(look)} to look at.` : 'All is well.'
}
