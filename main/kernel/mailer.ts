import type { Transporter } from 'nodemailer'
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

/** @param server asked before each mail. @param isSandbox whether that is the mail sandbox. */
export function createMailer(server: (accountId: AccountId) => Promise<SmtpServer>, isSandbox: boolean): Mailer {
  async function withTransport<T>(
    accountId: AccountId,
    act: (transport: Transporter, from: string) => Promise<T>,
  ): Promise<T> {
    const { host, port, security, user, password, from } = await server(accountId)
    // Loaded when the first mail is sent.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      ...{ host, port, secure: security === 'tls', requireTLS: security === 'starttls' },
      ignoreTLS: security === 'none',
      ...(user !== null && { auth: { user, pass: password?.open() ?? '' } }),
      ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    try {
      return await act(transport, from)
    } finally {
      transport.close()
    }
  }

  return {
    isSandbox,
    async send(accountId, { to, subject, text, messageId }) {
      try {
        await withTransport(accountId, (transport, from) =>
          transport.sendMail({ from, to: [...to], subject, text, messageId: `<${messageId}>` }),
        )
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error)
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

function outcomeOf(error: unknown): MailOutcome {
  const { command, responseCode } = error as { command?: string; responseCode?: number }
  const text = messageOf(error)
  if (responseCode !== undefined && responseCode >= 500) return { kind: 'refused', error: text }
  // After DATA the server has the mail, and may have accepted it before the connection broke.
  if (command === 'DATA' && responseCode === undefined) return { kind: 'unknown', error: text }
  return { kind: 'unavailable', error: text }
}
