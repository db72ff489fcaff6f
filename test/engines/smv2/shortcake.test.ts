import { createDecipheriv, createHash } from 'node:crypto'
import * as baileys from 'baileys'
import { describe, expect, test } from 'vitest'
import {
  comparisonCodeOf,
  handoffKeyOf,
  handoffProofOf,
  pairingKeyOf,
  prologueOf,
  publicKeyOf,
  sealedPairingRequest,
} from '../../../main/engines/smv2/shortcake.ts'

const times = (byte: number, count = 32) => Buffer.alloc(count, byte)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Our own arithmetic, written down once more by somebody else: no published vector exists. */
describe('an independent test vector of the passkey protocol', () => {
  const companion = times(0x11)
  const primary = { publicKey: publicKeyOf(times(0x22)), nonce: times(0x44) }
  const nonce = times(0x33)
  const identity = { publicKey: publicKeyOf(companion), deviceType: 1, ref: 'TEST-REF' }
  const prologue = prologueOf(baileys, identity, nonce)
  const handoffKey = handoffKeyOf(times(0x55))
  const key = pairingKeyOf(companion, primary, identity)
  const request = sealedPairingRequest(
    baileys,
    { companionPublicKey: times(0x66), companionIdentityKey: times(0x77), advSecret: times(0x88) },
    key,
    times(0x99, 12),
  )

  test('matches the public keys of both sides', () => {
    expect([identity.publicKey.toString('hex'), primary.publicKey.toString('hex')]).toEqual([
      '7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13',
      '0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20',
    ])
  })

  test('matches the commitment and the prologue', () => {
    const { commitment } = baileys.proto.ProloguePayload.decode(prologue)
    expect(Buffer.from(commitment?.hash ?? []).toString('hex')).toBe(
      '26a35b6c211fa40e7651537410da78b83587e17acae2aca8765dd4d17dd5799a',
    )
    expect([prologue.length, sha256(prologue)]).toEqual([
      84,
      '1e9a0b216a5c2fbb3bd4897cc5482cec96789cce4579ee07d122f35a13df27b5',
    ])
  })

  test('matches the proof', () => {
    expect([handoffKey.toString('hex'), handoffProofOf(handoffKey, prologue).toString('hex')]).toEqual([
      '573a1b8d099e43c0b9e9d4bf6bd2b96ccb89579b524177d296337a277bc8b513',
      '1d68ce061f60da99aea7aea8f4b369c6c2acc070eadf340e027d3e65cbbbd8f1',
    ])
  })

  test('matches the comparison code and the key', () => {
    expect(comparisonCodeOf(baileys, primary, nonce)).toBe('PYSL-SH11')
    expect(key.toString('hex')).toBe('881d46c4667535aeae00ca3b3e540f9d581640f948698f37162fe7f882501a49')
  })

  test('matches the encrypted request, which can be decrypted', () => {
    expect([request.length, sha256(request)]).toEqual([
      134,
      '184dc83e22bbbea25740bd8ab180d1004751db70fc87fa892c9e585d86e8be79',
    ])
    const { encryptedPayload, iv } = baileys.proto.EncryptedPairingRequest.decode(request)
    const sealed = Buffer.from(encryptedPayload ?? [])
    const decipher = createDecipheriv('aes-256-gcm', key, iv ?? Buffer.alloc(0)).setAuthTag(sealed.subarray(-16))
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    expect(plain).toHaveLength(102)
    expect(Buffer.from(baileys.proto.PairingRequest.decode(plain).advSecret ?? [])).toEqual(times(0x88))
  })
})

test('a public key of low order is refused', () => {
  expect(() => pairingKeyOf(times(0x11), { publicKey: times(0) }, { deviceType: 1, ref: 'r' })).toThrow()
})
