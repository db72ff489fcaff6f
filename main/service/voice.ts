import { fork } from 'node:child_process'
import { join } from 'node:path'
import { createMailer, type SmtpServer } from '../kernel/mailer.ts'
import { Secret } from '../kernel/secret.ts'
import { openOperatorSocket } from '../outbound/operator-socket.ts'
import { createMailSandbox } from '../simulators/mail/index.ts'
import type { FromVoice, ToVoice } from '../voice/protocol.ts'
import { createVoiceProcess, type StartVoice } from '../voice/voice-process.ts'
import type { Home } from './home.ts'
import type { RunningWorld } from './world.ts'

/** What calls need besides the rooms: the voice process, and where mails go. */
export function voiceServices(world: RunningWorld, { ids }: Home, onProcessChange: () => void) {
  const { clock, random, config, log } = world
  const process = createVoiceProcess({ clock, log, start: world.startVoice ?? null, onChange: onProcessChange })
  const password = new Secret(random.bytes(24).toString('base64url'))
  const mailbox = createMailSandbox({
    ...{ log, folder: join(config.home, 'outbox'), now: clock.now, password: password.open() },
    newId: () => ids.tagged('mail'),
  })
  const { smtpHost: host, smtpPort: port, smtpSecurity: security, smtpUser: user, smtpFrom: from } = config
  const mailer = createMailer({
    ...{ clock, isSandbox: host === null, connect: openOperatorSocket },
    server: async (accountId): Promise<SmtpServer> =>
      host === null
        ? { host: '127.0.0.1', port: await mailbox.port(), security: 'none', user: accountId, password, from }
        : { host, port, security, user, password: config.smtpPassword, from },
  })
  return { process, mailer, mailbox }
}

/** Starts a program of ours with a channel for messages. */
interface ForkedProgram {
  send(message: ToVoice): unknown
  onMessage(listener: (message: FromVoice) => void): void
  /** @param listener is given the reason, for example `signal SIGKILL`. */
  onExit(listener: (reason: string) => void): void
  kill(): unknown
}

/** @param flags for Node itself. */
export type ForkProgram = (program: string, args: readonly string[], flags: readonly string[]) => ForkedProgram

/** A smaller space for short-lived objects than Node's default: 8 calls take 20 MB less (measured). */
const FLAGS = ['--max-semi-space-size=4']

const forkNode: ForkProgram = (program, args, flags) => {
  const child = fork(program, [...args], {
    execArgv: [...globalThis.process.execArgv, ...flags],
    // Sound in recordings' waveforms is bytes, which JSON cannot carry.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A terminal's Ctrl+C is for the service, which ends what it has started.
    detached: globalThis.process.platform !== 'win32',
  })
  return {
    // A process that has just ended is reported by its exit.
    send: (message) => child.connected && child.send(message, () => {}),
    onMessage: (listener) => void child.on('message', (message) => listener(message as FromVoice)),
    onExit(listener) {
      child.once('exit', (code, signal) => listener(signal === null ? `exit code ${code}` : `signal ${signal}`))
      child.once('error', (error: NodeJS.ErrnoException) =>
        listener(`it could not be started: ${error.code ?? error.name}`),
      )
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** Where voice-program.ts and flite-thread.ts lie. */
interface VoicePrograms {
  readonly voice: string
  readonly speech: string
}

/** @param start Electron has a way of its own. */
export const voiceStarter =
  (programs: VoicePrograms, start: ForkProgram = forkNode): StartVoice =>
  (onMessage, onExit) => {
    const forked = start(programs.voice, [programs.speech], FLAGS)
    let isGone = false
    forked.onMessage(onMessage)
    forked.onExit((reason) => {
      if (isGone) return
      isGone = true
      onExit(reason)
    })
    return { send: (message) => void forked.send(message), kill: () => void forked.kill() }
  }
