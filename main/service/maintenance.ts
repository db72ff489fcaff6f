import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createMaintenanceProcess, type MaintenanceProcess, type StartProgram } from '../storage/maintenance-process.ts'

/** Ctrl+C in a terminal must reach only the service, which then ends its child processes. */
export const startNode: StartProgram = (program, args) =>
  spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })

/**
 * The process that works on the database beside the service.
 * @param main folder of the built main process.
 * @param start Electron needs its own function.
 */
export const maintenanceProcess = (main: string, start: StartProgram = startNode): MaintenanceProcess =>
  createMaintenanceProcess(join(main, 'maintenance-program.js'), start)
