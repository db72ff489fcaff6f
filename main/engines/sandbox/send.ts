import type { MessageErrorShape } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn, type Due } from '../../kernel/due.ts'
import type { AccountId, MessageId } from '../../kernel/ids.ts'
import { bytesOf } from '../../kernel/file-content.ts'
import type { Departure, EngineInstance, ForwardedMessage, Outgoing, SendOutcome } from '../engine.ts'
import { contentOf, forwardedContent } from './content.ts'
import {
  outcomeForNumber,
  OUTSIDE_WINDOW,
  REACHOUT_RESTRICTED,
  SPAM_LIMITED,
  type SimulatedOutcome,
} from './simulated-outcomes.ts'
import { chatOf, type ChatTimers } from './chat-timers.ts'
import type { Faults } from './faults.ts'
import type { Files } from './files.ts'
import type { Groups } from './groups.ts'
import type { Content, Inbox } from './inbox.ts'
import { contentIn, contentProblem, isMessageType } from './payload-rules.ts'
import { isPaired, type Sessions, type PairedSession } from './sessions.ts'
import type { Links } from './links.ts'
import { parseUserId } from './user-ids.ts'
import { memberCopyId, networkId } from './network-ids.ts'
import type { Phone, Phones } from './phones.ts'
import { planFor, STEPS, type Path, type Plan, type TimelineMs } from './plan.ts'
import type { PhoneMessages } from './phone-messages.ts'
import type { Template } from '../templates.ts'
import { phoneTemplate } from './template-content.ts'
import { parameterFault } from './template-parameters.ts'
import { lifetimeOf } from './template-rules.ts'
import { SANDBOX_BUSINESS, type TemplateStore } from './templates.ts'
import type { Timeline } from './timeline.ts'
import { aborted, sleep } from './abortable.ts'

/** How long health shows a simulated restriction. */
export const RESTRICTION_MS = 60_000
/** Delay between the 504 and the first status of a message with a silent send. */
const SILENT_AFTER_DEADLINE_MS = 5_000
const WINDOW_MS = 24 * 60 * 60 * 1_000
const THROTTLED_SECONDS = 4

interface SendDeps {
  readonly db: Db
  readonly clock: Clock
  readonly sessions: Sessions
  readonly links: Links
  readonly faults: Faults
  readonly phones: Phones
  readonly groups: Groups
  readonly inbox: Inbox
  readonly files: Files
  readonly templates: Pick<TemplateStore, 'find'>
  readonly timeline: Timeline
  readonly phoneMessages: PhoneMessages
  readonly chatTimers: Pick<ChatTimers, 'of'>
  readonly isBlocked: (accountId: AccountId, owner: string, number: string) => Promise<boolean>
  readonly timelineMs: TimelineMs
  readonly sendTimeoutMs: number
}

/** A message that is being sent. */
interface OutgoingMessage {
  readonly instance: EngineInstance
  readonly session: PairedSession
  readonly messageId: MessageId
  readonly out: Outgoing
  readonly content: Content
  /** The file that is kept for an instance that receives the message. */
  readonly file: Buffer | null
  /** The group it is sent to. */
  readonly group: string | null
  /** The recipients: one person, or the other members of the group. */
  readonly phones: readonly Phone[]
  /** The first recipient, or the sender's own phone if it is alone in the group. */
  readonly phone: Phone
  /** The template it uses, if the account has it. */
  readonly template: Template | undefined
  readonly startedAt: Due
  readonly departure: Departure
}

/** The plan for one recipient's phone. */
interface PhonePlan {
  readonly phone: Phone
  readonly plan: Plan
}

/**
 * Sends over the sandbox network. A normal send reads and commits nothing here: `journal` adds what must be stored to
 * the caller's own commit.
 */
