import { fork } from 'node:child_process'
import type { StartChildProgram } from '../kernel/child-program.ts'

/** A process that was started, by Node or by Electron. */
interface ForkedProgram {
  send(message: unknown): unknown
  onMessage(listener: (message: unknown) => void): void
  /** @param listener is given the reason, for example `signal SIGKILL`. */
  onExit(listener: (reason: string) => void): void
  kill(): unknown
}

export interface ProgramToFork {
  readonly program: string
  readonly args: readonly string[]
  /** For Node itself. */
  readonly flags: readonly string[]
  /** For the list of processes of Electron. */
  readonly title: string
}

/** Starts a program of ours with a channel for messages. */
export type ForkProgram = (program: ProgramToFork) => ForkedProgram

const forkNode: ForkProgram = ({ program, args, flags }) => {
  const child = fork(program, [...args], {
    execArgv: [...process.execArgv, ...flags],
    // Messages have bytes, which JSON cannot carry.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A terminal's Ctrl+C is for the service, which ends what it has started.
    detached: process.platform !== 'win32',
  })
  return {
    // A process that has just ended is reported by its exit.
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

/** @param start Electron has a way of its own. */
export const childProgramStarter =
  <Sent, Received>(program: ProgramToFork, start: ForkProgram = forkNode): StartChildProgram<Sent, Received> =>
  (onMessage, onExit) => {
    const forked = start(program)
    let isGone = false
    // Only our own programs write into the channel.
    forked.onMessage((message) => onMessage(message as Received))
    forked.onExit((reason) => {
      if (isGone) return
      isGone = true
      onExit(reason)
    })
    return { send: (message) => void forked.send(message), kill: () => void forked.kill() }
  }
