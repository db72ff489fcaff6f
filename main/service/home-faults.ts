import { accessSync, constants, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Config } from '../config.ts'
import { isDiskFull } from '../kernel/durable-file.ts'
import { NoRoomToMigrateError } from '../storage/migrate.ts'
import { VaultError } from '../vault/vault.ts'
import { StartError } from './world.ts'

/** With less free space, the database cannot be opened at all, not even to free space. */
export const TOO_FULL_TO_OPEN_BYTES = 16_000_000

const MB = 1_000_000

/** `logs` is missing because the service can run without it. */
const FOLDERS = ['.', 'backups', 'facts', 'files', 'recordings']
const FILES = ['lock.db', 'switchboard.db', 'switchboard.db-wal', 'switchboard.db-shm', 'vault.json', 'vault.key']
/** Files whose access rights do not matter, because they are replaced. */
const REPLACED = ['lock.pid', 'switchboard.db.closed', 'control.sock', 'restore.json']

/** A sentence about why this user cannot work with the home folder; null if they can, or it does not exist yet. */
export function findHomeFault(home: string): string | null {
  for (const name of FOLDERS) {
    const fault = faultOf(join(home, name), home, true)
    if (fault !== null) return fault
  }
  for (const name of FILES) {
    const fault = faultOf(join(home, name), home, false)
    if (fault !== null) return fault
  }
  const folder = REPLACED.map((name) => join(home, name)).find(isFolderAt)
  return folder === undefined ? null : notAFile(folder)
}

const isFolderAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const notAFile = (path: string) =>
  `${path} is a folder, but Switchboard needs a file there. Move the folder away, then start again.`

function faultOf(path: string, home: string, isFolder: boolean): string | null {
  try {
    if (isFolder && !statSync(path).isDirectory()) return notAFolder(path, home)
    if (!isFolder && isFolderAt(path)) return notAFile(path)
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0))
    return null
  } catch (error) {
    return describeFault(error, home)
  }
}

/**
 * The error of a start or command as a sentence for the person at the terminal.
 * @returns the error itself if there is no sentence for it.
 */
export function explainStartError(config: Config, error: unknown): unknown {
  if (error instanceof StartError) return error
  if (error instanceof VaultError || error instanceof NoRoomToMigrateError)
    return new StartError(error.message, { cause: error })
  if (isDiskFull(error)) return diskFullError(config, error)
  const sentence = describeFault(error, config.home)
  return sentence === null ? error : new StartError(sentence, { cause: error })
}

/** Does not suggest another home folder, because that would be empty. */
export const diskFullError = ({ home, refuseBelowMb }: Config, cause: unknown) =>
  new StartError(
    `The disk of the home folder ${home} is full. Nothing is lost. ` +
      `Free at least ${Math.max(refuseBelowMb, TOO_FULL_TO_OPEN_BYTES / MB)} MB on that disk, then try again.`,
    { cause },
  )

/** A sentence about a file or folder of the home; null if the error has another cause, or the file does not exist. */
function describeFault(error: unknown, home: string): string | null {
  if (!(error instanceof Error)) return null
  const { code = '', path = home } = error as NodeJS.ErrnoException
  if (relative(home, path).startsWith('..')) return null
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return noAccess(path, home)
    case 'EROFS':
      return `${path} is on a read-only disk. Make the disk writable, then start again.`
    case 'EISDIR':
      return path === home ? null : notAFile(path)
    case 'ENOTDIR':
    case 'EEXIST':
      return notAFolder(path, home)
    default:
      return null
  }
}

function noAccess(path: string, home: string): string {
  const owner = statSync(home, { throwIfNoEntry: false })?.uid
  const whose = owner === undefined ? '' : ` The home folder belongs to the user with the ID ${owner}.`
  return (
    `This user can't read and write ${path}.${whose} ` +
    `Start Switchboard as the user it belongs to, or give this user access to everything in ${home}.`
  )
}

function notAFolder(path: string, home: string): string {
  const file = nearestFile(path) ?? path
  if (relative(home, file) === '' || relative(home, file).startsWith('..'))
    return `${file} is a file, so the home folder can't be ${home}. Choose another one with --home.`
  return `${file} is a file, but Switchboard needs a folder there. Move the file away, then start again.`
}

/** The part of the path that is not a folder. */
function nearestFile(path: string): string | undefined {
  for (let part = path; ;) {
    const parent = join(part, '..')
    if (parent === part) return undefined
    try {
      if (!statSync(part).isDirectory()) return part
    } catch {
      // The fault is below that part, or the file does not exist.
    }
    part = parent
  }
}
