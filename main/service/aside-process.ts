import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { asideIn, type Aside, type StartProgram } from '../storage/aside.ts'

/** A terminal's Ctrl+C is for the service, which ends what it has started. */
export const startNode: StartProgram = (program, args) =>
  spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })

/**
 * What works on the database beside the service, as it was built.
 * @param main folder of the built main process.
 * @param start Electron has a way of its own.
 */
export const asideProcess = (main: string, start: StartProgram = startNode): Aside =>
  asideIn(join(main, 'aside-program.js'), start)
