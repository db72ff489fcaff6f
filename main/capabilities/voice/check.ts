import { access, constants, mkdir } from 'node:fs/promises'
import { asClause } from '../../kernel/clause.ts'
import { cause } from '../../kernel/log.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Check } from './contract/console.ts'
import type { VoiceDeps } from './deps.ts'
import type { Routes } from './routes.ts'
import type { createSpeech } from './speech.ts'

interface CheckDeps extends Pick<VoiceDeps, 'process' | 'agents' | 'mailer' | 'log'> {
  readonly routes: Routes
  readonly speech: ReturnType<typeof createSpeech>
  readonly folder: string
}

/** Tests everything that a call needs on this machine, without calling anybody. */
export function createCheck({ process, agents, mailer, log, routes, speech, folder }: CheckDeps) {
  const found = (code: Check['code'], status: Check['status'], reason: string, message: string): Check => ({
    ...{ code, status, reason, message },
  })

  async function checkGateway(instance: InstanceSubject): Promise<Check> {
    const { gateway, reason, message } = await routes.availability(instance)
    if (gateway === null) return found('gateway', 'error', reason ?? 'no_gateway', message ?? '')
    if (gateway === 'sandbox')
      return found('gateway', 'ok', 'sandbox', 'Calls are simulated: a person made up by Switchboard answers.')
    if (gateway === 'cloud') return found('gateway', 'ok', 'cloud', 'Calls are WhatsApp calls over the Cloud API.')
    const trunk = await routes.trunk(instance.id)
    const result = trunk && (await process.checkTrunk(trunk))
    return result?.ok === true
      ? found('gateway', 'ok', 'sip', 'The SIP trunk accepts the user and password. Calls are telephone calls.')
      : found(
          'gateway',
          'error',
          'sip_failed',
          `The SIP trunk does not accept us: ${asClause(result?.error ?? 'it is gone')}. Check host, transport, user and password.`,
        )
  }

  async function checkSpeech(instance: InstanceSubject): Promise<Check> {
    const services = await speech.services(instance.accountId)
    const result = await process.checkSpeech(services)
    if (!result.ok)
      return found(
        'speech',
        'error',
        `${services.brain}_failed`,
        `Speech does not work: ${asClause(result.error)}. Check the address and the key.`,
      )
    return services.brain === 'script'
      ? found(
          'speech',
          'warning',
          'built_in',
          'The built-in voice works. It speaks English only and understands nobody outside the sandbox: real callers hear the greeting and are recorded.',
        )
      : found('speech', 'ok', services.brain, `Speech works: ${result.detail}.`)
  }

  async function checkAgent({ accountId, id }: InstanceSubject): Promise<Check> {
    const primary = await agents.primary(accountId, id)
    return primary === undefined
      ? found('agent', 'warning', 'no_agent', 'This instance has no AI agent. Create one, or talk to people yourself.')
      : found('agent', 'ok', 'agent', `${primary.name} answers.`)
  }

  async function checkRecorder(): Promise<Check> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return found('recorder', 'ok', 'writable', 'Recordings can be written.')
  }

  async function checkMail({ accountId }: InstanceSubject): Promise<Check> {
    if (mailer.isSandbox)
      return found(
        'mail',
        'warning',
        'sandbox_mail',
        'Summaries are kept in the mail sandbox and reach nobody. Set smtp.host to send them.',
      )
    const error = await mailer.verify(accountId)
    return error === null
      ? found('mail', 'ok', 'smtp', 'The mail server accepts us.')
      : found(
          'mail',
          'error',
          'smtp_failed',
          `The mail server does not accept us: ${asClause(error)}. Check the smtp settings.`,
        )
  }

  return async (instance: InstanceSubject): Promise<Check[]> => {
    const isThere = process.isThere
      ? found('process', 'ok', 'ready', 'The voice process can be started.')
      : found(
          'process',
          'error',
          'missing',
          'This build has no voice process. Start Switchboard from a complete build.',
        )
    const tried = (code: Check['code'], act: Promise<Check>) =>
      act.catch((error: unknown) => {
        log.warn({ event: 'voice.check_failed', check: code, cause: cause(error) })
        return found(code, 'error', 'failed', 'This could not be checked. See the log for the cause.')
      })
    const checks = await Promise.all([
      tried('gateway', checkGateway(instance)),
      process.isThere
        ? tried('speech', checkSpeech(instance))
        : Promise.resolve(found('speech', 'skipped', 'no_process', 'Not checked: there is no voice process.')),
      tried('agent', checkAgent(instance)),
      tried('recorder', checkRecorder()),
      tried('mail', checkMail(instance)),
    ])
    return [isThere, ...checks]
  }
}
