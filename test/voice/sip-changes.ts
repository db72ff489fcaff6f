import { header, headers, methodOf, uriOf, type SipMessage } from './sip-messages.ts'
import type { RtpPhone } from './rtp-phone.ts'

/**
 * What an exchange does with what its subscriber asks for in a running call: another offer (RFC 3261, section 14, and
 * 3264, section 8) and a transfer (RFC 3515). Nothing here is the product's.
 */

/** `silent` answers nothing, `tries` only that it is at work, a number is a status; `stays` accepts it without a direction. */
type OfferAnswer = 'accepts' | 'stays' | 'silent' | 'tries' | number

export interface ChangeOptions {
  /** @param count which offer of the call it is, from 1. */
  readonly onReinvite?: (count: number) => OfferAnswer
  readonly onRefer?: 'silent' | number
}

type Reply = (status: number, body?: string) => void

const MIRRORED: Record<string, string> = { sendonly: 'recvonly', recvonly: 'sendonly', inactive: 'inactive' }

const directionOf = (sdp: string) => /^a=(sendrecv|sendonly|recvonly|inactive)\r?$/m.exec(sdp)?.[1] ?? 'sendrecv'
const numberOf = (request: SipMessage) => Number(header(request, 'cseq').split(' ')[0])
const originOf = (sdp: string) => /^o=\S+ (\d+) (\d+) /m.exec(sdp)?.slice(1).map(Number) ?? []
const withoutOrigin = (sdp: string) => sdp.replace(/^o=.*$/m, '')

export function createChanges({ onReinvite = () => 'accepts', onRefer = 202 }: ChangeOptions, phone: RtpPhone) {
  /** Session descriptions of the subscriber's offers. */
  const offers: string[] = []
  const offeredAtMs: number[] = []
  const requests: SipMessage[] = []
  /** Where callers were to be transferred to. */
  const targets: string[] = []
  /** What the standards do not allow. */
  const faults: string[] = []
  const unacknowledged = new Set<number>()
  let late: (() => void) | undefined
  let again: (() => void) | undefined
  let lastNumber = 0
  let lastSdp = ''
  let version = 1

  function checkOrigin(sdp: string): void {
    const [[session, before = 0], [sameSession, after]] = [originOf(lastSdp), originOf(sdp)]
    if (session !== sameSession) faults.push('another session in o=')
    const isSame = withoutOrigin(lastSdp) === withoutOrigin(sdp)
    if (after !== before + (isSame ? 0 : 1)) faults.push(`version ${after} after ${before}`)
    lastSdp = sdp
  }

  function describe(direction: string): string {
    return phone.describe('0 101', { version: ++version, direction })
  }

  function reinvite(request: SipMessage, reply: Reply): void {
    offers.push(request.body)
    offeredAtMs.push(performance.now())
    checkOrigin(request.body)
    const number = numberOf(request)
    const answer = onReinvite(offers.length)
    const accept = (mirrored: string) => {
      if (directionOf(request.body) === 'sendrecv') phone.talkTo(request.body)
      else phone.pause()
      const body = describe(mirrored)
      again = () => {
        unacknowledged.add(number)
        reply(200, body)
      }
      again()
    }
    const mirrored = MIRRORED[directionOf(request.body)] ?? 'sendrecv'
    late = () => accept(mirrored)
    if (answer === 'silent') return
    reply(100)
    if (answer === 'tries') return
    if (typeof answer === 'number') {
      unacknowledged.add(number)
      return reply(answer)
    }
    accept(answer === 'stays' ? 'sendrecv' : mirrored)
  }

  function refer(request: SipMessage, reply: Reply): void {
    const given = headers(request, 'refer-to')
    if (given.length !== 1) faults.push(`${given.length} headers Refer-To`)
    if (headers(request, 'referred-by').length !== 1) faults.push('nobody is named who transfers')
    targets.push(uriOf(given[0] ?? ''))
    if (onRefer !== 'silent') reply(onRefer)
  }

  function count(request: SipMessage): void {
    const number = numberOf(request)
    if (number <= lastNumber) faults.push(`request ${number} after ${lastNumber}`)
    lastNumber = number
  }

  /** The request is asked for a password first. */
  function challenge(request: SipMessage): void {
    count(request)
    if (methodOf(request) === 'INVITE') unacknowledged.add(numberOf(request))
  }

  return {
    ...{ offers, offeredAtMs, requests, targets, faults, challenge, describe },
    directions: () => offers.map(directionOf),
    /** @param first the subscriber's first session description. */
    begin({ body }: SipMessage) {
      lastSdp = body
    },
    take(request: SipMessage, reply: Reply) {
      requests.push(request)
      count(request)
      if (headers(request, 'contact').length !== 1) faults.push(`${methodOf(request)} without Contact`)
      if (methodOf(request) === 'REFER') refer(request, reply)
      else reinvite(request, reply)
    },
    acknowledge(request: SipMessage) {
      const number = numberOf(request)
      // The first INVITE was not a change.
      if (number >= Math.min(...unacknowledged) && !unacknowledged.delete(number))
        faults.push(`ACK ${number}, which answers nothing`)
    },
    /** How many answers wait for their ACK. */
    waiting: () => unacknowledged.size,
    /** Accepts the last offer, although it was not answered in time. */
    acceptLate: () => late?.(),
    /** Says the last answer again, as if its ACK were lost. */
    repeat: () => again?.(),
  }
}
