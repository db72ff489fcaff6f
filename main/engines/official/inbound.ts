import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId, MessageId } from '../../kernel/ids.ts'
import type { EngineSink, MessageOrigin } from '../engine.ts'
import type { ReceivedSignal } from '../received.ts'
import type { CloudCallEvent } from './calling.ts'
import type { CategoryChanges } from './category-changes.ts'
import type { ReceivedMedia, Item, Person, SaidMessage } from './callback-items.ts'
import { failureOf, meaningOf } from './errors.ts'
import { groupEvents } from './group-events.ts'
import { groupName } from './group-id.ts'
import type { GroupRequests } from './group-requests.ts'
import type { Holds } from './holds.ts'
import { textAt } from './json.ts'
import { afterAccountChange, readAccountUpdate } from './account-updates.ts'
import { afterGroupStatus, afterNotice, afterNumberError } from './notices.ts'
import { afterCapabilityUpdate, afterQualityUpdate, type NumberFacts } from './number-facts.ts'
import type { ConnectedNumber, Numbers } from './numbers.ts'
import type { People } from './people.ts'
import { callerOf } from './graph-caller.ts'
import type { ArchivedTemplates } from './archived-templates.ts'
import type { RecategorizedTemplates } from './recategorized-templates.ts'
import type { TemplateStates } from './template-states.ts'
import type { TemplateWordsStore } from './template-words.ts'
import { createTemplateNotices } from './templates.ts'
import type { Transport } from './transport.ts'
import type { NumberMonitor } from './number-monitor.ts'

export interface Inbound {
  /** Publishes to the rooms, or stores the new state of the number; resolves once it is durable. Idempotent. */
  publish(number: ConnectedNumber, item: Item): Promise<void>
  /** A status that names its message by Meta's id alone. */
  isUnnamed(item: Item): boolean
}

interface InboundDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'mono'>
  readonly numbers: Numbers
  readonly transport: Transport
  readonly watch: Pick<NumberMonitor, 'refused' | 'follow'>
  readonly holds: Pick<Holds, 'begin' | 'end'>
  readonly sink: EngineSink
  readonly people: People
  readonly categoryChanges: Pick<CategoryChanges, 'note'>
  readonly recategorized: Pick<RecategorizedTemplates, 'note'>
  readonly archived: Pick<ArchivedTemplates, 'note'>
  readonly states: Pick<TemplateStates, 'note'>
  readonly words: Pick<TemplateWordsStore, 'learn' | 'forget'>
  readonly groupRequests: Pick<GroupRequests, 'note'>
  readonly callbackAddress: (id: InstanceId) => string | null
  readonly publishCall: (id: InstanceId, event: CloudCallEvent, atMs: number) => Promise<void>
}

