import { join } from 'node:path'
import { createMailer, type SmtpServer } from '../kernel/mailer.ts'
import { Secret } from '../kernel/secret.ts'
import { openOperatorSocket } from '../outbound/operator-socket.ts'
import { createMailSandbox } from '../simulators/mail/index.ts'
import { createVoiceProcess, type StartVoice } from '../voice/voice-process.ts'
import { childProgramStarter, type ForkProgram } from './child-program.ts'
import type { Home } from './home.ts'
import type { RunningWorld } from './world.ts'

/** What calls need besides the rooms: the voice process, and the mail server. */
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

/** A smaller space for short-lived objects than Node's default: 8 calls take 20 MB less (measured). */
const FLAGS = ['--max-semi-space-size=4']

/** Paths of voice-program.ts and flite-thread.ts. */
interface VoicePrograms {
  readonly voice: string
  readonly speech: string
}

/** @param fork Electron needs its own function. */
export const voiceStarter = ({ voice, speech }: VoicePrograms, fork?: ForkProgram): StartVoice =>
  childProgramStarter({ program: voice, args: [speech], flags: FLAGS, title: 'Switchboard calls' }, fork)