export function createSend(deps: SendDeps) {
  const { db, clock, sessions, links, faults, phones, groups, inbox, files, templates } = deps
  const { timeline, phoneMessages, chatTimers, timelineMs } = deps
  const silentMs = deps.sendTimeoutMs + SILENT_AFTER_DEADLINE_MS

  /** A template name that the account does not have counts as approved, so that any name can be tried. */
  async function templateOf({ accountId }: EngineInstance, out: Outgoing): Promise<Template | undefined> {
    if (!isTemplate(out)) return undefined
    const { name, language } = out.payload.template as { name?: unknown; language?: { code?: unknown } }
    return templates.find({ accountId, businessId: SANDBOX_BUSINESS }, name, language?.code)
  }

  function templateFault(out: Outgoing, found: Template | undefined): SendOutcome | null {
    if (!isTemplate(out)) return null
    if (found === undefined || found.status === 'APPROVED') {
      const fault = parameterFault(out.payload.template, found)
      return fault === undefined
        ? null
        : { kind: 'invalid', message: `Meta refused cloud_api (${fault.code}): ${fault.details}` }
    }
    if (found.status === 'PAUSED') return { kind: 'invalid', message: PAUSED_TEMPLATE, template: 'paused' }
    if (found.status === 'DISABLED') return { kind: 'invalid', message: DISABLED_TEMPLATE, template: 'disabled' }
    return { kind: 'invalid', message: MISSING_TEMPLATE, template: 'missing' }
  }

  async function courseFor(message: OutgoingMessage): Promise<SimulatedOutcome> {
    const { instance, phone, out, group } = message
    const { id, engine } = instance
    if (faults.any(id)) {
      if (await faults.strike(id, 'engine_down')) return { kind: 'unreachable' }
      if (await faults.strike(id, 'unreachable')) return { kind: 'unreachable' }
      if (await faults.strike(id, 'timeout')) return { kind: 'silent' }
      // People who have written before can still be answered.
      if (group === null && phone.spokeAtMs === null && (await faults.strike(id, 'restricted'))) {
        return engine === 'smv2' ? REACHOUT_RESTRICTED : SPAM_LIMITED
      }
    }
    if (group !== null) return { kind: 'ordinary' }
    if (engine === 'official' && (await deps.isBlocked(instance.accountId, message.session.number, out.to)))
      return BLOCKED
    const outcome = outcomeForNumber(engine, out.to)
    return engine === 'official' ? outcomeInWindow(outcome, message) : outcome
  }

  /** Free text needs a message from the person to this number in the last 24 hours; a template does not. */
  async function outcomeInWindow(
    outcome: SimulatedOutcome,
    { instance, session, out }: OutgoingMessage,
  ): Promise<SimulatedOutcome> {
    if (isTemplate(out)) return outcome === OUTSIDE_WINDOW ? { kind: 'ordinary' } : outcome
    if (outcome.kind !== 'ordinary') return outcome
    const wroteAtMs = await inbox.lastWroteAtMs(instance.accountId, session.number, out.to)
    return wroteAtMs !== null && clock.now() - wroteAtMs <= WINDOW_MS ? outcome : OUTSIDE_WINDOW
  }

  /** A phone shows a quoted message only while it has that message in the same conversation. */
  async function withVisibleQuote(
    tx: Tx,
    { instance, session, out, group }: OutgoingMessage,
    content: Content,
  ): Promise<Content> {
    const { quoted: id, ...rest } = content
    if (id === undefined) return content
    const quoted = await inbox.find(tx, instance.accountId, session.number, id)
    if (quoted?.id !== id || quoted.deletedAtMs !== null) return rest
    if (group !== null) return quoted.group === group ? content : rest
    const parties = [quoted.author, quoted.recipient]
    return parties.includes(session.number) && parties.includes(out.to) ? content : rest
  }

  /** Stores the message on each phone and schedules its signals. Idempotent. */
  async function record(
    tx: Tx,
    message: OutgoingMessage,
    engineMessageId: string,
    plans: readonly PhonePlan[],
  ): Promise<void> {
    const { instance, session } = message
    const startedAtMs = message.startedAt.atMs
    const content = await withVisibleQuote(tx, message, message.content)
    const timerSeconds = chatTimers.of(instance.accountId, chatOf(session.number, message.phone.number, message.group))
    const { template } = message
    const expiresAtMs = template === undefined ? null : startedAtMs + lifetimeOf(template) * 1_000
    const disappearsAtMs = timerSeconds === 0 ? null : startedAtMs + timerSeconds * 1_000
    for (const [index, { phone: known, plan }] of plans.entries()) {
      const phone = await phones.ensure(tx, instance.accountId, known.number, startedAtMs)
      // The sender is alone in its group: the network accepts the message, and nobody receives it.
      const isNew =
        message.phones.length === 0 ||
        (await inbox.add(tx, {
          id: index === 0 ? engineMessageId : memberCopyId(engineMessageId, phone.number),
          ...{ phone: phone.seq, author: session.number, instanceId: instance.id, group: message.group, content },
          ...{ sentAtMs: startedAtMs, receivedAtMs: plan.arrivesAt?.atMs ?? null, waits: plan.waits },
          ...{ disappearsAtMs, expiresAtMs },
        }))
      if (!isNew) return
      for (const { step, due, offsetMs, onPhone, signal } of plan.steps) {
        // `sent` comes from the network, so it is reported once for all recipients.
        if (index > 0 && step === STEPS.sent) continue
        const ofPhone = onPhone ? phone.seq : null
        const lane = engineMessageId
        const place = { instanceId: instance.id, lane, step, phone: ofPhone }
        await timeline.schedule(tx, { ...place, due, offsetMs, signal, ...(onPhone && { expiresAtMs }) })
      }
      await tellInstances(tx, message, engineMessageId, content, { phone, plan })
    }
  }

  /** If the number belongs to another instance, that instance receives the message. */
  async function tellInstances(
    tx: Tx,
    { instance, session, file, group, phones: recipients, startedAt }: OutgoingMessage,
    engineMessageId: string,
    content: Content,
    { phone: { number }, plan }: PhonePlan,
  ): Promise<void> {
    if (recipients.length === 0 || session.number === number) return
    if (sessions.withNumber(instance.accountId, number).length === 0) return
    if (file !== null) await files.keep(tx, engineMessageId, file)
    if (plan.arrivesAt === null && !plan.waits) return
    const said = { id: engineMessageId, author: session.number, pushName: session.name, recipient: number }
    const due = plan.arrivesAt ?? startedAt
    await phoneMessages.deliverToInstances(tx, instance.accountId, { ...said, group, content }, due)
  }

  function prepare(message: OutgoingMessage, path: Path): { engineMessageId: string; plans: readonly PhonePlan[] } {
    const { instance, messageId, startedAt, group } = message
    const engineMessageId = networkId(instance.engine, messageId)
    const planOn = (phone: Phone, way: Path) => ({
      phone,
      plan: planFor(way, { messageId, engineMessageId, startedAt, phone, timelineMs }),
    })
    if (message.phones.length === 0) return { engineMessageId, plans: [planOn(message.phone, { kind: 'undelivered' })] }
    const pathOn = ({ number }: Phone): Path => {
      if (group === null || path.kind !== 'ordinary') return path
      return outcomeForNumber(instance.engine, number).kind === 'undelivered' ? { kind: 'undelivered' } : path
    }
    return { engineMessageId, plans: message.phones.map((phone) => planOn(phone, pathOn(phone))) }
  }

  function accept(message: OutgoingMessage, path: Path): SendOutcome {
    const { engineMessageId, plans } = prepare(message, path)
    const journal = (tx: Tx) => record(tx, message, engineMessageId, plans)
    const seconds = message.template?.ttlSeconds ?? null
    const validUntilMs = seconds === null ? null : message.startedAt.atMs + seconds * 1_000
    return { kind: 'accepted', engineMessageId, status: plans[0]?.plan.status ?? 'sent', validUntilMs, journal }
  }

  function refuse(
    { instance }: OutgoingMessage,
    { error, restricts }: Extract<SimulatedOutcome, { kind: 'refused' }>,
  ): SendOutcome {
    if (restricts === undefined) return { kind: 'refused', error }
    const journal = async (tx: Tx) => {
      const now = clock.now()
      await sessions.restrict(tx, instance.id, now, now + RESTRICTION_MS)
    }
    return { kind: 'refused', error, journal }
  }

  /** The outcome is stored before the silence begins, so that a crash cannot change it. */
  async function keepSilent(message: OutgoingMessage): Promise<SendOutcome> {
    const { engineMessageId, plans } = prepare(message, { kind: 'silent', silentMs })
    await db.commit(async (tx) => {
      await message.departure.leave(tx)
      await record(tx, message, engineMessageId, plans)
    })
    await aborted(message.departure.signal)
    return { kind: 'unknown', message: 'The sandbox network did not confirm the message.' }
  }

  async function travel(message: OutgoingMessage, course: SimulatedOutcome, acceptedMs: number): Promise<SendOutcome> {
    if (course.kind === 'unreachable') return UNREACHABLE
    if (course.kind === 'silent') return keepSilent(message)
    // Every answer takes some time. If the caller gives up first, nothing is stored or sent.
    if (acceptedMs > 0 && !(await sleep(clock, acceptedMs, message.departure.signal))) return GIVEN_UP
    switch (course.kind) {
      case 'refused':
        return refuse(message, course)
      case 'throttled':
        return THROTTLED
      case 'token_dead':
        await links.revoke(message.instance.id, 'token_revoked')
        return TOKEN_DEAD
      default:
        return accept(message, course)
    }
  }

  return async function send(
    instance: EngineInstance,
    messageId: MessageId,
    wanted: Outgoing,
    departure: Departure,
    { acceptedMs = timelineMs[0], template: known }: { acceptedMs?: number; template?: Template | undefined } = {},
  ): Promise<SendOutcome> {
    const group = isGroup(wanted.to) ? wanted.to : null
    const to = group ?? parseUserId(wanted.to)
    if (to === undefined) return { kind: 'refused', error: NOBODY }
    const out = { ...wanted, to }
    const session = sessions.of(instance.id)
    if (!isPaired(session) || !session.up) return NOT_READY
    if (out.kind === 'poll' && instance.engine === 'official') return NO_POLLS
    if (out.kind === 'cloud_api' && instance.engine === 'smv2') return NO_PAYLOADS
    if (out.kind === 'forward' && instance.engine === 'official') return NO_FORWARDS
    const problem = out.kind === 'cloud_api' ? problemOf(out.payload) : null
    if (problem !== null) return { kind: 'invalid', message: problem }
    const template = known ?? (await templateOf(instance, out))
    const fault = known === undefined ? templateFault(out, template) : null
    if (fault !== null) return fault
    const startedAt = dueIn(clock, 0)
    const people = group === null ? [out.to] : await othersIn(instance, session, group)
    if (people === undefined) return NO_MEMBER
    if (out.kind !== 'cloud_api' && out.kind !== 'forward') {
      const stranger = out.mentions?.find((number) => number !== session.number && !people.includes(number))
      if (stranger !== undefined)
        return { kind: 'invalid', message: `mentions names ${stranger}, who is not in this group.` }
    }
    const reached = await Promise.all(people.map((number) => phoneOf(instance, number)))
    const phone = reached[0] ?? (await phoneOf(instance, session.number))
    const said = out.kind === 'forward' ? await copyOf(instance, session, out) : await sayingOf(out, template)
    if (said === undefined) return NO_ORIGINAL
    const place = { instance, session, group, phones: reached, phone }
    const message = { ...place, messageId, out, ...said, template, startedAt, departure }
    return travel(message, await courseFor(message), acceptedMs)
  }

  async function phoneOf({ accountId }: EngineInstance, number: string): Promise<Phone> {
    return phones.cached(accountId, number) ?? (await phones.find(accountId, number))
  }

  async function sayingOf(out: Exclude<Outgoing, ForwardedMessage>, template: Template | undefined) {
    const shown = isTemplate(out) && template !== undefined ? phoneTemplate(out.payload.template, template) : {}
    return { content: { ...contentOf(out), ...shown }, file: await files.load(out) }
  }

  /** The message to forward; undefined if the network no longer has it. */
  async function copyOf(instance: EngineInstance, { number }: PairedSession, { original }: ForwardedMessage) {
    const found = await inbox.read(instance.accountId, number, original.engineMessageId)
    if (!found || found.deletedAtMs !== null) return undefined
    const file = await files.read(instance, original.engineMessageId)
    return { content: forwardedContent(found.content), file: file && (await bytesOf(file.content)) }
  }

  /** @returns undefined when this number is not a member. */
  async function othersIn(
    { accountId }: EngineInstance,
    { number: own }: PairedSession,
    group: string,
  ): Promise<string[] | undefined> {
    const members = await groups.membersFor(accountId, own, group)
    return members?.filter((number) => number !== own)
  }
}

