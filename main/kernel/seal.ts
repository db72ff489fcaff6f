import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type { Random } from './ids.ts'
import { Secret } from './secret.ts'

/** Where the master key comes from; the vault while it is open. */
export interface MasterKey {
  /** 32 bytes, or null while the vault cannot be read. */
  key(): Buffer | null
}

/** Encrypts what the database may hold only unreadable: webhook secrets, tokens, sessions. */
export interface Seal {
  /** `sealed`: secrets can be neither written nor read until the vault answers. */
  state(): 'open' | 'sealed'
  /**
   * @param owner names the row and column it belongs to, for example `webhook:whk_…`; a value moved to another row
   * does not open there.
   * @throws ApiError sealed
   */
  seal(plain: Secret | Buffer, owner: string): Buffer
  /** @throws ApiError sealed; SealBroken when the value was altered or belongs to another owner. */
  open(sealed: Uint8Array, owner: string): Secret
  /** As `open`, for what is not text. */
  openBytes(sealed: Uint8Array, owner: string): Buffer
}

/** A sealed value that does not open although the key is the right one. */
export class SealBroken extends Error {
  constructor(owner: string) {
    super(`The sealed value of ${owner} does not open: it was altered or belongs to another row.`)
    this.name = 'SealBroken'
  }
}

/** How soon a caller without the key tries again. Unlike a network failure, the delay does not grow. */
export const SEALED_RETRY_MS = 5_000

/** Whether this is how a seal refuses while the vault is not open. */
export const isSealed = (error: unknown): boolean => error instanceof ApiError && error.code === 'sealed'

const CIPHER = 'aes-256-gcm'
/** The first byte of every sealed value: the version of its format. */
const FORM = 1
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const HEAD_LENGTH = 1 + NONCE_LENGTH

/** Sealed form: one byte of form, 12 of nonce, the ciphertext, 16 of tag. */
export function createSeal({ masterKey, random }: { masterKey: MasterKey; random: Random }): Seal {
  let derived: { from: Buffer; key: Buffer } | null = null

  const key = (): Buffer => {
    const master = masterKey.key()
    if (!master) throw sealedNow()
    if (derived?.from !== master) derived = { from: master, key: derive(master) }
    return derived.key
  }

  const openBytes = (sealed: Uint8Array, owner: string): Buffer => {
    const current = key()
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    if (bytes.length < HEAD_LENGTH + TAG_LENGTH || bytes[0] !== FORM) throw new SealBroken(owner)
    const decipher = createDecipheriv(CIPHER, current, bytes.subarray(1, HEAD_LENGTH), { authTagLength: TAG_LENGTH })
    decipher.setAAD(bound(owner))
    decipher.setAuthTag(bytes.subarray(-TAG_LENGTH))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(HEAD_LENGTH, -TAG_LENGTH)), decipher.final()])
    } catch {
      throw new SealBroken(owner)
    }
  }

  return {
    state: () => (masterKey.key() ? 'open' : 'sealed'),
    seal(plain, owner) {
      const nonce = random.bytes(NONCE_LENGTH)
      const cipher = createCipheriv(CIPHER, key(), nonce, { authTagLength: TAG_LENGTH })
      cipher.setAAD(bound(owner))
      const content = plain instanceof Secret ? Buffer.from(plain.open()) : plain
      return Buffer.concat([Buffer.from([FORM]), nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
    },
    open: (sealed, owner) => new Secret(openBytes(sealed, owner).toString()),
    openBytes,
  }
}

/** The form byte is authenticated too, so a value cannot be passed off as one of another form. */
const bound = (owner: string) => Buffer.concat([Buffer.from([FORM]), Buffer.from(owner)])

/** The master key itself encrypts nothing: other uses can be derived beside this one. */
const derive = (master: Buffer) => Buffer.from(hkdfSync('sha256', master, '', 'switchboard seal 1', 32))

function sealedNow(): ApiError {
  return new ApiError(
    'sealed',
    'The keychain is locked or unavailable, so secrets cannot be read or written. Unlock it and retry.',
  )
}
