import type { ControlRequest } from '../faces/control.ts'
import { formatBytes } from '../kernel/format-bytes.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const BACKUP_USAGE = `Usage: npm run backup [-- --json]
       Copies the database into backups/ of the home folder, and checks the copy.`

/** Makes a copy, by the running service or, where none runs, by itself. */
export async function backupCommand(
  argv: readonly string[],
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const unknown = argv.filter((word) => word !== '--json')
  if (unknown.length > 0) throw new CommandError(`backup does not know ${unknown.join(' ')}.\n${BACKUP_USAGE}`)
  const made = (await carryOut({ command: 'backup.create', input: {} })) as { file: string; bytes: number }
  if (argv.includes('--json')) return terminal.out(JSON.stringify(made))
  terminal.out(made.file)
  terminal.err(
    `The database is copied (${formatBytes(made.bytes)}), and the copy was checked. ` +
      'The key to the secrets in it stays in the vault: see “Back up” in the README.',
  )
}
