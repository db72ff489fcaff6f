import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { rtpPhone, type RtpPhone } from './rtp-phone.ts'
import { until } from './sip-calls.ts'
import { createChanges, type ChangeOptions } from './sip-changes.ts'
import { createDigest } from './sip-digest.ts'
import { listenForLinks, type SipLink, type SipTransport } from './sip-links.ts'
import {
  branchOf,
  header,
  headers,
  methodOf,
  parseMessage,
  statusOf,
  tagOf,
  uriOf,
  writeMessage,
  type Header,
  type SipMessage,
} from './sip-messages.ts'

/**
 * A telephone exchange with one subscriber: its registrar, and the other side of its calls in both directions. Written
 * from RFC 3261 (SIP), 3264 (offers and answers) and 7118 (WebSocket).
 */

interface ExchangeOptions extends ChangeOptions {
  readonly transport: SipTransport
  /** What happens to calls that the subscriber makes: a status refuses them. */
  readonly onInvite?: 'answers' | 'rings' | number
  /** Payload types that it answers calls with. */
  readonly formats?: string
  readonly address?: string
  /** What it agrees on over WebSocket; null: nothing. */
  readonly subprotocol?: 'sip' | null
  /** Asks for the password again in a call. */
  readonly challenges?: boolean
}

interface Registration {
  readonly contact: string
  readonly expires: number
  readonly link: SipLink
}

/** One call, as the exchange sees it. */
export interface ExchangeCall {
  readonly phone: RtpPhone
  /** What the INVITE was answered with, in order. */
  readonly statuses: readonly number[]
  readonly callId: string
  /** The INVITE of the subscriber, or its 200 for ours. */
  remote(): SipMessage
  /** @returns what the BYE was answered with. */
  hangUp(): Promise<number | undefined>
  /** The call is over for them, and they could not say so. */
  forget(): void
  /** Gives up before an answer. @returns what the CANCEL was answered with. */
  cancel(): Promise<number | undefined>
  /** What the subscriber changed and asked for while it ran. */
  readonly changes: ReturnType<typeof createChanges>
  /** Offers another direction. @returns what it was answered with. */
  reinvite(direction: string): Promise<SipMessage>
  /** Says how the transfer goes (RFC 3515). @returns what the NOTIFY was answered with. */
  notify(fragment: string, headers?: readonly Header[]): Promise<number | undefined>
}

interface InviteOptions {
  readonly from?: string
  /** Payload types of the offer, the best first. */
  readonly formats?: string
  readonly headers?: readonly Header[]
}

/** `silent` answers nothing; a number is the status of a refusal. */
type Failure = 'breaks' | 'silent' | number

type Reply = (status: number, more?: readonly Header[], body?: string) => void

const USER = '1001'
const PASSWORD = 'right'
const HOST = 'exchange.test'
const token = () => randomBytes(8).toString('hex')

export type Exchange = Awaited<ReturnType<typeof exchange>>

