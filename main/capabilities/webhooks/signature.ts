import { createHmac } from 'node:crypto'
import type { Secret } from '../../kernel/secret.ts'

/**
 * Header value for one delivery.
 * @param secret the whole `whsec_…` text is the key; libraries that decode the part after the prefix compute another.
 * @param sentAtSeconds Unix time, also sent as X-Service-Timestamp.
 * @param body exact bytes on the wire; re-serialised JSON would break receivers.
 * @returns `sha256=` + 64 lower-case hex digits. Spec: Events, Signature.
 */
export function signature(secret: Secret, sentAtSeconds: number, body: Buffer): string {
  return `sha256=${createHmac('sha256', secret.open()).update(`${sentAtSeconds}.`).update(body).digest('hex')}`
}
