import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import type { Phone } from '../whatsapp/index.ts'
import { sha256, uint } from './bytes.ts'

/** A discoverable P-256 credential for the network’s site. */
export type OwnPasskey = Phone['passkey']

export const RP_ID = 'whatsapp.com'
export const ORIGIN = 'https://web.whatsapp.com'
const [PRESENT, VERIFIED] = [1, 4]

export function createOwnPasskey(): OwnPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(20)
  const userHandle = randomBytes(12)
  return {
    credentialId,
    publicKey,
    assert({ challenge }, flaws = {}) {
      const client = {
        type: flaws.type ?? 'webauthn.get',
        challenge: flaws.challenge ?? challenge,
        origin: flaws.origin ?? ORIGIN,
        crossOrigin: flaws.crossOrigin ?? false,
      }
      const clientData = Buffer.from(JSON.stringify(client))
      const isPresent = (flaws.isUserPresent ?? true) ? PRESENT : 0
      const isVerified = (flaws.isUserVerified ?? true) ? VERIFIED : 0
      const flags = Buffer.from([isPresent | isVerified])
      const authenticatorData = Buffer.concat([sha256(Buffer.from(flaws.rpId ?? RP_ID)), flags, uint(0, 4)])
      const signing =
        (flaws.isForged ?? false) ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : privateKey
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), signing)
      return {
        ...{ id: text(credentialId), rawId: text(credentialId), type: 'public-key' },
        response: {
          ...{ clientDataJSON: text(clientData), authenticatorData: text(authenticatorData) },
          ...{ signature: text(signature), userHandle: text(userHandle) },
        },
        ...{ authenticatorAttachment: 'platform', clientExtensionResults: {} },
      }
    },
    forVirtualAuthenticator: () => ({
      ...{ credentialId: credentialId.toString('base64'), privateKey: pkcs8(privateKey), rpId: RP_ID },
      ...{ userHandle: userHandle.toString('base64'), isResidentCredential: true, signCount: 0 },
    }),
  }
}

const text = (bytes: Buffer) => bytes.toString('base64url')
const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64')