export async function exchange(options: ExchangeOptions) {
  const { transport, onInvite = 'answers', address = '127.0.0.1' } = options
  const digest = createDigest(USER, PASSWORD)
  const param = transport === 'wss' ? 'ws' : transport
  const contact: Header = ['Contact', `<sip:gateway@${HOST};transport=${param}>`]
  const recordRoute: Header = ['Record-Route', `<sip:edge.${HOST};transport=${param};lr>`]
  const links: SipLink[] = []
  const requests: SipMessage[] = []
  const registrations: Registration[] = []
  const calls: ExchangeCall[] = []
  const dialogs = new Map<string, Dialog>()
  const waiting = new Map<string, (response: SipMessage) => void>()
  let binding: { readonly target: string; readonly link: SipLink } | undefined
  let failing: { readonly method: string; readonly how: Failure } | undefined

  const server = await listenForLinks({ ...options, address }, (link) => {
    links.push(link)
    link.onMessage((text) => {
      const message = parseMessage(text)
      if (statusOf(message) === undefined) take(message, link)
      else waiting.get(transactionOf(message))?.(message)
    })
  })

  function take(request: SipMessage, link: SipLink): void {
    requests.push(request)
    const method = methodOf(request)
    if (failing?.method === method) {
      const { how } = failing
      failing = undefined
      if (how === 'silent') return
      return how === 'breaks' ? link.drop() : replyTo(request, link)(how)
    }
    const dialog = dialogs.get(header(request, 'call-id'))
    if (method === 'REGISTER') register(request, link)
    else if (method === 'INVITE' && tagOf(header(request, 'to')) === undefined) void ring(request, link)
    else if (dialog !== undefined) dialog.take(request, link)
    else if (method !== 'ACK') replyTo(request, link)(481)
  }

  function register(request: SipMessage, link: SipLink): void {
    const reply = replyTo(request, link)
    if (!digest.isRight(request, 'authorization')) return reply(401, [['WWW-Authenticate', digest.challenge()]])
    const given = header(request, 'contact')
    const expires = Number(/;expires=(\d+)/.exec(given)?.[1] ?? header(request, 'expires'))
    registrations.push({ contact: given, expires, link })
    binding = expires === 0 ? undefined : { target: uriOf(given), link }
    reply(200, expires === 0 ? [] : [['Contact', given]])
  }

  /** A call that the subscriber makes. */
  async function ring(invite: SipMessage, link: SipLink): Promise<void> {
    const tag = token()
    const reply = replyTo(invite, link, tag)
    if (!digest.isRight(invite, 'proxy-authorization')) return reply(407, [['Proxy-Authenticate', digest.challenge()]])
    const phone = await newPhone(address)
    const statuses: number[] = []
    const say: Reply = (status, more, body) => {
      statuses.push(status)
      reply(status, more, body)
    }
    const dialog = createDialog(link, phone, {
      ...{ callId: header(invite, 'call-id'), local: `${header(invite, 'to')};tag=${tag}`, onCancel: () => say(487) },
      ...{ remote: header(invite, 'from'), target: uriOf(header(invite, 'contact')), branch: token(), number: 0 },
    })
    calls.push({ ...dialog, statuses, remote: () => invite })
    say(100)
    if (typeof onInvite === 'number') return say(onInvite)
    say(180, [recordRoute, contact])
    if (onInvite === 'rings') return
    const formats = options.formats ?? '0'
    dialog.changes.begin(invite)
    if (/^0\b/.test(formats)) phone.talkTo(invite.body)
    say(200, [recordRoute, contact], phone.describe(formats))
  }

  /** A call to the subscriber. */
  async function call({
    from = '12025550151',
    formats,
    headers: more = [],
  }: InviteOptions = {}): Promise<ExchangeCall> {
    if (binding === undefined) throw new Error('The subscriber is not registered.')
    const { link, target } = binding
    const phone = await newPhone(address)
    const statuses: number[] = []
    let answer: SipMessage | undefined
    const state: DialogState = {
      ...{ callId: token(), local: `<sip:${from}@${HOST}>;tag=${token()}`, remote: `<sip:${USER}@${HOST}>` },
      ...{ target, branch: token(), number: 1 },
    }
    const { take: _, ...dialog } = createDialog(link, phone, state)
    const ack = (response: SipMessage, branch: string) => {
      state.remote = header(response, 'to')
      send(link, state, { method: 'ACK', branch, number: 1 })
    }
    const invite = { method: 'INVITE', branch: state.branch, number: 1, more: [recordRoute, contact, ...more] }
    send(link, state, { ...invite, body: phone.describe(formats) }, (response) => {
      const status = statusOf(response) ?? 0
      statuses.push(status)
      // RFC 3261, section 17.1.1.3: the ACK for a refusal belongs to the INVITE's transaction, the other does not.
      if (status >= 300) ack(response, state.branch)
      if (status < 200 || status >= 300) return
      answer = response
      dialog.changes.begin(response)
      state.target = uriOf(header(response, 'contact'))
      ack(response, token())
      phone.talkTo(response.body)
    })
    return {
      ...{ ...dialog, statuses },
      remote() {
        if (answer === undefined) throw new Error('The call was not answered.')
        return answer
      },
    }
  }

  interface DialogState {
    readonly callId: string
    readonly local: string
    remote: string
    target: string
    readonly branch: string
    number: number
    readonly onCancel?: () => void
  }

  function createDialog(begunOver: SipLink, phone: RtpPhone, state: DialogState) {
    let link = begunOver
    const answerTo = async (method: string, branch: string, more: readonly Header[] = [], body = '') => {
      const { promise, resolve } = Promise.withResolvers<SipMessage>()
      const isFinal = (response: SipMessage) => (statusOf(response) ?? 0) >= 200 && resolve(response)
      send(link, state, { method, branch, number: state.number, more, body }, isFinal)
      return promise
    }
    const ask = async (...about: Parameters<typeof answerTo>) => statusOf(await answerTo(...about))
    const changes = createChanges(options, phone)
    const dialog = {
      ...{ phone, callId: state.callId, changes },
      take(request: SipMessage, from: SipLink) {
        const method = methodOf(request)
        // RFC 3261, section 12.2.2: a new offer says where the subscriber is now. Nothing else moves the call.
        if (method === 'INVITE') {
          link = from
          state.target = uriOf(header(request, 'contact'))
        }
        if (method === 'ACK') return changes.acknowledge(request)
        const reply = replyTo(request, from)
        const isChange = method === 'INVITE' || method === 'REFER'
        if (isChange && options.challenges && !digest.isRight(request, 'proxy-authorization')) {
          changes.challenge(request)
          return reply(407, [['Proxy-Authenticate', digest.challenge()]])
        }
        if (isChange) return changes.take(request, (status, body) => reply(status, [recordRoute, contact], body))
        reply(method === 'BYE' || method === 'CANCEL' ? 200 : 501)
        if (method === 'BYE') phone.close()
        if (method === 'CANCEL') state.onCancel?.()
      },
      hangUp() {
        phone.close()
        state.number++
        return ask('BYE', token())
      },
      /** The call is over for them, and they could not say so. */
      forget() {
        phone.close()
        dialogs.delete(state.callId)
      },
      cancel: () => ask('CANCEL', state.branch),
      async reinvite(direction: string) {
        state.number++
        const branch = token()
        const answer = await answerTo('INVITE', branch, [contact], changes.describe(direction))
        const isRefused = (statusOf(answer) ?? 0) >= 300
        send(link, state, { method: 'ACK', branch: isRefused ? branch : token(), number: state.number })
        return answer
      },
      notify(fragment: string, more: readonly Header[] = NOTIFIED) {
        state.number++
        return ask('NOTIFY', token(), [contact, ...more], fragment)
      },
    }
    dialogs.set(state.callId, dialog)
    return dialog
  }

  type Dialog = ReturnType<typeof createDialog>

  interface Sent {
    readonly method: string
    readonly branch: string
    readonly number: number
    readonly more?: readonly Header[]
    readonly body?: string
  }

  function send(
    link: SipLink,
    { target, local, remote, callId }: DialogState,
    { method, branch, number, more = [], body }: Sent,
    onResponse?: (response: SipMessage) => void,
  ): void {
    const cseq = `${number} ${method}`
    if (onResponse !== undefined) waiting.set(`z9hG4bK${branch} ${cseq}`, onResponse)
    const head: Header[] = [
      ['Via', `SIP/2.0/${transport.toUpperCase()} edge.${HOST};branch=z9hG4bK${branch}`],
      ...([
        ['Max-Forwards', '70'],
        ['From', local],
        ['To', remote],
        ['Call-ID', callId],
        ['CSeq', cseq],
      ] as const),
    ]
    link.send(writeMessage(`${method} ${target} SIP/2.0`, [...head, ...more], body))
  }

  return {
    ...server,
    ...{ transport, requests, registrations, call, contact: contact[1], recordRoute: recordRoute[1] },
    openLinks: () => links.filter((link) => link.isOpen()).length,
    /** Cuts every connection, without a goodbye. */
    dropLinks: () => links.forEach((link) => link.drop()),
    /** Requests with this method that belong to a call. */
    in: ({ callId }: ExchangeCall, method: string) =>
      requests.filter((one) => methodOf(one) === method && header(one, 'call-id') === callId),
    /** Refuses the next of these, or breaks the connection instead of an answer. */
    failAt: (method: string, how: Failure) => void (failing = { method, how }),
    /** @returns the latest registration, when there have been this many. */
    async registered(count = 1): Promise<Registration> {
      await until(() => registrations.length >= count, 'The registration')
      return registrations.at(-1) as Registration
    },
    async nextCall(): Promise<ExchangeCall> {
      await until(() => calls.length > 0, 'A call')
      return calls.shift() as ExchangeCall
    },
    /** Waits for the ACK of our 200. A connection that breaks before would take it away: we send no 200 twice. */
    async acknowledged({ callId, remote }: ExchangeCall): Promise<void> {
      const ack = `${Number.parseInt(header(remote(), 'cseq'), 10)} ACK`
      const isAck = (one: SipMessage) => header(one, 'call-id') === callId && header(one, 'cseq') === ack
      await until(() => requests.some(isAck), 'The ACK of the answer')
    },
  }
}

