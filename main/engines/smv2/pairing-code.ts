import type { BinaryNode } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'
import type { Library } from './library.ts'
import { errorText, QUERY_MS, queryErrorOf, type LinkingConnection } from './query.ts'
import { browserOf } from './wire.ts'

interface PairingCodesDeps {
  readonly clock: Pick<Clock, 'mono'>
  readonly random: Random
}

export interface PairingCodes {
  /** @throws ApiError while the network would refuse again. */
  requireAllowed(phone: string): void
  /**
   * Asks the network to let the phone with this number type a code.
   * @returns eight characters, once the network has agreed.
   * @throws ApiError rate_limited, upstream_unavailable
   */
  request(connection: LinkingConnection, phone: string): Promise<string>
}

interface Refusal {
  readonly phone: string
  readonly isThrottled: boolean
  readonly endsMono: number
  readonly error: ApiError
}

const CODE_BYTES = 5
const THROTTLED_MS = 300_000
/** A client that polls for a code must not cause a query every second. */
const REFUSED_MS = 30_000
const TOO_MANY = 429

/**
 * The library shows a code before the network has answered, and never sees that it was refused. Its listener for what
 * the phone answers is used as it is: it needs `me` and `pairingCode` of the credentials.
 */
export function createPairingCodes({ clock, random }: PairingCodesDeps): PairingCodes {
  let refusal: Refusal | undefined
  let asking: { readonly phone: string; readonly code: Promise<string> } | undefined

  function refused(phone: string, error: unknown): ApiError {
    const { code } = queryErrorOf(error)
    const isThrottled = code === TOO_MANY
    const answer = isThrottled ? throttled() : refusedFor(errorText(error))
    const endsMono = clock.mono() + (isThrottled ? THROTTLED_MS : REFUSED_MS)
    if (code !== null) refusal = { phone, isThrottled, endsMono, error: answer }
    return answer
  }

  async function ask({ library, sock, session: { creds } }: LinkingConnection, phone: string): Promise<string> {
    const code = library.bytesToCrockford(random.bytes(CODE_BYTES))
    creds.pairingCode = code
    creds.me = { id: library.jidEncode(phone, 's.whatsapp.net'), name: '~' }
    try {
      const hello = await helloOf(library, creds, code, random)
      if ((await sock.query(hello, QUERY_MS)) === undefined) throw new Error('no response')
      return code
    } catch (error) {
      // With them the next notification would be taken for one of a device that knows who it is.
      if (creds.account === undefined) Object.assign(creds, { me: undefined, pairingCode: undefined })
      throw refused(phone, error)
    }
  }

  return {
    requireAllowed(phone) {
      if (!refusal || clock.mono() >= refusal.endsMono) return
      if (refusal.isThrottled || refusal.phone === phone) throw refusal.error
    },
    request(connection, phone) {
      if (asking?.phone === phone) return asking.code
      const code = ask(connection, phone).finally(() => {
        if (asking?.code === code) asking = undefined
      })
      asking = { phone, code }
      return code
    },
  }
}

type Credentials = LinkingConnection['session']['creds']

async function helloOf(library: Library, creds: Credentials, code: string, random: Random): Promise<BinaryNode> {
  const browser = browserOf(library)
  const salt = random.bytes(32)
  const iv = random.bytes(16)
  const key = await library.derivePairingCodeKey(code, salt)
  const wrapped = Buffer.concat([salt, iv, library.aesEncryptCTR(creds.pairingEphemeralKeyPair.public, key, iv)])
  const child = (tag: string, content: Uint8Array | string): BinaryNode => ({ tag, attrs: {}, content })
  return {
    tag: 'iq',
    attrs: { to: library.S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
    content: [
      {
        tag: 'link_code_companion_reg',
        attrs: { jid: creds.me?.id ?? '', stage: 'companion_hello', should_show_push_notification: 'true' },
        content: [
          child('link_code_pairing_wrapped_companion_ephemeral_pub', wrapped),
          child('companion_server_auth_key_pub', creds.noiseKey.public),
          child('companion_platform_id', library.getCompanionPlatformId(browser)),
          // The network refuses an operating system that it does not know.
          child('companion_platform_display', `${browser[1]} (${browser[0]})`),
          child('link_code_pairing_nonce', '0'),
        ],
      },
    ],
  }
}

const throttled = () =>
  new ApiError(
    'rate_limited',
    'WhatsApp limits how often pairing codes are requested (429). Scan the QR code, or wait five minutes.',
    { 'Retry-After': String(THROTTLED_MS / 1_000) },
  ).because('pairing_codes_limited')

const refusedFor = (reason: string) =>
  new ApiError(
    'upstream_unavailable',
    `WhatsApp did not issue a pairing code (${reason}). Check the phone number, or scan the QR code.`,
  ).because('pairing_code_refused')
