import { randomInt } from 'node:crypto'
import RequestSender from 'jssip/lib/RequestSender.js'
import type { UA as Agent } from 'jssip'
import type { EndReason } from '../../../contract/voice.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { startTimeout } from '../../../kernel/timeout.ts'
import type { ControlResult } from '../../leg.ts'
import type { TransferFailure } from '../../protocol.ts'
import type { SipRequest } from './refusal.ts'
import type { RtpPeer } from './rtp-peer.ts'

type Session = ReturnType<Agent['call']>

interface ControlsDeps {
  readonly clock: Clock
  readonly session: Session
  readonly peer: RtpPeer
  readonly onHeld: (isHeld: boolean) => void
  /** The trunk has completed the transfer. */
  readonly onTransferred: () => void
  readonly onNotTransferred: (failure: TransferFailure | null) => void
}

/** Actions in running calls over a trunk. */
export interface Controls {
  hold(isHeld: boolean): Promise<ControlResult>
  /** @param target a SIP URI. */
  transfer(target: string): Promise<ControlResult>
  /** The trunk connection was replaced: tells the trunk the new address of the call. */
  moved(): void
  /** Whether an offer of ours is unanswered, so that one of theirs is refused (RFC 3261, section 14.2). */
  isOffering(): boolean
  /** The call is over. */
  close(): void
}

interface Response {
  readonly status_code: number
  readonly body?: string | null
  getHeader(name: string): string | undefined
}

interface Notify extends SipRequest {
  reply(status: number): void
}

interface Dialog {
  uac_pending_reply: boolean
  uas_pending_reply: boolean
  _local_seqnum: number
  _outgoing_ack_seqnum: number
  _createRequest(method: string, headers: string[], body: string): { cseq: number }
}

/** Private parts of a JsSIP session. */
interface Internals {
  readonly _ua: { readonly contact: { toString(options: { outbound: boolean }): string } }
  readonly direction: 'incoming' | 'outgoing'
  readonly status: number
  readonly C: { readonly STATUS_CONFIRMED: number }
  readonly _dialog: Dialog | null
  _contact: string
  readonly _sessionTimers: { running: boolean; currentExpires: number; refresher: boolean }
  _handleSessionTimersInIncomingResponse(response: Response): void
  _receiveNotify(request: Notify): void
  sendRequest(method: string): void
  /** Its types declare no result. */
  refer(target: string, options: object): { readonly id: number } | false
}

/** Time limit for a request within a call, including a retry. */
const ANSWER_MS = 10_000
/** Interval of checks until their offer is answered and the answer has arrived. */
const SOON_MS = 100
/** Time limit of a transfer: slightly longer than a phone rings. */
const TRANSFER_MS = 90_000
/**
 * RFC 3261, section 14.1: delay of the next offer after both sides made one at the same time, by who started the
 * call; in 10 ms.
 */
const GLARE = { ours: [210, 401], theirs: [0, 201] } as const

const OK: ControlResult = { ok: true }
const not = (why: Exclude<ControlResult & { ok: false }, { status: number }>['why']): ControlResult => ({
  ok: false,
  why,
})

export function createControls(deps: ControlsDeps): Controls {
  const { clock, session, peer } = deps
  const offers = createOffers(deps)
  const transfers = createTransfers(deps)
  const internals = session as unknown as Internals
  let isChanging = false
  /** The trunk does not know the call's new address yet. */
  let hasMoved = false
  let isOver = false
  let giveUp: ((result: ControlResult) => void) | undefined

  function offer(isHeld: boolean): Promise<ControlResult> {
    isChanging = true
    hasMoved = false
    const { promise, resolve } = Promise.withResolvers<ControlResult>()
    giveUp = resolve
    const limit = startTimeout(clock, ANSWER_MS, () => resolve(offers.abandon()))
    offers.make(isHeld, resolve)
    return promise.finally(() => {
      isChanging = false
      limit.cancel()
      if (hasMoved) tellWhere()
    })
  }

  /** Until it gets a new offer, the trunk sends its requests, including BYE, to the old connection. */
  function tellWhere(): void {
    if (!isOver) void offer(peer.isHeld())
  }

  return {
    async hold(isHeld) {
      if (isChanging) return not('busy')
      return peer.isHeld() === isHeld ? OK : offer(isHeld)
    },
    moved() {
      internals._contact = internals._ua.contact.toString({ outbound: internals.direction === 'outgoing' })
      hasMoved = true
      if (!isChanging) tellWhere()
    },
    transfer: transfers.begin,
    isOffering: () => (session as unknown as Internals)._dialog?.uac_pending_reply === true,
    close() {
      isOver = true
      giveUp?.(not('not_running'))
      offers.abandon()
      transfers.close()
    },
  }
}

