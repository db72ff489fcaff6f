import type { ControlRequest } from '../faces/control.ts'
import { formatBytes } from '../kernel/format-bytes.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const RESTORE_USAGE = `Usage: npm run restore [-- --json]                 lists the backups
       npm run restore -- NAME|latest --yes [--json]  puts one in the place of the database
       latest is the newest that is whole; each newer one is named, with what is wrong with it.`

interface BackupRow {
  readonly name: string
  readonly made_at: string
  readonly reason: string
  readonly bytes: number
  readonly state: 'usable' | 'newer' | 'foreign' | 'unreadable'
}

/** What was found where the newest whole copy was looked for. */
interface IntactBackup {
  readonly copy: { readonly name: string } | undefined
  readonly rejected: readonly { readonly name: string; readonly reason: keyof typeof REASONS }[]
}

/** Why a copy does not take the place of the database. */
const REASONS = {
  damaged: 'is damaged',
  newer: 'was made by a newer Switchboard',
  foreign: 'belongs to another home folder',
  unreadable: 'is no backup that can be read',
} as const

interface Outcome {
  readonly name: string
  readonly safety_copy: string | null
  readonly problem: string | null
}

/**
 * Lists the backups, or goes back to one.
 * @param carryOut reaches the running service, or opens the home folder itself; asked again, it opens it anew.
 * @param newestWhole looks at the copies themselves, in this process: a service that runs has others to serve.
 */
export async function restoreCommand(
  argv: readonly string[],
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
  newestWhole: () => IntactBackup,
): Promise<void> {
  const [name, ...more] = argv.filter((word) => !word.startsWith('--'))
  const unknown = [...more, ...argv.filter((word) => word.startsWith('--') && word !== '--yes' && word !== '--json')]
  if (unknown.length > 0) throw new CommandError(`restore does not know ${unknown.join(' ')}.\n${RESTORE_USAGE}`)
  const { data } = (await carryOut({ command: 'backup.list', input: {} })) as { data: BackupRow[] }
  const isJson = argv.includes('--json')
  if (name === undefined) return list(data, isJson, terminal)
  const chosen = choose(data, name === 'latest' ? newestIntact(newestWhole(), terminal) : name)
  if (!argv.includes('--yes'))
    throw new CommandError(
      `This puts ${chosen.name}, made ${chosen.made_at}, in the place of the database. What happened since is kept as a ` +
        'backup of its own, and the service forgets it. If that is meant, repeat the command with --yes.',
    )
  await restore(chosen.name, isJson, carryOut, terminal)
}

function list(backups: readonly BackupRow[], isJson: boolean, terminal: Terminal): void {
  if (isJson) return terminal.out(JSON.stringify({ data: backups }))
  if (backups.length === 0) return terminal.out('There are no backups yet. Make one with: npm run backup')
  for (const { name, made_at, reason, bytes, state } of backups) {
    terminal.out(`${name}  ${made_at}  ${reason}  ${formatBytes(bytes)}${state === 'usable' ? '' : `  (${state})`}`)
  }
}

function newestIntact({ copy, rejected }: IntactBackup, terminal: Terminal): string {
  for (const { name, reason } of rejected) terminal.err(`${name} is passed over: it ${REASONS[reason]}.`)
  if (copy === undefined) throw new CommandError('There is no backup that can be used.')
  return copy.name
}

function choose(backups: readonly BackupRow[], name: string): BackupRow {
  const found = backups.find((one) => one.name === name)
  if (found === undefined) throw new CommandError(`There is no backup ${name}. npm run restore lists them.`)
  return found
}

async function restore(
  name: string,
  isJson: boolean,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const { running } = (await carryOut({ command: 'restore.stage', input: { name } })) as { running: boolean }
  if (running) {
    if (isJson) return terminal.out(JSON.stringify({ name, done: false }))
    return terminal.out(
      `${name} takes the place of the database at the next start. Quit Switchboard and start it again; until then nothing changes.`,
    )
  }
  const outcome = (await carryOut({ command: 'restore.outcome', input: {} })) as Outcome | null
  if (outcome === null || outcome.safety_copy === null)
    throw new CommandError(`Nothing was changed: ${outcome?.problem ?? 'the backup was not taken'}`)
  if (isJson) return terminal.out(JSON.stringify({ name, done: true, safety_copy: outcome.safety_copy }))
  terminal.out(`${name} is the database now. The state before is kept as ${outcome.safety_copy}.`)
}
