import { createHmac, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { until } from '../service-process.ts'
import { demandSignature, placeFor, signAccount } from './account-signature.ts'
import { createApplicant, type Applicant } from './applicant.ts'
import type { FaultsInside } from './faults.ts'
import type { Introduction, Link } from './link.ts'
import { createLinkedDevice, type LinkedDevice } from './linked-device.ts'
import { agreeOnSecret } from './pairing-code.ts'
import type { PhoneInside } from './people.ts'
import { lidJid, numberJid, seconds, stanza } from './stanza.ts'

export interface Pairings {
  /** Greets a client that is linked to nobody yet. */
  greet(link: Link, introduction: Introduction): Pick<Applicant, 'hear' | 'gone'>
  scan(phone: PhoneInside, qr: string, how?: { readonly tamper?: 'hmac' | 'account_signature' }): Promise<LinkedDevice>
  enter(phone: PhoneInside, code: string): Promise<LinkedDevice>
}

/** A client shows its code before the server has heard of it. */
const PATIENCE_MS = 500
const QR_PREFIX = 'https://wa.me/settings/linked_devices#'

export function createPairings(faults: Pick<FaultsInside, 'withholdsRestart'>): Pairings {
  const waiting = new Set<Applicant>()

  async function link(one: Applicant, phone: PhoneInside, secret: Buffer, tamper?: string): Promise<LinkedDevice> {
    const place = placeFor(phone)
    const signed = signAccount(phone, one.registration.identity, place.keyIndex, tamper === 'account_signature')
    const details = Buffer.from(proto.ADVSignedDeviceIdentity.encode(signed).finish())
    const hmac = createHmac('sha256', tamper === 'hmac' ? randomBytes(32) : secret)
      .update(details)
      .digest()
    const identity = proto.ADVSignedDeviceIdentityHMAC.encode({ details, hmac }).finish()
    const success = stanza('pair-success', {}, [
      stanza('device-identity', {}, identity),
      stanza('device', { jid: numberJid(phone.number, place.id), lid: lidJid(phone.lid, place.id) }),
      stanza('platform', { name: 'android' }),
    ])
    const answer = await one.ask([success], { t: seconds() })
    demandSignature(answer, signed, one.registration.identity)
    const device = createLinkedDevice(phone, place, one.registration)
    phone.link(device)
    if (faults.withholdsRestart) return device
    one.link.send(stanza('stream:error', { code: '515' }))
    one.link.close()
    return device
  }

  const askedFor = (number: string) => {
    const one = [...waiting].find(({ codeRequest }) => codeRequest?.number === number)
    return one?.codeRequest && { one, request: one.codeRequest }
  }

  return {
    greet(link, introduction) {
      const one = createApplicant(link, introduction)
      waiting.add(one)
      return {
        hear: one.hear,
        gone() {
          waiting.delete(one)
          one.gone()
        },
      }
    },
    async scan(phone, qr, how = {}) {
      const { ref, noiseKey, identity, secret } = readQr(qr)
      const one = [...waiting].find(({ refs }) => refs.includes(ref))
      if (one === undefined) throw new Error('this QR code is not valid any more')
      const { registration } = one
      if (!registration.clientKey.equals(noiseKey) || !registration.identity.equals(identity))
        throw new Error('this QR code shows other keys than the client has')
      return link(one, phone, secret, how.tamper)
    },
    async enter(phone, code) {
      const sought = `somebody asks for a code for ${phone.number}`
      const { one, request } = await until(sought, () => askedFor(phone.number), PATIENCE_MS)
      const secret = await agreeOnSecret(one, request, phone, code.replace('-', ''))
      return link(one, phone, secret)
    },
  }
}

function readQr(qr: string) {
  if (!qr.startsWith(QR_PREFIX)) throw new Error('this QR code does not link a device')
  const [ref = '', noiseKey = '', identity = '', secret = ''] = qr.slice(QR_PREFIX.length).split(',')
  const key = (base64: string) => Buffer.from(base64, 'base64')
  return { ref, noiseKey: key(noiseKey), identity: key(identity), secret: key(secret) }
}
