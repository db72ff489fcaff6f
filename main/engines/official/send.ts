import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { MessageId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { Departure, EngineInstance, Outgoing, SendOutcome } from '../engine.ts'
import { failureOf, meaningOf, WORDS_OF_HOLD, WORDS_OF_OTHER_PORTFOLIO, type GraphError } from './errors.ts'
import type { Holds } from './holds.ts'
import { isGroupName } from './group-id.ts'
import { metaRefusal } from './media-rules.ts'
import type { GraphReply } from './graph-client.ts'
import { digitsOf, recordsAt, textAt, type Json } from './json.ts'
import { isUsable, type ConnectedNumber, type Numbers } from './numbers.ts'
import { callerOf } from './graph-caller.ts'
import { carriesOurId, payloadOf } from './payload.ts'
import type { People } from './people.ts'
import type { TemplateLifetimes } from './template-lifetimes.ts'
import type { createPauseLookup } from './templates.ts'
import type { NotOk, GraphCredentials, Transport } from './transport.ts'
import type { NumberMonitor } from './number-monitor.ts'

interface SendDeps {
  readonly db: Pick<Db, 'commit'>
  readonly clock: Clock
  readonly log: Log
  readonly numbers: Numbers
  readonly transport: Transport
  readonly watch: Pick<NumberMonitor, 'responded' | 'refused' | 'permissionMissing'>
  readonly holds: Pick<Holds, 'begin' | 'end'>
  /** Sends whose callbacks will carry only Meta's id, until that id is stored. */
  readonly unnamed: PendingSends
  readonly people: Pick<People, 'reached' | 'writableName'>
  readonly pausedUntil: ReturnType<typeof createPauseLookup>
  readonly lifetimes: Pick<TemplateLifetimes, 'endOf'>
}

export type PendingSends = ReturnType<typeof createPendingSends>

/**
 * Counts unfinished sends whose status Meta will report under an id that is not stored yet. While there is one,
 * callbacks of that instance that match no known message must wait, because they may belong to this send.
 */
export function createPendingSends() {
  const waiting = new Map<string, number>()
  return {
    any: (instanceId: string): boolean => waiting.has(instanceId),
    /** @returns a function that ends it; calling it twice is harmless. */
    begin(instanceId: string): () => void {
      waiting.set(instanceId, (waiting.get(instanceId) ?? 0) + 1)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        const left = (waiting.get(instanceId) ?? 1) - 1
        if (left > 0) waiting.set(instanceId, left)
        else waiting.delete(instanceId)
      }
    },
  }
}

