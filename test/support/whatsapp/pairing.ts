import { createHmac, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { until } from '../service-process.ts'
import { demandSignature, placeFor, signAccount } from './account-signature.ts'
import { createApplicant, type Applicant, type ApplicantInside } from './applicant.ts'
import type { FaultsInside } from './faults.ts'
import type { Introduction, Link } from './link.ts'
import { createLinkedDevice, type LinkedDevice } from './linked-device.ts'
import { agreeOnSecret } from './pairing-code.ts'
import { holdCeremony } from './passkey-ceremony.ts'
import type { PhoneInside } from './people.ts'
import { readQr } from './qr-text.ts'
import { lidJid, numberJid, seconds, stanza } from './stanza.ts'

export interface Pairings {
  /** The client that shows this QR code; by default, the client that connected last. @throws if there is none. */
  applicant(qr?: string): Applicant
  /** Greets a client that is not linked yet. */
  greet(link: Link, introduction: Introduction): Pick<ApplicantInside, 'hear' | 'gone'>
  scan(phone: PhoneInside, qr: string, how?: { readonly tamper?: 'hmac' | 'account_signature' }): Promise<LinkedDevice>
  enter(phone: PhoneInside, code: string): Promise<LinkedDevice>
}

/** How long to wait for a client that shows its code before its request has reached the server. */
const PATIENCE_MS = 500
/** Further elements that servers send and clients may ignore. */
const LATER_CHILDREN = ['jurisdiction', 'encryption-metadata', 'client-props'].map((tag) => stanza(tag))

export function createPairings(
  faults: Pick<FaultsInside, 'withholdsRestart' | 'atPasskeyStep' | 'pairingCodeRefusal'>,
): Pairings {
  const waiting = new Set<ApplicantInside>()
  const applicants: ApplicantInside[] = []
  const seenByCamera = new WeakSet<Applicant>()

  async function linkWithPasskey(
    one: ApplicantInside,
    phone: PhoneInside,
    secret: Buffer,
    tamper?: string,
  ): Promise<LinkedDevice> {
    if (one.ceremony && !one.ceremony.isOver) throw new Error('this client is being linked already')
    one.ceremony = holdCeremony({ applicant: one, phone, secret, faults })
    return link(one, phone, await one.ceremony.secret, tamper)
  }

  async function link(
    one: ApplicantInside,
    phone: PhoneInside,
    secret: Buffer,
    tamper?: string,
  ): Promise<LinkedDevice> {
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
      ...(one.ceremony ? LATER_CHILDREN : []),
    ])
    const answer = await one.ask([success], { t: seconds() })
    demandSignature(answer, signed, one.registration.identity)
    const device = createLinkedDevice(phone, place, one.registration)
    phone.link(device)
    if (one.ceremony && faults.atPasskeyStep('pair-success')) one.drop()
    if (faults.withholdsRestart) return device
    one.link.send(stanza('stream:error', { code: '515' }))
    one.link.close()
    return device
  }

  const askedFor = (number: string) => {
    const one = [...waiting].find(({ codeRequest }) => codeRequest?.number === number)
    return one?.codeRequest && { one, request: one.codeRequest }
  }

  /**
   * When the phone's camera app opens the code as a link, the network first requires a new secret, and this scan has
   * no effect.
   */
  function isScanWasted(one: ApplicantInside, { habits }: PhoneInside, text: string): boolean {
    if (one.isOutdated(readQr(text))) return true
    if (habits.scansWith === 'app' || seenByCamera.has(one)) return false
    seenByCamera.add(one)
    one.refresh(text, habits.refreshTag)
    return true
  }

  return {
    applicant(qr) {
      const shown = qr === undefined ? undefined : readQr(qr)
      const found = applicants.findLast((one) => shown === undefined || one.shows(shown))
      if (found === undefined) throw new Error('no client waits to be linked')
      return found
    },
    greet(link, introduction) {
      const one = createApplicant(link, introduction, faults)
      waiting.add(one)
      applicants.push(one)
      return {
        hear: one.hear,
        gone() {
          waiting.delete(one)
          one.gone()
        },
      }
    },
    async scan(phone, text, how = {}) {
      const qr = readQr(text)
      const one = [...waiting].find((each) => each.shows(qr) && !each.isExpired)
      if (one === undefined) throw new Error('this QR code is not valid any more')
      const { registration } = one
      if (!registration.clientKey.equals(qr.noiseKey) || !registration.identity.equals(qr.identity))
        throw new Error('this QR code shows other keys than the client has')
      if (isScanWasted(one, phone, text)) throw new Error('could not link the device, check the connection')
      const linkAs = phone.habits.passkey === 'none' ? link : linkWithPasskey
      return linkAs(one, phone, qr.secret, how.tamper)
    },
    async enter(phone, code) {
      const sought = `somebody asks for a code for ${phone.number}`
      const { one, request } = await until(sought, () => askedFor(phone.number), PATIENCE_MS)
      const secret = await agreeOnSecret(one, request, phone, code.replace('-', ''))
      const linkAs = phone.habits.passkey === 'none' ? link : linkWithPasskey
      return linkAs(one, phone, secret)
    },
  }
}