/** Converts each item that Meta reports into signals of the engine port. */
export function createInbound(deps: InboundDeps): Inbound {
  const { db, clock, numbers, transport, watch, holds, sink, people, groupRequests } = deps
  const { callbackAddress, publishCall, words } = deps

  const noteTemplate = createTemplateNotices(deps)

  async function publish(number: ConnectedNumber, item: Item): Promise<void> {
    const { instanceId } = number
    await noteCallBack(number)
    switch (item.kind) {
      case 'status': {
        const { id: engineMessageId, status, atMs, recipient, price } = item
        const billing = { numberId: number.phoneNumberId, businessId: number.wabaId, recipient, price }
        const messageId = ourId(item.opaque)
        await sink(instanceId, { kind: 'receipt', messageId, status, atMs, engineMessageId, billing })
        if (status === 'sent') await holds.end(number, atMs)
        return
      }
      case 'failed': {
        const { id: engineMessageId, atMs } = item
        const error = failureOf(item.error)
        const meaning = meaningOf(item.error)
        if (meaning?.kind === 'held') await holds.begin(number, meaning.reason)
        return sink(instanceId, { kind: 'failed', messageId: ourId(item.opaque), error, atMs, engineMessageId })
      }
      case 'number_error': {
        const meaning = meaningOf(item.error)
        if (meaning?.kind === 'held') return holds.begin(number, meaning.reason)
        return note(number, (facts) => afterNumberError(facts, item.error, item.atMs))
      }
      case 'known':
        return people.know(instanceId, item)
      case 'changed':
        return people.changed(instanceId, item)
      case 'username': {
        const person = await people.nameOf(instanceId, item.person)
        return sink(instanceId, { kind: 'username', person, username: item.username })
      }
      case 'message':
        return sink(instanceId, await received(number, item))
      case 'past': {
        const messages: ReceivedSignal[] = []
        for (const message of item.messages) messages.push(await received(number, message, UNKNOWN_SIZE))
        return sink(instanceId, { kind: 'past', messages })
      }
      case 'address_book':
        return sink(instanceId, { kind: 'address_book', people: item.people })
      case 'edited':
        return sink(instanceId, { kind: 'edited', text: item.text, ...(await spoken(number, item, item.target)) })
      case 'deleted': {
        const said = await spoken(number, item, item.target)
        return sink(instanceId, { kind: 'deleted', deletedBy: said.from, ...said })
      }
      case 'reaction':
        return sink(instanceId, { kind: 'reaction', emoji: item.emoji, ...(await spoken(number, item, item.target)) })
      case 'call':
        return publishCall(instanceId, item.event, item.atMs)
      case 'group':
        return group(number, item)
      case 'handover': {
        const chat = await people.nameOf(instanceId, item.person)
        return sink(instanceId, { kind: 'handover', chat, to: item.to, atMs: item.atMs })
      }
      case 'marketing': {
        const { wants, atMs } = item
        const person = await people.nameOf(instanceId, item.person)
        return sink(instanceId, { kind: 'marketing', person, wants, atMs })
      }
      case 'quality':
        await note(number, (facts) => afterQualityUpdate(facts, item.value, item.atMs))
        // Asks Meta for what the callback no longer contains.
        return watch.follow(instanceId)
      case 'capability':
        return note(number, (facts) => afterCapabilityUpdate(facts, item.value, item.atMs))
      case 'account':
        return account(number, item)
      case 'notice':
        await note(number, (facts) => afterNotice(facts, item.field, item.value, item.atMs))
        // Meta has decided on the name that is shown to people.
        return item.field === 'phone_number_name_update' ? watch.follow(instanceId) : undefined
      case 'template':
        return template(number, item)
    }
  }

  async function template(number: ConnectedNumber, item: Extract<Item, { kind: 'template' }>): Promise<void> {
    const signal = await noteTemplate(number, item)
    const isChanged = item.field === 'message_template_components_update'
    if (signal.template !== null && isChanged) await words.forget(number, signal.template)
    if (signal.template !== null && (isChanged || signal.use === 'usable')) words.learn(number, signal.template)
    await sink(number.instanceId, signal)
  }

  /** A received callback proves that Meta's callbacks arrive. */
  async function noteCallBack(number: ConnectedNumber): Promise<void> {
    const address = callbackAddress(number.instanceId)
    if (address === null || (number.facts?.callsBackTo ?? null) !== null) return
    await note(number, (facts) => ({ ...facts, callsBackTo: address }))
  }

  async function note({ instanceId }: ConnectedNumber, change: (facts: NumberFacts) => NumberFacts): Promise<void> {
    await db.commit((tx) => numbers.note(tx, instanceId, change))
  }

  async function account(number: ConnectedNumber, { value, atMs }: Extract<Item, { kind: 'account' }>): Promise<void> {
    const change = readAccountUpdate(value, atMs)
    if (change.kind === 'nothing') return
    await note(number, (facts) => afterAccountChange(facts, change, atMs))
    if (change.kind === 'banned') return watch.refused(number.instanceId, 'banned', BANNED)
    if (change.kind === 'removed') return watch.refused(number.instanceId, 'token_revoked', 0)
    if (change.kind === 'reinstated') return watch.follow(number.instanceId)
  }

  /**
   * A change that Switchboard requested is answered to the waiting caller; other changes go to the webhook of the
   * instance.
   */
  async function group(
    number: ConnectedNumber,
    { type, value, atMs }: Extract<Item, { kind: 'group' }>,
  ): Promise<void> {
    const { instanceId } = number
    const id = groupName(textAt(value, 'group_id') ?? '')
    if (id !== null && type.startsWith('group_suspend'))
      await note(number, (facts) => afterGroupStatus(facts, id, type, atMs))
    const requestId = textAt(value, 'request_id')
    if (requestId !== null) groupRequests.note(requestId, value)
    for (const event of await groupEvents(value, (person) => people.nameOf(instanceId, person)))
      await sink(instanceId, { kind: 'line_event', event })
  }

  async function spoken(
    number: ConnectedNumber,
    { person, group, isEcho, atMs }: { person: Person; group: string | null; isEcho: boolean; atMs: number },
    engineMessageId: string,
  ): Promise<MessageOrigin> {
    const name = await people.nameOf(number.instanceId, person)
    return { engineMessageId, chat: group ?? name, from: isEcho ? number.number : name, fromMe: isEcho, atMs }
  }

  async function received(
    number: ConnectedNumber,
    item: SaidMessage,
    size: number | null = null,
  ): Promise<ReceivedSignal> {
    const said = await spoken(number, item, item.id)
    const { type, text, pushName, media, quoted, forwarded, referral, content } = item
    return {
      kind: 'received',
      ...said,
      type,
      text,
      isGroup: item.group !== null,
      pushName,
      media: media === null ? null : { ...media, size: size ?? (await sizeOf(number, media)) },
      quotedEngineMessageId: quoted,
      forwarded,
      participant: item.group === null || item.isEcho ? null : said.from,
      referral: referral === null ? null : { ...referral },
      fromLid: said.from === item.person.userId ? said.from : null,
      content,
    }
  }

  /** Numbers for which Meta recently gave no file size, and when to ask again. */
  const sizePausedUntil = new Map<InstanceId, number>()

  /**
   * Meta reports the size of a file only on request, and callbacks wait for the answer. After one request without an
   * answer, the sizes of the number's other files are not requested for a while; 0 means unknown.
   */
  async function sizeOf(number: ConnectedNumber, { id }: ReceivedMedia): Promise<number> {
    const speaker = callerOf(number)
    if (!speaker || clock.mono() < (sizePausedUntil.get(number.instanceId) ?? 0)) return 0
    const found = await transport.mediaSize(speaker, number.phoneNumberId, id)
    if (found.kind === 'ok') return found.value
    if (found.kind !== 'error') sizePausedUntil.set(number.instanceId, clock.mono() + SIZE_PAUSE_MS)
    return 0
  }

  return {
    publish,
    isUnnamed: (item) => (item.kind === 'status' || item.kind === 'failed') && ourId(item.opaque) === null,
  }
}

/** Accepts only ids made by ids.ts: a raw payload may contain anything. */
function ourId(opaque: string | null): MessageId | null {
  return opaque !== null && /^msg_[0-9A-HJKMNP-TV-Z]{26}$/.test(opaque) ? (opaque as MessageId) : null
}

/** Meta is not asked for the sizes of old files, because there are many. */
const UNKNOWN_SIZE = 0
const SIZE_PAUSE_MS = 60_000

/** Meta's code for an account that it has locked. */
const BANNED = 131_031