/** Sends over the Cloud API. Every send ends in one of the port's outcomes. */
export function createSend({
  db,
  clock,
  log,
  numbers,
  transport,
  watch,
  holds,
  unnamed,
  people,
  pausedUntil,
  lifetimes,
}: SendDeps) {
  return async function send(
    instance: EngineInstance,
    messageId: MessageId,
    wanted: Outgoing,
    departure: Departure,
  ): Promise<SendOutcome> {
    const number = numbers.of(instance.id)
    if (!isUsable(number)) return NOT_READY
    const speaker = callerOf(number)
    if (speaker === undefined) return SEALED
    const to = await people.writableName(instance.id, wanted.to)
    if (to === null || (to !== wanted.to && namesRecipient(wanted))) return OTHER_PORTFOLIO
    const out: Outgoing = to === wanted.to ? wanted : { ...wanted, to }
    const refusal = out.kind === 'media' ? metaRefusal(out.mediaType, out.mimeType, out.content.size) : undefined
    if (refusal !== undefined) return { kind: 'invalid', message: `The file ${refusal}.` }
    const media =
      out.kind === 'media' ? await transport.upload(speaker, number.phoneNumberId, out, departure.signal) : null
    // Even if the file was uploaded, no message was sent.
    if (media !== null && media.kind !== 'ok') return beforeSending(await outcomeOf(number, out, media))
    const payload = payloadOf(out, messageId, media?.value ?? null)
    if (payload.kind === 'wrong') return { kind: 'invalid', message: payload.message }
    const end = carriesOurId(out) ? () => {} : unnamed.begin(instance.id)
    const outcome = await sendText(number, speaker, out, payload.text, departure, end)
    if (outcome.kind !== 'accepted') end()
    return outcome
  }

  async function sendText(
    number: ConnectedNumber,
    speaker: GraphCredentials,
    out: Outgoing,
    text: string,
    { signal, leave }: Departure,
    end: () => void,
  ): Promise<SendOutcome> {
    const startedMono = clock.mono()
    const mark = { hasFailed: false }
    const beforeFirstByte = async () => {
      mark.hasFailed = true
      await db.commit(leave)
      mark.hasFailed = false
    }
    const reply = await transport.send(speaker, number.phoneNumberId, text, { signal, beforeFirstByte })
    if (mark.hasFailed) return NOT_STORED
    if (reply.kind !== 'ok') return outcomeOf(number, out, reply)
    watch.responded(number.instanceId, clock.mono() - startedMono)
    // Without a payment method, Meta accepts messages and reports their failure later.
    if ((number.facts?.hold?.reason ?? 'payment') !== 'payment')
      await remember('hold', number, () => holds.end(number, clock.now()))
    const engineMessageId = wamidOf(reply)
    await noteAddress(number, out, reply)
    if (engineMessageId === null)
      return { kind: 'unknown', message: 'Meta accepted the message but did not return its id' }
    const validUntilMs = out.kind === 'cloud_api' ? await lifetimes.endOf(number, payloadIn(out)) : null
    return { kind: 'accepted', engineMessageId, status: 'queued', isHeld: isHeldIn(reply), validUntilMs, settled: end }
  }

  /** A storage failure does not affect the caller: the next answer carries the same address. */
  async function noteAddress({ instanceId }: ConnectedNumber, { to }: Outgoing, reply: Accepted): Promise<void> {
    const address = isGroupName(to) ? null : addressIn(reply, to)
    if (address === null) return
    await people.reached(instanceId, to, address).catch((error: unknown) => {
      log.warn({ event: 'official.address_not_stored', instanceId, cause: cause(error) })
    })
  }

  async function outcomeOf(number: ConnectedNumber, out: Outgoing, reply: NotOk): Promise<SendOutcome> {
    watch.responded(number.instanceId, null, reply)
    if (reply.kind === 'unreached') return { kind: 'nothing_sent', message: `Meta cannot be reached (${reply.code})` }
    if (reply.kind === 'lost') return { kind: 'unknown', message: `Meta did not answer (${reply.code})` }
    return ofError(number, out, reply)
  }

  /** A storage failure does not affect the caller: the next send finds the hold again. */
  async function remember(
    what: 'refusal' | 'hold',
    { instanceId }: ConnectedNumber,
    store: () => Promise<void>,
  ): Promise<void> {
    await store().catch((error: unknown) => {
      log.warn({ event: `official.${what}_not_stored`, instanceId, cause: cause(error) })
    })
  }

  async function ofTemplate(
    number: ConnectedNumber,
    out: Outgoing,
    error: GraphError,
    fault: NonNullable<Extract<SendOutcome, { kind: 'invalid' }>['template']>,
  ): Promise<SendOutcome> {
    const pausedUntilMs = fault === 'paused' ? await pausedUntil(number, payloadIn(out)) : null
    const end = pausedUntilMs === null ? '' : ` Meta ends the pause at ${new Date(pausedUntilMs).toISOString()}.`
    return { kind: 'invalid', message: `${said(error, out)}${end}`, template: fault, pausedUntilMs }
  }

  async function ofError(
    number: ConnectedNumber,
    out: Outgoing,
    { error, status, retryAfterSeconds }: Extract<NotOk, { kind: 'error' }>,
  ): Promise<SendOutcome> {
    const meaning = meaningOf(error)
    switch (meaning?.kind) {
      case 'token_dead':
        await remember('refusal', number, () => watch.refused(number.instanceId, 'token_revoked', error.code))
        return { kind: 'not_ready', message: `Meta no longer accepts the access token (${error.code})` }
      case 'blocked':
        await remember('refusal', number, () => watch.refused(number.instanceId, 'banned', error.code))
        return { kind: 'not_ready', message: `Meta has blocked this account (${error.code})` }
      case 'permission':
        watch.permissionMissing(number.instanceId)
        return { kind: 'not_ready', message: `The access token lacks a permission (${error.code})` }
      case 'held':
        await remember('hold', number, () => holds.begin(number, meaning.reason))
        return { kind: 'not_ready', message: WORDS_OF_HOLD[meaning.reason], held: meaning.reason }
      case 'throttled': {
        const message = `WhatsApp takes no more messages ${SCOPES[meaning.scope]} for the moment (${error.code})`
        const { code: providerCode } = error
        return {
          ...{ kind: 'nothing_sent', message, providerCode },
          ...{ throttles: meaning.scope, retryAfterSeconds: retryAfterSeconds ?? 1 },
        }
      }
      case 'refused':
        return { kind: 'refused', error: failureOf(error) }
      case 'invalid':
        return { kind: 'invalid', message: said(error, out) }
      case 'template':
        return ofTemplate(number, out, error, meaning.fault)
      case 'server':
        return { kind: 'nothing_sent', message: `Meta's service failed and did not accept the message (${error.code})` }
      case undefined:
        // Only a 4xx error proves that the message was refused; a server error proves nothing.
        if (status >= 400 && status < 500) return { kind: 'refused', error: failureOf(error) }
        return { kind: 'unknown', message: `Meta failed while it was handling the message (${error.code})` }
    }
  }
}

