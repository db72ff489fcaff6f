import { createBackups } from '../capabilities/service/index.ts'
import { backupNameIn } from '../faces/commands.ts'
import type { ControlRequest } from '../faces/control.ts'
import { asApiError } from '../faces/failure.ts'
import { closedBackupsOf } from './facts.ts'
import { acquireHomeLock, isNewHome, makeRoom } from './home.ts'
import { StartError, type World } from './world.ts'

/**
 * Executes a command that needs only the files of the home folder. This allows replacing a database that cannot be
 * opened here, for example because a newer Switchboard has upgraded it.
 * @returns undefined if the command needs the database.
 * @throws StartError while another process uses the home folder, or if there is nothing to back up; ApiError
 * not_found, invalid_state
 */
export async function carryOutClosed(
  world: World,
  { command, input }: ControlRequest,
): Promise<{ readonly result: unknown } | undefined> {
  // A scheduled backup would otherwise copy a new, empty database for months.
  if (command === 'backup.create' && isNewHome(world.config.home))
    throw new StartError(`There is no database in ${world.config.home}, so there is nothing to back up. Check --home.`)
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
