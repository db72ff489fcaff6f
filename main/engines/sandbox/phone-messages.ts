import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn, type Due } from '../../kernel/due.ts'
import type { AccountId, InstanceId, Random } from '../../kernel/ids.ts'
import type { EngineSignal, MessageOrigin } from '../engine.ts'
import type { Blocks } from './blocks.ts'
import { chatOf, type ChatTimers } from './chat-timers.ts'
import type { Groups } from './groups.ts'
import type { Content, Inbox, PhoneMessage } from './inbox.ts'
import type { Sessions } from './sessions.ts'
import { phoneMessageId, defaultName, memberCopyId } from './network-ids.ts'
import type { KnownPhone, Phones } from './phones.ts'
import { toReceivedSignal, type MessageInTransit } from './received-signal.ts'
import { tapReply, type Tap } from './taps.ts'
import type { Timeline } from './timeline.ts'

/** A message that a phone sends. */
export interface Utterance {
  readonly to: string
  readonly group: string | null
  readonly content: Content
}

/** A message sent by a phone, and the instances that receive it. */
export interface SpokenMessage {
  readonly message: PhoneMessage
  /** Instances that receive it, now or when they reconnect. */
  readonly instanceIds: readonly InstanceId[]
}

interface PhoneMessagesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly sessions: Sessions
  readonly phones: Phones
  readonly inbox: Inbox
  readonly timeline: Timeline
  readonly groups: Groups
  readonly blocks: Blocks
  readonly chatTimers: Pick<ChatTimers, 'load' | 'of'>
}

export type PhoneMessages = ReturnType<typeof createPhoneMessages>

