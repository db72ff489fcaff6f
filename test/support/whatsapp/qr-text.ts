/** The fields in the text of a QR code. */
export interface QrFields {
  readonly ref: string
  readonly noiseKey: Buffer
  readonly identity: Buffer
  /** The ADV secret, 32 bytes. Only a phone that sees the code has it. */
  readonly secret: Buffer
}

const PREFIX = 'https://wa.me/settings/linked_devices#'

/** @throws if the code does not link a device. */
export function readQr(qr: string): QrFields {
  if (!qr.startsWith(PREFIX)) throw new Error('this QR code does not link a device')
  const [ref = '', noiseKey = '', identity = '', secret = ''] = qr.slice(PREFIX.length).split(',')
  const key = (base64: string) => Buffer.from(base64, 'base64')
  return { ref, noiseKey: key(noiseKey), identity: key(identity), secret: key(secret) }
}
