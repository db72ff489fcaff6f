import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as methods from '@octokit/webhooks-methods'
import type * as standard from 'standardwebhooks'
import { Objection, run } from '../court.ts'

/** Somebody else's way to check a signature: of the bytes `timestamp.body`, as the specification has it. */
export interface Verifier {
  readonly name: string
  /** @param signature the header's value, `sha256=` included. */
  accepts(secret: string, message: Buffer, signature: string): Promise<boolean>
}

const SECONDS = 10

/** The command line of OpenSSL, which knows nothing of webhooks. */
export function openSsl(dir: string): Verifier {
  const file = join(dir, 'message')
  const digest = async (...args: readonly string[]) => {
    const heard = await run('openssl', ['dgst', '-sha256', '-hex', ...args], {
      ...{ cwd: dir, env: process.env, seconds: SECONDS },
    })
    if (heard.code !== 0) throw new Objection(`This judge needs the command openssl. ${heard.err}`)
    return / ([0-9a-f]{64})\n$/.exec(heard.out)?.[1]
  }
  return {
    name: 'openssl dgst',
    async accepts(secret, message, signature) {
      writeFileSync(file, message)
      const hex = await digest('-hmac', secret, file)
      if (hex === undefined) throw new Objection('openssl dgst printed no digest of 64 digits.')
      return signature === `sha256=${hex}`
    },
  }
}

type Methods = Pick<typeof methods, 'verify'>

/** What receivers of another platform with the same scheme use. It takes text, as most receivers read a body. */
export async function octokit(): Promise<Verifier> {
  // By its address: it lies in this folder only, where it is installed when the judge is first asked.
  const { verify } = (await import(import.meta.resolve('@octokit/webhooks-methods'))) as Methods
  return {
    name: '@octokit/webhooks-methods',
    accepts: (secret, message, signature) => verify(secret, message.toString('utf8'), signature),
  }
}

/** @returns whether a receiver with this secret takes the request. @throws Error if the library refuses the secret. */
export type StandardVerifier = (secret: string, headers: Readonly<Record<string, string>>, body: Buffer) => boolean

/** The library of Standard Webhooks. It takes the secret as it is shown. */
export async function standardWebhooks(): Promise<StandardVerifier> {
  const { Webhook, WebhookVerificationError } = (await import(
    import.meta.resolve('standardwebhooks')
  )) as typeof standard
  return (secret, headers, body) => {
    const webhook = new Webhook(secret)
    try {
      webhook.verify(body.toString('utf8'), { ...headers })
      return true
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false
      throw error
    }
  }
}