/** Messages sent from phones, and their delivery to instances. */
export function createPhoneMessages(deps: PhoneMessagesDeps) {
  const { db, clock, random, sessions, phones, inbox, timeline, groups, blocks, chatTimers } = deps
  async function schedule(tx: Tx, instanceId: InstanceId, chat: string, due: Due, signal: EngineSignal): Promise<void> {
    const when = { step: 0, due, phone: null, offsetMs: 0 }
    await timeline.schedule(tx, { instanceId, lane: `${instanceId} ${chat}`, ...when, signal })
  }

  /** A recipient who has blocked the author gets nothing, except in groups. */
  const isBlocked = async (tx: Tx, accountId: AccountId, { author, recipient, group }: Parties): Promise<boolean> =>
    group === null && (await blocks.has(tx, accountId, recipient, author))

  /** Reports to the recipient's instances and to the sender's own: linked devices see what their phone sends. */
  async function publishToBoth(
    tx: Tx,
    accountId: AccountId,
    parties: Parties,
    signalFor: (heard: { chat: string; fromMe: boolean }) => EngineSignal,
  ): Promise<InstanceId[]> {
    const told = [...(await publishToRecipient(tx, accountId, parties, signalFor))]
    const { author, recipient, group } = parties
    const owners = sessions.withNumber(accountId, author).filter((id) => !told.includes(id))
    for (const id of owners) {
      const chat = group ?? recipient
      await schedule(tx, id, chat, dueIn(clock, 0), signalFor({ chat, fromMe: true }))
    }
    return [...told, ...owners]
  }

  async function publishToRecipient(
    tx: Tx,
    accountId: AccountId,
    parties: Parties,
    signalFor: (heard: { chat: string; fromMe: boolean }) => EngineSignal,
  ): Promise<readonly InstanceId[]> {
    const { author, recipient, group } = parties
    const recipients = (await isBlocked(tx, accountId, parties)) ? [] : sessions.withNumber(accountId, recipient)
    for (const id of recipients) {
      const chat = group ?? author
      await schedule(tx, id, chat, dueIn(clock, 0), signalFor({ chat, fromMe: author === recipient }))
    }
    return recipients
  }

  /** A message that the phone's owner may change. @throws ApiError not_found */
  async function getMessage(tx: Tx, accountId: AccountId, number: string, id: string): Promise<PhoneMessage> {
    const message = await inbox.find(tx, accountId, number, id)
    if (message === undefined || (message.author !== number && message.recipient !== number)) {
      throw new ApiError(
        'not_found',
        `The phone ${number} has no message ${id}. List its messages with GET …/messages.`,
      )
    }
    if (message.deletedAtMs !== null) throw new ApiError('invalid_state', `The message ${id} was deleted.`)
    return message
  }

  /** Converts the quoted id to the network's id, whichever id the caller used. */
  async function quoting(tx: Tx, accountId: AccountId, number: string, content: Content): Promise<Content> {
    if (content.quoted === undefined) return content
    const quoted = await inbox.find(tx, accountId, number, content.quoted)
    if (quoted !== undefined) return { ...content, quoted: quoted.id }
    throw new ApiError(
      'not_found',
      `There is no message ${content.quoted} to quote. List the messages of a phone with GET …/messages.`,
    )
  }

  async function reread(tx: Tx, accountId: AccountId, number: string, id: string): Promise<PhoneMessage> {
    const message = await inbox.find(tx, accountId, number, id)
    if (message === undefined) throw new Error('A message that was just written is not there')
    return message
  }

  const spokenAs = (
    message: PhoneMessage,
    actor: string,
    chat: string,
    fromMe: boolean,
    atMs: number,
  ): MessageOrigin => ({
    engineMessageId: message.id,
    chat,
    from: actor,
    fromMe,
    atMs,
  })

  /** Publishes an edit, deletion or reaction to everybody who has the message, and to the actor's own instances. */
  async function publishChange(
    tx: Tx,
    accountId: AccountId,
    message: PhoneMessage,
    actor: string,
    atMs: number,
    signal: (spoken: MessageOrigin) => EngineSignal,
  ): Promise<void> {
    const signalFor = ({ chat, fromMe }: { chat: string; fromMe: boolean }) =>
      signal(spokenAs(message, actor, chat, fromMe, atMs))
    const everybody = new Set([message.author, ...(await inbox.recipientsOf(tx, message))])
    const [other = actor, ...more] = [...everybody].filter((number) => number !== actor)
    await publishToBoth(tx, accountId, { author: actor, recipient: other, group: message.group }, signalFor)
    for (const recipient of more) {
      await publishToRecipient(tx, accountId, { author: actor, recipient, group: message.group }, signalFor)
    }
  }

  async function speak(accountId: AccountId, number: string, utterance: Utterance): Promise<SpokenMessage> {
    const { to, group } = utterance
    const id = phoneMessageId(clock.now(), random)
    await chatTimers.load()
    return db.commit(async (tx) => {
      const now = clock.now()
      const timerSeconds = chatTimers.of(accountId, chatOf(number, to, group))
      const author = await phones.ensure(tx, accountId, number, now)
      const recipient = await phones.ensure(tx, accountId, to, now)
      const content = await quoting(tx, accountId, number, utterance.content)
      const parties = { author: number, recipient: to, group }
      const arrival = (await isBlocked(tx, accountId, parties)) ? NOT_RECEIVED : arrivalAt(recipient, now)
      if (group !== null) await groups.spokenIn(tx, accountId, group, [number, to])
      await inbox.add(tx, {
        id,
        phone: recipient.seq,
        author: number,
        instanceId: null,
        group,
        content,
        sentAtMs: now,
        ...arrival,
        disappearsAtMs: timerSeconds === 0 ? null : now + timerSeconds * 1_000,
      })
      await phones.spoke(tx, author, now)
      const said = { id, author: number, pushName: author.name ?? defaultName(number), recipient: to, group, content }
      const instanceIds = await publishToBoth(tx, accountId, said, ({ chat, fromMe }) =>
        toReceivedSignal(said, chat, fromMe, now),
      )
      return { message: await reread(tx, accountId, number, id), instanceIds }
    })
  }

  return {
    /** Delivers a message that an instance sent to instances with the recipient's number. */
    async deliverToInstances(tx: Tx, accountId: AccountId, said: MessageInTransit, due: Due): Promise<void> {
      if (await isBlocked(tx, accountId, said)) return
      for (const id of sessions.withNumber(accountId, said.recipient)) {
        const chat = said.group ?? said.author
        await schedule(tx, id, chat, due, toReceivedSignal(said, chat, false, due.atMs))
      }
    },

    speak,

    /** Posts a text status for a day, which the phones of the audience show. @returns its network id. */
    async postStatus(accountId: AccountId, number: string, text: string, audience: readonly string[]): Promise<string> {
      const id = phoneMessageId(clock.now(), random)
      await db.commit(async (tx) => {
        const now = clock.now()
        for (const [index, viewer] of audience.entries()) {
          const phone = await phones.ensure(tx, accountId, viewer, now)
          const arrival = (await isBlocked(tx, accountId, { author: number, recipient: viewer, group: null }))
            ? NOT_RECEIVED
            : arrivalAt(phone, now)
          await inbox.add(tx, {
            id: index === 0 ? id : memberCopyId(id, viewer),
            ...{ phone: phone.seq, author: number, instanceId: null, group: STATUS, content: { type: 'status', text } },
            ...{ sentAtMs: now, ...arrival, disappearsAtMs: now + STATUS_MS },
          })
        }
      })
      return id
    },
    /** @throws ApiError not_found, invalid_state when it was deleted. */
    deleteStatus: (accountId: AccountId, number: string, id: string): Promise<void> =>
      db.commit(async (tx) => {
        const status = await getMessage(tx, accountId, number, id)
        if (status.group !== STATUS || status.author !== number)
          throw new ApiError('not_found', 'This instance has posted no status with this message_id.')
        await inbox.erase(tx, status, clock.now())
      }),

    /** Taps a button, a row or a form of a message that the phone has received. */
    async tap(accountId: AccountId, number: string, id: string, tap: Tap): Promise<SpokenMessage> {
      const { message, name } = await db.commit(async (tx) => ({
        message: await getMessage(tx, accountId, number, id),
        name: (await phones.ensure(tx, accountId, number, clock.now())).name ?? defaultName(number),
      }))
      if (message.recipient !== number)
        throw new ApiError('invalid_state', 'A phone can only tap messages it has received.')
      const content = tapReply(message, tap, { name, number })
      return speak(accountId, number, { to: message.author, group: null, content })
    },

    /** A message of the phone's chats. @throws ApiError not_found, invalid_state when it was deleted. */
    find: (accountId: AccountId, number: string, id: string): Promise<PhoneMessage> =>
      db.commit((tx) => getMessage(tx, accountId, number, id)),

    edit(accountId: AccountId, number: string, id: string, text: string): Promise<PhoneMessage> {
      return db.commit(async (tx) => {
        const now = clock.now()
        const message = await getMessage(tx, accountId, number, id)
        requireOwn(message, number, 'edit')
        if (message.content.type !== 'text') throw new ApiError('invalid_state', 'Only text messages can be edited.')
        await inbox.edit(tx, message, text, now)
        await publishChange(tx, accountId, message, number, now, (spoken) => ({ kind: 'edited', text, ...spoken }))
        return reread(tx, accountId, number, message.id)
      })
    },

    /** @param seconds how long it stays pinned; null unpins it. */
    pin(accountId: AccountId, number: string, id: string, seconds: number | null): Promise<void> {
      return db.commit(async (tx) => {
        const message = await getMessage(tx, accountId, number, id)
        const until = seconds === null ? null : isoTime(clock.now() + seconds * 1_000)
        await inbox.setDetails(tx, message, { pinned_until: until })
      })
    },

    remove(accountId: AccountId, number: string, id: string): Promise<PhoneMessage> {
      return db.commit(async (tx) => {
        const now = clock.now()
        const message = await getMessage(tx, accountId, number, id)
        requireOwn(message, number, 'delete')
        await inbox.erase(tx, message, now)
        const deletedBy = number
        await publishChange(tx, accountId, message, number, now, (spoken) => ({
          kind: 'deleted',
          deletedBy,
          ...spoken,
        }))
        return reread(tx, accountId, number, message.id)
      })
    },

    /** @param options all chosen options; an empty list removes the vote. */
    vote(accountId: AccountId, number: string, id: string, options: readonly string[]): Promise<PhoneMessage> {
      return db.commit(async (tx) => {
        const now = clock.now()
        const message = await getMessage(tx, accountId, number, id)
        requireOptions(message, options)
        await publishChange(tx, accountId, message, number, now, (spoken) => ({ kind: 'vote', options, ...spoken }))
        return reread(tx, accountId, number, message.id)
      })
    },

    /** @param emoji '' removes the reaction. */
    react(accountId: AccountId, number: string, id: string, emoji: string): Promise<PhoneMessage> {
      return db.commit(async (tx) => {
        const now = clock.now()
        const message = await getMessage(tx, accountId, number, id)
        await inbox.react(tx, message, number, emoji)
        await publishChange(tx, accountId, message, number, now, (spoken) => ({ kind: 'reaction', emoji, ...spoken }))
        return reread(tx, accountId, number, message.id)
      })
    },
  }
}

