import type { Clock } from '../../../kernel/clock.ts'
import type { Random } from '../../../kernel/ids.ts'
import type { Seal } from '../../../kernel/seal.ts'
import { Secret } from '../../../kernel/secret.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { newSecret, signature } from '../../webhooks/index.ts'
import type { CrmLink } from '../links.ts'

interface SigningDeps {
  readonly seal: Seal
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
}

export type Signing = ReturnType<typeof createSigning>

/** Binds the secret to its connection: it cannot be decrypted in another row. */
const ownerOf = (linkId: string) => `crm-webhook:${linkId}`

/** Secrets and signatures of CRM webhooks, with the scheme of account webhooks. */
export function createSigning({ seal, clock, random }: SigningDeps) {
  const secretsOf = ({ id, secretEnc, prevSecretEnc, prevExpiresAtMs }: CrmLink): readonly Secret[] => {
    const open = (bytes: Uint8Array | null) => (bytes === null ? [] : [seal.open(bytes, ownerOf(id))])
    const isOverlap = (prevExpiresAtMs ?? 0) > clock.now()
    return [...open(secretEnc), ...(isOverlap ? open(prevSecretEnc) : [])]
  }

  return {
    /** A new secret, and its stored form. */
    newSecret(linkId: string): { readonly secret: Secret; readonly secretEnc: Buffer } {
      const secret = newSecret(random)
      return { secret, secretEnc: seal.seal(secret, ownerOf(linkId)) }
    },
    headers(link: CrmLink, body: Buffer): Record<string, string> {
      const atSeconds = Math.floor(clock.now() / 1_000)
      const [current, previous] = secretsOf(link)
      return {
        'content-type': 'application/json',
        'x-service-timestamp': String(atSeconds),
        ...(current && { 'x-service-signature': signature(current, atSeconds, body) }),
        ...(previous && { 'x-service-signature-previous': signature(previous, atSeconds, body) }),
      }
    },
    isSigned(link: CrmLink, timestamp: string | undefined, given: string | undefined, body: Buffer): boolean {
      const atSeconds = Number(timestamp ?? NaN)
      if (!Number.isInteger(atSeconds) || given === undefined) return false
      if (Math.abs(clock.now() / 1_000 - atSeconds) > LIMITS.signatureToleranceSeconds) return false
      return secretsOf(link).some((secret) => new Secret(signature(secret, atSeconds, body)).equals(given))
    },
  }
}