const isGroup = (to: string): boolean => to.endsWith('@g.us')
const NO_MEMBER: SendOutcome = { kind: 'invalid', message: 'This instance is in no group with this id.' }

const NO_ORIGINAL: SendOutcome = {
  kind: 'invalid',
  message: 'The sandbox network no longer has the message in message_id. Send its content as a new message.',
}

const NOBODY: MessageErrorShape = {
  code: 'undeliverable',
  message: 'Nobody on the sandbox network has this id.',
  provider_code: 131_026,
}
const BLOCKED: SimulatedOutcome = {
  kind: 'refused',
  error: { ...NOBODY, message: 'This number has blocked the person. Unblock them first.' },
}
const NO_POLLS: SendOutcome = { kind: 'invalid', message: 'The official engine does not support polls.' }
const NO_PAYLOADS: SendOutcome = { kind: 'invalid', message: 'cloud_api is for the official engine.' }
const NO_FORWARDS: SendOutcome = { kind: 'invalid', message: 'The official engine does not forward messages.' }
const NOT_READY: SendOutcome = { kind: 'not_ready', message: 'The instance is not connected to the sandbox network' }
const UNREACHABLE: SendOutcome = { kind: 'nothing_sent', message: 'The sandbox engine cannot be reached' }
const GIVEN_UP: SendOutcome = { kind: 'nothing_sent', message: 'The sandbox network did not answer in time' }
const TOKEN_DEAD: SendOutcome = { kind: 'not_ready', message: 'The access token is no longer valid (190)' }
const THROTTLED: SendOutcome = {
  kind: 'nothing_sent',
  message: 'This number has reached the rate limit of the network (130429)',
  retryAfterSeconds: THROTTLED_SECONDS,
}

