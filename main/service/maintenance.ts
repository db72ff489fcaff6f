import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createMaintenanceProcess, type MaintenanceProcess, type StartProgram } from '../storage/maintenance-process.ts'

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
export const maintenanceProcess = (main: string, start: StartProgram = startNode): MaintenanceProcess =>
  createMaintenanceProcess(join(main, 'maintenance-program.js'), start)