const transactionOf = (message: SipMessage) => `${branchOf(message)} ${header(message, 'cseq')}`

async function newPhone(address: string): Promise<RtpPhone> {
  const phone = await rtpPhone(address)
  onTestFinished(() => phone.close())
  return phone
}

/** A transfer that is over. */
const NOTIFIED: readonly Header[] = [
  ['Event', 'refer'],
  ['Subscription-State', 'terminated;reason=noresource'],
  ['Content-Type', 'message/sipfrag;version=2.0'],
]

const PHRASES: Record<number, string> = {
  ...{ 100: 'Trying', 180: 'Ringing', 200: 'OK', 401: 'Unauthorized', 407: 'Proxy Authentication Required' },
}

const replyTo =
  (request: SipMessage, link: SipLink, tag = token()): Reply =>
  (status, more = [], body) => {
    const to = header(request, 'to')
    const head: Header[] = [
      ...headers(request, 'via').map((value): Header => ['Via', value]),
      ...([
        ['From', header(request, 'from')],
        ['To', status === 100 || tagOf(to) !== undefined ? to : `${to};tag=${tag}`],
        ['Call-ID', header(request, 'call-id')],
        ['CSeq', header(request, 'cseq')],
      ] as const),
    ]
    link.send(writeMessage(`SIP/2.0 ${status} ${PHRASES[status] ?? 'Refused'}`, [...head, ...more], body))
  }
