import { utilityProcess, type UtilityProcess } from 'electron'
import type { ForkProgram } from '../service/child-program.ts'

/**
 * Runs one of our programs as a separate process. A packaged Electron can start only itself, so Node's way does not
 * work.
 */
export const startUtilityProcess = (program: string, args: readonly string[]): UtilityProcess =>
  utilityProcess.fork(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], serviceName: 'Switchboard database' })

/** The same for a program with a message channel. */
export const forkUtilityProcess: ForkProgram = ({ program, args, flags, title }) => {
  const forked = utilityProcess.fork(program, [...args], {
    ...{ stdio: 'ignore', serviceName: title },
    execArgv: [...flags],
  })
  return {
    send: (message) => forked.postMessage(message),
    onMessage: (listener) => void forked.on('message', listener),
    onExit: (listener) => void forked.once('exit', (code) => listener(`exit code ${code}`)),
    kill: () => forked.kill(),
  }
}
