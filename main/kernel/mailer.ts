import type { Socket } from 'node:net'
import type { Transporter } from 'nodemailer'
import type { Clock } from './clock.ts'
import type { AccountId } from './ids.ts'
import type { Secret } from './secret.ts'

export interface Mail {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The same for every attempt, so that a mail server can drop a repeat. Without angle brackets. */
  readonly messageId: string
}

/** What is known after an attempt. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The server refused it for good; `error` says why. */
  | { readonly kind: 'refused'; readonly error: string }
  /** Nothing was handed over: it is safe to repeat. */
  | { readonly kind: 'unavailable'; readonly error: string }
  /** The connection broke after the mail was handed over: it may have been accepted. */
  | { readonly kind: 'unknown'; readonly error: string }

export interface Mailer {
  /** Never rejects. */
  send(accountId: AccountId, mail: Mail): Promise<MailOutcome>
  /** Connects and signs in, and sends nothing. @returns null, or why it does not work. */
  verify(accountId: AccountId): Promise<string | null>
  /** true: mails are kept in the mail sandbox and reach nobody. */
  readonly isSandbox: boolean
}

export interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user: string | null
  readonly password: Secret | null
  readonly from: string
}

const TIMEOUT_MS = 20_000
/** For a whole mail. The library only limits silences, and a server can send a letter now and then. */
const DEADLINE_MS = 60_000

interface MailerDeps {
  readonly clock: Pick<Clock, 'after'>
  /** Asked before each mail. */
  readonly server: (accountId: AccountId) => Promise<SmtpServer>
  /** Whether that is the mail sandbox. */
  readonly isSandbox: boolean
  readonly connect: (server: Pick<SmtpServer, 'host' | 'port'>, limitMs: number) => Promise<Socket>
  readonly deadlineMs?: number
}

export function createMailer({ clock, server, isSandbox, connect, deadlineMs = DEADLINE_MS }: MailerDeps): Mailer {
  async function withTransport<T>(
    accountId: AccountId,
    act: (transport: Transporter, from: string) => Promise<T>,
  ): Promise<T> {
    const { host, port, security, user, password, from } = await server(accountId)
    // Loaded when the first mail is sent.
    const { createTransport } = await import('nodemailer')
    const socket = await connect({ host, port }, TIMEOUT_MS)
    const deadline = clock.after(deadlineMs, () => socket.destroy())
    const transport = createTransport({
      getSocket: (_options, found) => found(null, { connection: socket }),
      ...{ host, port, secure: security === 'tls', requireTLS: security === 'starttls' },
      ignoreTLS: security === 'none',
      ...(user !== null && { auth: { user, pass: password?.open() ?? '' } }),
      ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    try {
      return await act(transport, from)
    } finally {
      deadline.cancel()
      transport.close()
      socket.destroy()
    }
  }

  return {
    isSandbox,
    async send(accountId, { to, subject, text, messageId }) {
      let isHandedOver = false
      try {
        await withTransport(accountId, (transport, from) => {
          // The mail is read when the server is ready for it.
          transport.use('stream', ({ message }, next) => {
            message.processFunc((mail) => mail.once('end', () => (isHandedOver = true)))
            next()
          })
          return transport.sendMail({ from, to: [...to], subject, text, messageId: `<${messageId}>` })
        })
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error, isHandedOver)
      }
    },
    async verify(accountId) {
      try {
        await withTransport(accountId, (transport) => transport.verify())
        return null
      } catch (error) {
        return messageOf(error)
      }
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300)

function outcomeOf(error: unknown, isHandedOver: boolean): MailOutcome {
  const { responseCode } = error as { responseCode?: number }
  const text = messageOf(error)
  if (responseCode !== undefined && responseCode >= 500) return { kind: 'refused', error: text }
  if (isHandedOver && responseCode === undefined) return { kind: 'unknown', error: text }
  return { kind: 'unavailable', error: text }
}
