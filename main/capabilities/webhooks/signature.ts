import { createHmac } from 'node:crypto'
import type { Secret } from '../../kernel/secret.ts'
import { standardKey } from './secret.ts'

/**
 * Header value for one delivery.
 * @param secret the whole `whsec_…` text is the key.
 * @param sentAtSeconds Unix time, also sent as X-Service-Timestamp.
 * @param body exact bytes on the wire; re-serialised JSON would break receivers.
 * @returns `sha256=` + 64 lower-case hex digits. Spec: Events, Signature.
 */
export function signature(secret: Secret, sentAtSeconds: number, body: Buffer): string {
  return `sha256=${createHmac('sha256', secret.open()).update(`${sentAtSeconds}.`).update(body).digest('hex')}`
}

/**
 * The same delivery as Standard Webhooks signs it.
 * @param secret the bytes that it encodes after `whsec_` are the key.
 * @returns `v1,` + base64. During a rotation `webhook-signature` holds two, separated by a space.
 */
export function standardSignature(secret: Secret, eventId: string, sentAtSeconds: number, body: Buffer): string {
  const mac = createHmac('sha256', standardKey(secret)).update(`${eventId}.${sentAtSeconds}.`).update(body)
  return `v1,${mac.digest('base64')}`
}
