import { utilityProcess, type UtilityProcess } from 'electron'
import type { ForkProgram } from '../service/child-program.ts'

/** Runs a program of ours beside this process. A packaged Electron starts itself and nothing else, so Node's way is closed. */
export const startUtilityProcess = (program: string, args: readonly string[]): UtilityProcess =>
  utilityProcess.fork(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], serviceName: 'Switchboard database' })

/** The same for a program that messages are exchanged with. */
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
