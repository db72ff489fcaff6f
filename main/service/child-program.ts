import { fork } from 'node:child_process'
import type { StartChildProgram } from '../kernel/child-program.ts'

/** A child process started by Node or by Electron. */
interface ForkedProgram {
  send(message: unknown): unknown
  onMessage(listener: (message: unknown) => void): void
  /** @param listener receives the reason, for example `signal SIGKILL`. */
  onExit(listener: (reason: string) => void): void
  kill(): unknown
}

export interface ProgramToFork {
  readonly program: string
  readonly args: readonly string[]
  /** Command-line flags of Node. */
  readonly flags: readonly string[]
  /** Shown in Electron's list of processes. */
  readonly title: string
}

/** Starts one of our programs with a message channel. */
export type ForkProgram = (program: ProgramToFork) => ForkedProgram

const forkNode: ForkProgram = ({ program, args, flags }) => {
  const child = fork(program, [...args], {
    execArgv: [...process.execArgv, ...flags],
    // Messages have bytes, which JSON cannot carry.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Ctrl+C in a terminal must reach only the service, which then ends its child processes.
    detached: process.platform !== 'win32',
  })
  return {
    // If the process has just ended, its exit is reported.
    send: (message) => child.connected && child.send(message as object, () => {}),
    onMessage: (listener) => void child.on('message', listener),
    onExit(listener) {
      child.once('exit', (code, signal) => listener(signal === null ? `exit code ${code}` : `signal ${signal}`))
      child.once('error', (error: NodeJS.ErrnoException) =>
        listener(`it could not be started: ${error.code ?? error.name}`),
      )
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** @param start Electron needs its own function. */
export const childProgramStarter =
  <Sent, Received>(program: ProgramToFork, start: ForkProgram = forkNode): StartChildProgram<Sent, Received> =>
  (onMessage, onExit) => {
    const forked = start(program)
    let isGone = false
    // Only our own programs write to the channel.
    forked.onMessage((message) => onMessage(message as Received))
    forked.onExit((reason) => {
      if (isGone) return
      isGone = true
      onExit(reason)
    })
    return { send: (message) => void forked.send(message), kill: () => void forked.kill() }
  }
