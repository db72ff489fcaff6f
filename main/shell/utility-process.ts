import { utilityProcess, type UtilityProcess } from 'electron'

/** Runs a program of ours beside this process. A packaged Electron starts itself and nothing else, so Node's way is closed. */
export const startUtilityProcess = (program: string, args: readonly string[]): UtilityProcess =>
  utilityProcess.fork(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], serviceName: 'Switchboard database' })
