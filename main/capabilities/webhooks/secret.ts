import type { Random } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'

const PREFIX = 'whsec_'
/** A multiple of three, so that base64 needs no padding: 44 characters. */
const SECRET_BYTES = 33

/** A secret that libraries for Standard Webhooks accept: standard base64 after the prefix. */
export const newSecret = (random: Pick<Random, 'bytes'>): Secret =>
  new Secret(`${PREFIX}${random.bytes(SECRET_BYTES).toString('base64')}`)

/**
 * The key of Standard Webhooks: the bytes that the part after the prefix encodes. Secrets of earlier versions are 32
 * bytes in base64url, which Node decodes as well. Most libraries refuse its `-` and `_`, and accept the same secret with
 * `+` and `/` in their place.
 */
export const standardKey = (secret: Secret): Buffer => Buffer.from(secret.open().slice(PREFIX.length), 'base64')