/** The chat in which WhatsApp keeps status posts. */
const STATUS = 'status@broadcast'
const STATUS_MS = 86_400_000

type Parties = Pick<MessageInTransit, 'author' | 'recipient' | 'group'>

const NOT_RECEIVED = { receivedAtMs: null, waits: false }

/** Messages between phones have no timeline: they arrive immediately, or when the phone comes online. */
function arrivalAt(phone: KnownPhone, nowMs: number) {
  return phone.online ? { receivedAtMs: nowMs, waits: false } : { receivedAtMs: null, waits: true }
}

function requireOptions({ content: { content } }: PhoneMessage, options: readonly string[]): void {
  if (content?.type !== 'poll')
    throw new ApiError('invalid_state', 'Only polls can be voted in. This message is not one.')
  const unknown = options.find((option) => !content.options.includes(option))
  if (unknown !== undefined)
    throw new ApiError('validation_error', `The poll has no option ${JSON.stringify(unknown)}.`)
  const { max_choices: most } = content
  if (most !== null && options.length > most)
    throw new ApiError('validation_error', `The poll allows ${most} of its options. Choose fewer.`)
}

function requireOwn(message: PhoneMessage, number: string, verb: string): void {
  if (message.author === number) return
  throw new ApiError('invalid_state', `A phone can only ${verb} its own messages. This one is from ${message.author}.`)
}