/** A raw payload is not changed, so it goes to the recipient that it names. */
const namesRecipient = (out: Outgoing): boolean => {
  const { to, recipient } = payloadIn(out)
  return to !== undefined || recipient !== undefined
}

/** Only raw payloads come from the caller. */
const payloadIn = (out: Outgoing): Json => (out.kind === 'cloud_api' ? (out.payload as Json) : {})

const SCOPES = { number: 'from this number', pair: 'to this person' } as const

type Accepted = Extract<GraphReply, { kind: 'ok' }>

function wamidOf({ body }: Accepted): string | null {
  const [message = {}] = recordsAt(body, 'messages')
  return textAt(message, 'id')
}

/** "Template pacing": Meta holds the first messages with a new template until it knows how people react to them. */
function isHeldIn({ body }: Accepted): boolean {
  const [message = {}] = recordsAt(body, 'messages')
  return textAt(message, 'message_status') === 'held_for_quality_assessment'
}

/** The recipient's number as Meta writes it; a raw payload may name a different recipient. */
function addressIn({ body }: Accepted, to: string): string | null {
  const [contact = {}] = recordsAt(body, 'contacts')
  const [input, address] = [textAt(contact, 'input'), textAt(contact, 'wa_id')].map((text) => digitsOf(text ?? ''))
  return address && input && personKey(input) === personKey(to) ? address : null
}

/** No message was sent, even if the outcome of the upload is unknown. */
function beforeSending(outcome: SendOutcome): SendOutcome {
  if (outcome.kind !== 'unknown') return outcome
  return { kind: 'nothing_sent', message: 'The file could not be uploaded to Meta' }
}

function said({ details, code }: GraphError, out: Outgoing): string {
  const whose = out.kind === 'cloud_api' ? 'Meta refused cloud_api' : 'Meta refused the message'
  return `${whose} (${code}): ${details}`
}

const OTHER_PORTFOLIO: SendOutcome = {
  kind: 'refused',
  error: { code: 'undeliverable', message: WORDS_OF_OTHER_PORTFOLIO, provider_code: null },
}

const NOT_READY: SendOutcome = {
  kind: 'not_ready',
  message: 'The instance has no number that Meta takes messages from',
}
const NOT_STORED: SendOutcome = { kind: 'nothing_sent', message: 'The message could not be stored before it left' }
const SEALED: SendOutcome = {
  kind: 'not_ready',
  message: 'The keychain of this machine is locked, so the access token cannot be read',
}
