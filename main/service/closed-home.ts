import { createBackups } from '../capabilities/service/index.ts'
import { backupNameIn } from '../faces/commands.ts'
import type { ControlRequest } from '../faces/control.ts'
import { asApiError } from '../faces/failure.ts'
import { closedBackupsOf } from './facts.ts'
import { acquireHomeLock, makeRoom } from './home.ts'
import { StartError, type World } from './world.ts'

/**
 * Carries out a command that needs only the files of the home folder, so that a database which cannot be opened here can
 * be replaced with a backup: one that a newer Switchboard has upgraded, for example.
 * @returns undefined: the command needs the database.
 * @throws StartError while another process has the home folder; ApiError not_found, invalid_state
 */
export async function carryOutClosed(
  world: World,
  { command, input }: ControlRequest,
): Promise<{ readonly result: unknown } | undefined> {
  if (command !== 'backup.list' && command !== 'restore.stage') return undefined
  const lock = acquireHomeLock(world.config, 'command')
  try {
    const copies = { ...closedBackupsOf(world), make: notOpen, restored: null }
    const backups = createBackups({ ...world, live: { publish() {} }, copies })
    if (command === 'backup.list') return { result: backups.backups() }
    await makeRoom(world)
    await backups.stageRestore(backupNameIn(input))
    return { result: { running: false } }
  } catch (error) {
    throw asApiError(error) ?? error
  } finally {
    lock.release()
  }
}

const notOpen = () => Promise.reject(new StartError('The database is not open.'))
