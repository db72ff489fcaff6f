import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import type { Known } from './speech.ts'

const IV_BYTES = 12
const SECRET_BYTES = 32
const { SecretEncType } = proto.Message.SecretEncryptedMessage

/** The secret that a phone adds to a message, with which later changes to that message are encrypted. */
export const newSecret = (): proto.IMessageContextInfo => ({ messageSecret: randomBytes(SECRET_BYTES) })

interface SealedAbout {
  readonly encPayload: Uint8Array
  readonly encIv: Uint8Array
}

/**
 * Encrypts something about a message with the secret of the message. Everyone who has the message can read it, but
 * the server cannot.
 * @param by the address of the sender. @param author the address of the message's author.
 * @throws if the message has no secret.
 */
export function sealAbout(
  { key, content }: Pick<Known, 'key' | 'content'>,
  { by, author, use }: { readonly by: string; readonly author: string; readonly use: string },
  plain: Uint8Array,
  authenticated = '',
): SealedAbout {
  const secret = content.messageContextInfo?.messageSecret
  if (!secret) throw new Error(`${key.id ?? ''} came without a secret`)
  const sealingKey = Buffer.from(hkdfSync('sha256', secret, '', `${key.id ?? ''}${author}${by}${use}`, 32))
  const encIv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey, encIv).setAAD(Buffer.from(authenticated))
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv }
}

/** The kinds of encrypted changes: of a text message, a poll, the options of a poll, or an event. */
export const SEALED_CHANGES = {
  message: { type: SecretEncType.MESSAGE_EDIT, use: 'Message Edit' },
  event: { type: SecretEncType.EVENT_EDIT, use: 'Event Edit' },
  // The library does not know these newer kinds.
  poll: { type: 4 as proto.Message.SecretEncryptedMessage.SecretEncType, use: 'Poll Edit' },
  poll_option: { type: 5 as proto.Message.SecretEncryptedMessage.SecretEncType, use: 'Poll Edit' },
} as const

/** @param names the addresses under which the phone knows the author of the message and the author of the change. */
export function sealedChange(
  of: Known,
  names: { readonly by: string; readonly author: string },
  kind: keyof typeof SEALED_CHANGES,
  content: proto.IMessage,
): proto.IMessage {
  const { type: secretEncType, use } = SEALED_CHANGES[kind]
  const sealed = sealAbout(of, { ...names, use }, proto.Message.encode(content).finish())
  return { secretEncryptedMessage: { targetMessageKey: of.key, secretEncType, ...sealed } }
}