const PAUSED_TEMPLATE = 'Meta refused cloud_api (132015): the template is paused due to low quality'
const DISABLED_TEMPLATE = 'Meta refused cloud_api (132016): the template was paused too often and is disabled'
const MISSING_TEMPLATE = 'Meta refused cloud_api (132001): Meta has not approved a template with this name and language'

type Json = Readonly<Record<string, unknown>>
type TemplateMessage = { readonly kind: 'cloud_api'; readonly payload: { readonly template: Json } }

/** `problemOf` has checked its payload. */
const isTemplate = (out: Outgoing): out is Extract<Outgoing, { kind: 'cloud_api' }> & TemplateMessage =>
  out.kind === 'cloud_api' && 'type' in out.payload && out.payload.type === 'template'

/** Graph's error for a payload that is not a valid message. */
function problemOf(payload: object): string | null {
  const { type = 'text' } = payload as Json
  if (typeof type !== 'string') return '(#100) cloud_api.type must be a string such as "template"'
  const content = contentIn(payload as Json, type)
  if (content === undefined) return `(#100) cloud_api of the type "${type}" needs an object named "${type}"`
  const problem = isMessageType(type) ? contentProblem(type, content) : 'Param type must be one of the supported types.'
  return problem === undefined ? null : `Meta refused cloud_api (100): ${problem}`
}
