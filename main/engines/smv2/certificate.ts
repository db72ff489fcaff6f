import type * as library from 'baileys'
import type { Clock } from '../../kernel/clock.ts'

type Handshake = Pick<typeof library, 'Curve' | 'proto'>
type Now = Clock['now']

/** The code of a connection that ends because a certificate is not valid at this time. The others end with 400. */
export const CERTIFICATE_DATES = 495
const INVALID = 400

const clocks = new WeakMap<object, { now: Now }>()

/**
 * The library checks that the network's root signed both certificates, and nothing else of them. Without the key a chain
 * that anybody has recorded would do for any server. Dates and issuer are checked as WhatsApp's own client does.
 * @param now of the computer.
 */
export function checkCertificates({ Curve, proto }: Handshake, now: Now): void {
  const known = clocks.get(proto.CertChain)
  if (known !== undefined) return void (known.now = now)
  const clock = { now }
  clocks.set(proto.CertChain, clock)

  // The last key it agrees on before it reads the certificates, without a pause, is the server's.
  let serverKey: Uint8Array = new Uint8Array()
  const agree = Curve.sharedKey
  Curve.sharedKey = (privateKey, publicKey) => {
    serverKey = publicKey
    return agree(privateKey, publicKey)
  }
  const decode = proto.CertChain.decode.bind(proto.CertChain)
  proto.CertChain.decode = (bytes, length) => {
    const chain = decode(bytes, length)
    const { Details } = proto.CertChain.NoiseCertificate
    const [leaf, intermediate] = [chain.leaf, chain.intermediate].map((one) => Details.decode(one?.details ?? NOTHING))
    if (leaf === undefined || intermediate === undefined || leaf.issuerSerial !== intermediate.serial)
      throw ended('The certificate names another issuer', INVALID)
    if (!Buffer.from(leaf.key ?? NOTHING).equals(serverKey))
      throw ended('The certificate is about another key', INVALID)
    const nowSeconds = clock.now() / 1_000
    for (const { notBefore, notAfter } of [intermediate, leaf])
      if (nowSeconds < Number(notBefore ?? 0) || nowSeconds > Number(notAfter ?? 0))
        throw ended('A certificate is not valid at this time', CERTIFICATE_DATES)
    return chain
  }
}

const NOTHING = new Uint8Array()

/** The error has the form in which the library reports the end of a connection. */
const ended = (message: string, statusCode: number) => Object.assign(new Error(message), { output: { statusCode } })
