import { createHash } from 'node:crypto'
import { until } from './sip-calls.ts'
import { createDigest } from './sip-digest.ts'
import { listenForLinks, type SipLink } from './sip-links.ts'
import {
  branchOf,
  header,
  headers,
  methodOf,
  parseMessage,
  requestUri,
  statusOf,
  tagOf,
  uriOf,
  writeMessage,
  type Header,
  type SipMessage,
} from './sip-messages.ts'

const WRITTEN_ANEW = ['content-type', 'content-length', 'via', 'route', 'record-route', 'max-forwards']

/**
 * What stands between a trunk's subscriber and other telephones: a registrar with digest, and a stateless proxy that stays
 * in the path (RFC 3261, sections 10 and 16.11).
 */
export async function proxy(user: string, password: string, address: string) {
  const digest = createDigest(user, password)
  let subscriber: { readonly target: string; readonly link: SipLink } | undefined
  let registrations = 0
  const callers = new Map<string, SipLink>()

  const server = await listenForLinks({ transport: 'tcp', address }, (link) =>
    link.onMessage((text) => take(parseMessage(text), link)),
  )
  const route = `<sip:${address}:${server.port};transport=tcp;lr>`

  function take(message: SipMessage, from: SipLink): void {
    if (methodOf(message) === 'REGISTER') return register(message, from)
    const callId = header(message, 'call-id')
    const isFromSubscriber = from === subscriber?.link
    if (!isFromSubscriber) callers.set(callId, from)
    const to = isFromSubscriber ? callers.get(callId) : subscriber?.link
    if (statusOf(message) === undefined) to?.send(forward(message))
    else to?.send(write(message, message.firstLine, headers(message, 'via').slice(1)))
  }

  function forward(request: SipMessage): string {
    const isInDialog = tagOf(header(request, 'to')) !== undefined
    // A CANCEL and the ACK of a refusal belong to the INVITE's branch, and so do their copies.
    const branch = createHash('md5').update(branchOf(request)).digest('hex')
    const target = isInDialog && methodOf(request) !== 'ACK' ? requestUri(request) : targetOf(request)
    return write(
      request,
      `${methodOf(request)} ${target} SIP/2.0`,
      [`SIP/2.0/TCP ${address}:${server.port};branch=z9hG4bK${branch}`, ...headers(request, 'via')],
      [
        ['Max-Forwards', String(Number(header(request, 'max-forwards')) - 1)],
        ...headers(request, 'route')
          .slice(1)
          .map((value): Header => ['Route', value]),
        ...(isInDialog ? [] : [['Record-Route', route] as const]),
      ],
    )
  }

  /** The address of record is replaced by where the subscriber is. */
  const targetOf = (request: SipMessage) =>
    requestUri(request).startsWith(`sip:${user}@`) && subscriber !== undefined ? subscriber.target : requestUri(request)

  function write(message: SipMessage, firstLine: string, via: readonly string[], more: readonly Header[] = []): string {
    const recorded = statusOf(message) === undefined ? [] : headers(message, 'record-route')
    return writeMessage(
      firstLine,
      [
        ...via.map((value): Header => ['Via', value]),
        ...recorded.map((value): Header => ['Record-Route', value]),
        ...more,
        ...message.headers.filter(([name]) => !WRITTEN_ANEW.includes(name)),
      ],
      message.body,
    )
  }

  function register(request: SipMessage, link: SipLink): void {
    const isRight = digest.isRight(request, 'authorization')
    const contact = header(request, 'contact')
    const isOver = /;expires=0\b/.test(contact)
    if (isRight) {
      registrations++
      subscriber = isOver ? undefined : { target: uriOf(contact), link }
    }
    link.send(
      writeMessage(isRight ? 'SIP/2.0 200 OK' : 'SIP/2.0 401 Unauthorized', [
        ...headers(request, 'via').map((value): Header => ['Via', value]),
        ...([
          ['From', header(request, 'from')],
          ['To', `${header(request, 'to')};tag=registrar`],
          ['Call-ID', header(request, 'call-id')],
          ['CSeq', header(request, 'cseq')],
        ] as const),
        isRight ? ['Contact', contact] : ['WWW-Authenticate', digest.challenge()],
      ]),
    )
  }

  return {
    port: server.port,
    /** What the other telephones dial. */
    uri: `sip:${user}@${address}:${server.port}`,
    registered: () => until(() => registrations > 0 && subscriber !== undefined, 'The registration'),
    isRegistered: () => subscriber !== undefined,
  }
}
