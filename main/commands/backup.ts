import type { ControlRequest } from '../faces/control.ts'
import { formatBytes } from '../kernel/format-bytes.ts'
import { JSON_OPTION, parseArguments } from './arguments.ts'
import type { Terminal } from './terminal.ts'

export const BACKUP_USAGE = `Usage: npm run backup [-- --json]
       Backs up the database to backups/ in the home folder and verifies the backup.`

/** Creates a backup through the running service, or directly if none is running. */
export async function backupCommand(
  argv: readonly string[],
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const { json } = parseArguments(argv, { usage: BACKUP_USAGE, options: JSON_OPTION })
  const made = (await carryOut({ command: 'backup.create', input: {} })) as { file: string; bytes: number }
  if (json) return terminal.out(JSON.stringify(made))
  terminal.out(made.file)
  terminal.err(
    `Backup created and verified (${formatBytes(made.bytes)}). ` +
      'It does not contain the master key: see “Back up” in the README.',
  )
}