/**
 * Changes the direction by re-INVITE. JsSIP's own implementation ends the call when it is refused, repeats it after a
 * second whoever started the call, and acknowledges the repeat with the wrong number.
 */
function createOffers({ clock, session, peer, onHeld }: ControlsDeps) {
  const internals = session as unknown as Internals
  const [shortest, end] = internals.direction === 'outgoing' ? GLARE.ours : GLARE.theirs
  let cancel: (() => void) | undefined
  let isWaiting = false
  /** Incremented by each change, so that late results do not cause another offer. */
  let turn = 0

  function make(isHeld: boolean, settle: (result: ControlResult) => void): void {
    const mine = ++turn
    const again = (waitMs: number) => {
      isWaiting = true
      startTimeout(clock, waitMs, () => void attempt())
    }
    const glare = () => again(10 * randomInt(shortest, end))

    async function attempt(): Promise<void> {
      if (mine !== turn) return
      isWaiting = false
      const dialog = internals._dialog
      if (dialog === null || !session.isEstablished()) return settle(not('not_running'))
      const sdp = await peer.offerHold(isHeld)
      // They are making an offer, or JsSIP is refreshing the session.
      const isFree = internals.status === internals.C.STATUS_CONFIRMED
      if (!isFree || dialog.uac_pending_reply || dialog.uas_pending_reply) return again(SOON_MS)
      send(dialog, sdp, {
        async onAccepted(answer) {
          const wasHeld = peer.isHeld()
          const isAgreed = await peer.agreeOnHold(isHeld, answer)
          if (isAgreed && isHeld !== wasHeld) onHeld(isHeld)
          settle(isAgreed ? OK : { ok: false, why: 'refused', status: 488 })
        },
        onRefused(response) {
          const { status_code: status } = response
          if (mine !== turn) return
          if (status === 491) return glare()
          const seconds = /^\s*(\d{1,2})/.exec(response.getHeader('retry-after') ?? '')?.[1]
          if (status === 500 && seconds !== undefined) return again(1_000 * Number(seconds))
          settle({ ok: false, why: 'refused', status })
          // RFC 3261, section 12.2.1.2: they no longer know this call.
          if (status === 481) session.terminate()
        },
        onFailed: (why) => settle(not(why)),
      })
    }
    void attempt()
  }

  interface Outcome {
    readonly onAccepted: (answer: string) => Promise<void>
    readonly onRefused: (response: Response) => void
    readonly onFailed: (why: 'no_answer' | 'not_connected') => void
  }

  function send(dialog: Dialog, sdp: string, { onAccepted, onRefused, onFailed }: Outcome): void {
    const { running, currentExpires, refresher } = internals._sessionTimers
    const request = dialog._createRequest(
      'INVITE',
      [
        ...[`Contact: ${internals._contact}`, 'Content-Type: application/sdp'],
        ...(running ? [`Session-Expires: ${currentExpires};refresher=${refresher ? 'uac' : 'uas'}`] : []),
      ],
      sdp,
    )
    let number = request.cseq
    let isAnswered = false
    const over = () => {
      dialog.uac_pending_reply = false
      cancel = undefined
    }
    const fail = (why: 'no_answer' | 'not_connected') => {
      over()
      onFailed(why)
    }
    const sender = new RequestSender(internals._ua, request, {
      onRequestTimeout: () => fail('no_answer'),
      onTransportError: () => fail('not_connected'),
      onAuthenticated() {
        number = dialog._local_seqnum += 1
        dialog._outgoing_ack_seqnum = number
      },
      onReceiveResponse(response: Response) {
        const { status_code: status } = response
        if (status < 200) return
        if (status < 300 && !session.isEnded()) {
          dialog._outgoing_ack_seqnum = number
          internals.sendRequest('ACK')
        }
        // A repeated answer: the ACK was lost.
        if (isAnswered) return
        isAnswered = true
        over()
        if (session.isEnded()) return
        if (status >= 300) return onRefused(response)
        internals._handleSessionTimersInIncomingResponse(response)
        void onAccepted(response.body ?? '')
      },
    })
    dialog.uac_pending_reply = true
    // Sent only if they have confirmed that they are processing it (RFC 3261, section 9.1).
    cancel = () => sender.clientTransaction.cancel()
    sender.send()
  }

  return {
    make,
    /** Makes no further attempt. A late answer is still applied, so that both sides agree on it. */
    abandon(): ControlResult {
      turn++
      cancel?.()
      return not(isWaiting ? 'busy' : 'no_answer')
    },
  }
}

