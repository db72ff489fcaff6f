import type { Finding, FindingState } from '../service/doctor/finding.ts'
import { JSON_OPTION, parseArguments } from './arguments.ts'
import type { Terminal } from './terminal.ts'

export const DOCTOR_USAGE = `Usage: npm run doctor [-- --offline] [--json]
       Checks the home folder, database, backups, vault and network. Changes nothing, except that
       database damage is recorded for the next start. Exit code 0: no errors; 2: errors found.
       --offline skips the network check.`

const MARKS: Readonly<Record<FindingState, string>> = { well: '✓', look: '!', broken: '✗' }
const SUBJECT_WIDTH = 11

/** @returns the exit code. */
export async function doctorCommand(
  argv: readonly string[],
  examine: (isOffline: boolean) => Promise<readonly Finding[]>,
  terminal: Terminal,
): Promise<number> {
  const options = { ...JSON_OPTION, offline: { type: 'boolean', default: false } } as const
  const { json, offline } = parseArguments(argv, { usage: DOCTOR_USAGE, options })
  const findings = await examine(offline)
  const count = (state: FindingState) => findings.filter((finding) => finding.state === state).length
  if (json) terminal.out(JSON.stringify({ broken: count('broken'), look: count('look'), findings }))
  else {
    for (const { subject, state, says } of findings)
      terminal.out(`${MARKS[state]} ${subject.padEnd(SUBJECT_WIDTH)} ${says}`)
    terminal.out(summary(count('broken'), count('look')))
  }
  return count('broken') > 0 ? BROKEN : 0
}

const BROKEN = 2

function summary(broken: number, look: number): string {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
  const warnings = look > 0 ? counted(look, 'warning') : 'no warnings'
  return broken > 0
    ? `${counted(broken, 'error')}, ${warnings}.`
    : look > 0
      ? `No errors, ${warnings}.`
      : 'No problems found.'
}
