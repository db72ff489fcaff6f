import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Curve, derivePairingCodeKey } from 'baileys'
import type { ApplicantInside, CodeRequest } from './applicant.ts'
import type { PhoneInside } from './people.ts'
import { bytesOf, stanza } from './stanza.ts'

const SALT_BYTES = 32

const hkdf = (input: Buffer, info: string, salt: Buffer = Buffer.alloc(0)) =>
  Buffer.from(hkdfSync('sha256', input, salt, info, 32))

/** Both sides know the pairing code. From it and from their keys they derive a secret that the server does not have. */
export async function agreeOnSecret(
  one: ApplicantInside,
  { wrappedKey, ref }: CodeRequest,
  phone: PhoneInside,
  code: string,
): Promise<Buffer> {
  const companionEphemeral = await unwrapKey(wrappedKey, code)
  const ephemeral = Curve.generateKeyPair()
  const finished = one.finish()
  one.notify('link_code_companion_reg', [
    stanza('link_code_companion_reg', { stage: 'primary_hello' }, [
      stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, await wrapKey(Buffer.from(ephemeral.public), code)),
      stanza('primary_identity_pub', {}, Buffer.from(phone.signal.identity.public)),
      stanza('link_code_pairing_ref', {}, Buffer.from(ref)),
    ]),
  ])
  const bundle = bytesOf(await finished, 'link_code_pairing_wrapped_key_bundle')
  const shared = Buffer.from(Curve.sharedKey(ephemeral.private, companionEphemeral))
  const random = openBundle(bundle, shared, one.registration.identity, phone)
  const identities = Buffer.from(Curve.sharedKey(phone.signal.identity.private, one.registration.identity))
  return hkdf(Buffer.concat([shared, identities, random]), 'adv_secret')
}

async function unwrapKey(wrapped: Buffer, code: string): Promise<Buffer> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, SALT_BYTES))
  const decipher = createDecipheriv('aes-256-ctr', key, wrapped.subarray(SALT_BYTES, SALT_BYTES + 16))
  return Buffer.concat([decipher.update(wrapped.subarray(SALT_BYTES + 16)), decipher.final()])
}

async function wrapKey(key: Buffer, code: string): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', await derivePairingCodeKey(code, salt), iv)
  return Buffer.concat([salt, iv, cipher.update(key), cipher.final()])
}

/** @throws if the two sides do not have the same code. */
function openBundle(bundle: Buffer, shared: Buffer, companion: Buffer, phone: PhoneInside): Buffer {
  const salt = bundle.subarray(0, SALT_BYTES)
  const iv = bundle.subarray(SALT_BYTES, SALT_BYTES + 12)
  const sealed = bundle.subarray(SALT_BYTES + 12)
  const key = hkdf(shared, 'link_code_pairing_key_bundle_encryption_key', salt)
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(sealed.subarray(-16))
  let plain: Buffer
  try {
    plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  } catch {
    throw new Error('this is not the code the client shows')
  }
  const expected = Buffer.concat([companion, phone.signal.identity.public])
  if (!plain.subarray(0, 64).equals(expected)) throw new Error('the client vouches for other keys')
  return plain.subarray(64)
}
