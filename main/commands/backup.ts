import type { ControlRequest } from '../faces/control.ts'
import { formatBytes } from '../kernel/format-bytes.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const BACKUP_USAGE = `Usage: npm run backup [-- --json]
       Backs up the database to backups/ in the home folder and verifies the backup.`

/** Creates a backup through the running service, or directly if none is running. */
export async function backupCommand(
  argv: readonly string[],
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const unknown = argv.filter((word) => word !== '--json')
  if (unknown.length > 0) throw new CommandError(`Unknown argument: ${unknown.join(' ')}.\n${BACKUP_USAGE}`)
  const made = (await carryOut({ command: 'backup.create', input: {} })) as { file: string; bytes: number }
  if (argv.includes('--json')) return terminal.out(JSON.stringify(made))
  terminal.out(made.file)
  terminal.err(
    `Backup created and verified (${formatBytes(made.bytes)}). ` +
      'It does not contain the master key: see “Back up” in the README.',
  )
}