interface Pending {
  /** JsSIP's subscriber; its id is the number of the REFER. */
  subscriber?: { readonly id: number }
  readonly settle: (result: ControlResult) => void
  readonly finish: () => void
}

/** Blind transfers by REFER (RFC 3515 and 5589). */
function createTransfers({ clock, session, onTransferred, onNotTransferred }: ControlsDeps) {
  const internals = session as unknown as Internals
  let pending: Pending | undefined

  function begin(target: string): Promise<ControlResult> {
    if (pending !== undefined) return Promise.resolve(not('busy'))
    const { promise, resolve } = Promise.withResolvers<ControlResult>()
    let isAnswered = false
    const settle = (result: ControlResult) => {
      isAnswered = true
      answered.cancel()
      resolve(result)
    }
    const answered = startTimeout(clock, ANSWER_MS, () => settle(not('no_answer')))
    const limit = startTimeout(clock, TRANSFER_MS, () => {
      mine.finish()
      onNotTransferred('timed_out')
    })
    const mine: Pending = {
      settle,
      finish() {
        answered.cancel()
        limit.cancel()
        pending = undefined
      },
    }
    pending = mine
    const requestFailed = ({ response }: { response: Response | null }) => {
      if (pending !== mine) return
      mine.finish()
      const status = response?.status_code
      if (isAnswered) onNotTransferred(status === undefined ? 'timed_out' : 'refused')
      else settle(status === undefined ? not('no_answer') : { ok: false, why: 'refused', status })
      if (status === 481) session.terminate()
    }
    const eventHandlers = { requestSucceeded: () => settle(OK), requestFailed }
    const subscriber = internals.refer(target, { eventHandlers })
    if (subscriber) mine.subscriber = subscriber
    else {
      mine.finish()
      settle(not('not_running'))
    }
    return promise
  }

  /** Replaces JsSIP's, which throws if the event is missing and ignores the end of the subscription. */
  internals._receiveNotify = (request) => {
    const event = request.getHeader('event') ?? ''
    if (!/^\s*refer\s*(;|$)/i.test(event)) return request.reply(489)
    const id = /;\s*id\s*=\s*(\d+)/i.exec(event)?.[1]
    const isOfAnother = id !== undefined && Number(id) !== pending?.subscriber?.id
    if (pending === undefined || isOfAnother) return request.reply(481)
    request.reply(200)
    const status = Number(/^\s*SIP\/2\.0 (\d{3})\b/.exec(request.body ?? '')?.[1] ?? 0)
    const isLast = /^\s*terminated\b/i.test(request.getHeader('subscription-state') ?? '')
    if (status < 200 && !isLast) return
    const { finish, settle } = pending
    finish()
    settle(OK)
    if (status >= 200 && status < 300) return onTransferred()
    onNotTransferred(status >= 300 ? failureOf(status) : null)
  }

  return {
    begin,
    close() {
      pending?.settle(not('not_running'))
      pending?.finish()
    },
  }
}

const TRANSFER_FAILURES: readonly TransferFailure[] = ['busy', 'rejected', 'no_answer', 'number_not_callable']

function failureOf(status: number): TransferFailure {
  const reason = reasonOf(status, undefined)
  return TRANSFER_FAILURES.find((one) => one === reason) ?? 'failed'
}

/** The reason for a final status. @param cause JsSIP's, if there is no status. */
export function reasonOf(status: number | undefined, cause: string | undefined): EndReason {
  if (status === 486 || status === 600) return 'busy'
  if (status === 603 || status === 403) return 'rejected'
  if (status === 404 || status === 484 || status === 604) return 'number_not_callable'
  if (status === 408 || status === 480 || status === 487 || cause === 'No Answer') return 'no_answer'
  if (status === 488 || status === 606) return 'codec_not_supported'
  return 'gateway_unavailable'
}
