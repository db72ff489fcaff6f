import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'

/** PEM texts a TLS server starts with. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** PEM of the authority itself, for those who shall trust it. */
  readonly cert: string
  issue(names: readonly string[], validity?: Validity): Identity
}

interface Validity {
  readonly from: Date
  readonly to: Date
}

const HOUR_MS = 3_600_000

/** A certificate authority that lives as long as the test. Written out here so that no command-line tool is needed. */
export function createAuthority(commonName = 'Switchboard test authority'): Authority {
  const keys = newKeys()
  const issuer = { commonName, key: keys.privateKey }
  const cert = certificate({ issuer, subject: commonName, publicKey: keys.publicKey, extensions: [isAuthority] })
  return {
    cert,
    issue(names, validity) {
      const { publicKey, privateKey } = newKeys()
      const extensions = [alternativeNames(names)]
      return {
        cert: certificate({ issuer, subject: names[0] ?? '', publicKey, extensions, ...(validity && { validity }) }),
        key: pem(privateKey),
      }
    },
  }
}

/** A certificate that vouches for itself. */
export function selfSigned(names: readonly string[]): Identity {
  const { publicKey, privateKey } = newKeys()
  const subject = names[0] ?? ''
  const issuer = { commonName: subject, key: privateKey }
  return {
    cert: certificate({ issuer, subject, publicKey, extensions: [alternativeNames(names)] }),
    key: pem(privateKey),
  }
}

function newKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  return { publicKey, privateKey: createPrivateKey({ key: privateKey, type: 'pkcs8', format: 'der' }) }
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** An X.509 version 3 certificate (RFC 5280), signed with ECDSA and SHA-256. */
function certificate(of: {
  issuer: { commonName: string; key: KeyObject }
  subject: string
  publicKey: Buffer
  extensions: readonly Buffer[]
  validity?: Validity
}): string {
  const { from, to } = of.validity ?? { from: new Date(Date.now() - HOUR_MS), to: new Date(Date.now() + 24 * HOUR_MS) }
  const signedPart = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1]), randomBytes(15)),
    ECDSA_WITH_SHA256,
    name(of.issuer.commonName),
    der(SEQUENCE, time(from), time(to)),
    name(of.subject),
    of.publicKey,
    der(0xa3, der(SEQUENCE, ...of.extensions)),
  )
  const signature = sign('sha256', signedPart, of.issuer.key)
  const whole = der(SEQUENCE, signedPart, ECDSA_WITH_SHA256, der(BIT_STRING, Buffer.from([0]), signature))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const UTF8_STRING = 0x0c
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const ECDSA_WITH_SHA256 = der(SEQUENCE, oid('2a8648ce3d040302'))

const name = (commonName: string) =>
  der(SEQUENCE, der(SET, der(SEQUENCE, oid('550403'), der(UTF8_STRING, Buffer.from(commonName)))))

const time = (at: Date) => der(GENERALIZED_TIME, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, '')))

const extension = (id: string, value: Buffer) => der(SEQUENCE, oid(id), der(OCTET_STRING, value))

const isAuthority = extension('551d13', der(SEQUENCE, der(0x01, Buffer.from([0xff]))))

const alternativeNames = (names: readonly string[]) =>
  extension(
    '551d11',
    der(
      SEQUENCE,
      ...names.map((one) =>
        isIP(one) === 4 ? der(0x87, Buffer.from(one.split('.').map(Number))) : der(0x82, Buffer.from(one)),
      ),
    ),
  )
