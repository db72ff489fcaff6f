import { chatTypeOf } from '../../contract/addresses.ts'
import type { EventData } from '../../contract/events.ts'
import { isoTime } from '../../contract/request.ts'
import type { EngineSignal } from '../../engines/engine.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Ids, InstanceId } from '../../kernel/ids.ts'
import type { Announce } from '../instances/index.ts'
import { chatAsFirstGiven } from './chat-name.ts'
import { forwardedFields } from './conversation-record.ts'
import type { FusionPort } from './deps.ts'
import {
  anyByEngineId,
  editText,
  fillReceived,
  receivedByEngineId,
  insertReceived,
  markDeleted,
  receivedMedia,
  setMedia,
  upsertReaction,
  upsertVote,
} from './store.ts'
import type { Unread } from './unread.ts'
import type { UsageCounter } from './usage-counter.ts'

type Signal<K extends EngineSignal['kind']> = Extract<EngineSignal, { kind: K }>

interface InboundDeps {
  readonly db: Db
  readonly ids: Ids
  readonly announce: Announce
  readonly fusion: FusionPort
  readonly unread: Pick<Unread, 'received' | 'read'>
  readonly counted: Pick<UsageCounter, 'received' | 'file'>
  readonly onStored: (instanceId: string, chat: string, atMs: number) => void
}

/**
 * What people say on the network. Engines repeat a signal until it is durable, so each unit asks the database whether
 * it was received already, and never a memory that could be ahead of it: that has lost real messages elsewhere.
 *
 * Two fused instances are one number with two engines, and both report what people say to it. Whichever comes second
 * finds the message on the other side, and from there on it is the same repeat as any other.
 */
export function createInbound({ db, ids, announce, fusion, unread, counted, onStored }: InboundDeps) {
  /** Instances that may have the message, the one that reports it first. */
  const sidesOf = async (tx: Tx, instanceId: InstanceId): Promise<InstanceId[]> => {
    const partnerId = await fusion.partnerOf(tx, instanceId)
    return partnerId === undefined ? [instanceId] : [instanceId, partnerId]
  }

  const find = async (tx: Tx, sides: readonly InstanceId[], engineMessageId: string) => {
    for (const instanceId of sides) {
      const known = await tx.one(anyByEngineId, { instanceId, engineMessageId })
      if (known) return known
    }
    return undefined
  }

  /** Our id of a message; the network's own when the message is older than this instance here. */
  const idOf = async (tx: Tx, sides: readonly InstanceId[], engineMessageId: string) => {
    const known = await find(tx, sides, engineMessageId)
    return { seq: known?.seq, id: known?.id ?? engineMessageId }
  }

  const findReceived = async (tx: Tx, sides: readonly InstanceId[], { engineMessageId, chat }: Signal<'received'>) => {
    for (const instanceId of sides) {
      const known = await tx.one(receivedByEngineId, { instanceId, engineMessageId, chat })
      if (known) return { ...known, instanceId }
    }
    return undefined
  }

  /** By the name that its chat has here. */
  const named = async <S extends Author>(tx: Tx, instanceId: InstanceId, signal: S): Promise<S> => {
    const chat = await chatAsFirstGiven(tx, instanceId, signal.chat)
    return chat === signal.chat ? signal : { ...signal, chat, from: signal.from === signal.chat ? chat : signal.from }
  }

  const received = async (instanceId: InstanceId, reported: Signal<'received'>): Promise<void> => {
    const newId = ids.message()
    await db.commit(async (tx) => {
      const signal = await named(tx, instanceId, reported)
      const sides = await sidesOf(tx, instanceId)
      const known = await findReceived(tx, sides, signal)
      // A message that came without its content may arrive again with it, for example after the phone was asked for it.
      const isFilled = known?.type === 'unavailable' && known.instanceId === instanceId && known.deletedAtMs === null
      if (known && (!isFilled || signal.type === 'unavailable')) return
      // The phone also reports messages that were sent through the service. These have a row and events already.
      if (!known && signal.fromMe && (await find(tx, sides, signal.engineMessageId))?.direction === 'out') return
      const id = known?.id ?? newId
      const quoted = signal.quotedEngineMessageId
      const quotedId = quoted === null ? null : (await idOf(tx, sides, quoted)).id
      const event = await announce(tx, instanceId, 'message.received', receivedData(id, signal, quotedId), signal.atMs)
      const columns = columnsOf(signal, quotedId)
      const { accountId } = event
      if (known) {
        await tx.run(fillReceived, { ...columns, seq: known.seq })
        await counted.file(tx, { accountId, instanceId, media: columns.media, createdAtMs: known.createdAtMs })
      } else {
        const seq = await tx.next('messages')
        await tx.run(insertReceived, { ...columns, seq, id, accountId, instanceId })
        await counted.received(tx, { accountId, instanceId, ...columns })
        if (signal.fromMe) for (const side of sides) await unread.read(tx, side, signal.chat)
        else await unread.received(tx, instanceId, signal.chat)
      }
      tx.afterCommit(() => onStored(instanceId, signal.chat, signal.atMs))
    })
  }

  /**
   * A vote is no message of the conversation, but it is something that somebody said: it is announced as received, each
   * time it changes. It may come before the poll.
   */
  const vote = async (instanceId: InstanceId, reported: Signal<'vote'>): Promise<void> => {
    const id = ids.message()
    await db.commit(async (tx) => {
      const signal = await named(tx, instanceId, reported)
      const { engineMessageId, from: voter, atMs, options } = signal
      const row = { instanceId, engineMessageId, voter, options: JSON.stringify(options), at: atMs }
      if ((await tx.run(upsertVote, row)) === 0) return
      const poll = await idOf(tx, await sidesOf(tx, instanceId), engineMessageId)
      await announce(tx, instanceId, 'message.received', voteData(id, signal, poll.id), atMs)
    })
  }

  const edited = (instanceId: InstanceId, reported: Signal<'edited'>): Promise<void> =>
    db.commit(async (tx) => {
      const signal = await named(tx, instanceId, reported)
      const { seq, id } = await idOf(tx, await sidesOf(tx, instanceId), signal.engineMessageId)
      const { text, atMs } = signal
      if (seq !== undefined && (await tx.run(editText, { seq, text, at: atMs })) === 0) return
      const data = { ...authorData(id, signal), text, edited_at: isoTime(atMs) }
      await announce(tx, instanceId, 'message.edited', data, atMs)
    })

  const deleted = (instanceId: InstanceId, reported: Signal<'deleted'>): Promise<void> =>
    db.commit(async (tx) => {
      const signal = await named(tx, instanceId, reported)
      const { seq, id } = await idOf(tx, await sidesOf(tx, instanceId), signal.engineMessageId)
      const { deletedBy, atMs } = signal
      if (seq !== undefined && (await tx.run(markDeleted, { seq, at: atMs })) === 0) return
      const data = { ...authorData(id, signal), deleted_by: deletedBy, deleted_at: isoTime(atMs) }
      await announce(tx, instanceId, 'message.deleted', data, atMs)
    })

  const reaction = (instanceId: InstanceId, reported: Signal<'reaction'>): Promise<void> =>
    db.commit(async (tx) => {
      const signal = await named(tx, instanceId, reported)
      const { seq, id } = await idOf(tx, await sidesOf(tx, instanceId), signal.engineMessageId)
      const { from, emoji, atMs } = signal
      if (seq !== undefined && (await tx.run(upsertReaction, { seq, sender: from, emoji, at: atMs })) === 0) return
      await announce(tx, instanceId, 'message.reaction', { ...authorData(id, signal), emoji }, atMs)
    })

  /** @returns whose message it is, unless it is unknown or had its file. */
  const mediaArrived = (
    instanceId: InstanceId,
    { engineMessageId, mediaId, size }: Signal<'media_arrived'>,
  ): Promise<AccountId | undefined> =>
    db.commit(async (tx) => {
      for (const side of await sidesOf(tx, instanceId)) {
        for (const row of await tx.all(receivedMedia, { instanceId: side, engineMessageId })) {
          const { pending, ...media } = JSON.parse(row.media) as { id?: string; pending?: boolean }
          if (media.id !== mediaId || !pending) continue
          const arrived = JSON.stringify({ ...media, size })
          await tx.run(setMedia, { seq: row.seq, media: arrived })
          await counted.file(tx, { ...row, media: arrived })
          return row.accountId
        }
      }
      return undefined
    })

  return { mediaArrived, received, vote, edited, deleted, reaction }
}

interface Author {
  readonly chat: string
  readonly from: string
  readonly fromMe: boolean
}

const authorData = (messageId: string, { chat, from, fromMe }: Author) => ({
  message_id: messageId,
  chat,
  from,
  from_me: fromMe,
})

function receivedData(id: string, signal: Signal<'received'>, quotedId: string | null): EventData['message.received'] {
  return {
    ...authorData(id, signal),
    is_group: signal.isGroup,
    chat_type: chatTypeOf(signal.chat),
    type: signal.type,
    text: signal.text,
    timestamp: isoTime(signal.atMs),
    push_name: signal.pushName,
    media: mediaOf(signal),
    quoted_message_id: quotedId,
    participant: signal.participant,
    referral: signal.referral,
    content: signal.content ?? null,
    view_once: signal.viewOnce ?? false,
    ...forwardedFields(signal.forwarded),
    ...(signal.fromLid === null ? {} : { from_lid: signal.fromLid }),
  }
}

function voteData(id: string, signal: Signal<'vote'>, pollId: string): EventData['message.received'] {
  const options = [...signal.options]
  const isGroup = signal.chat.endsWith('@g.us')
  return {
    ...authorData(id, signal),
    ...{ is_group: isGroup, chat_type: chatTypeOf(signal.chat), participant: isGroup ? signal.from : null },
    type: 'poll_vote',
    text: options.join(', '),
    timestamp: isoTime(signal.atMs),
    ...{ push_name: null, media: null, referral: null, view_once: false, ...forwardedFields(null) },
    quoted_message_id: pollId,
    content: { type: 'poll_vote', poll_message_id: pollId, options },
  }
}

function mediaOf({ media }: Signal<'received'>): EventData['message.received']['media'] {
  if (media === null) return null
  const { id, mimeType, size, filename, caption, pending } = media
  return { id, mime_type: mimeType, size, filename, caption, ...(pending && { pending }) }
}

/** For the console only; events do not have it. */
const previewOf = ({ media }: Signal<'received'>) => (media?.preview ? { preview: media.preview } : {})

export function columnsOf(signal: Signal<'received'>, quotedMessageId: string | null) {
  const media = mediaOf(signal)
  const origin = signal.fromMe
    ? ({ direction: 'phone', source: 'phone', status: 'sent', sentAt: signal.atMs } as const)
    : ({ direction: 'in', source: null, status: null, sentAt: null } as const)
  return {
    ...origin,
    chat: signal.chat,
    sender: signal.from,
    type: signal.type,
    text: signal.text,
    media: media === null ? null : JSON.stringify({ ...media, ...previewOf(signal) }),
    engineMessageId: signal.engineMessageId,
    pushName: signal.pushName,
    participant: signal.participant,
    isGroup: signal.isGroup ? (1 as const) : (0 as const),
    content: signal.content ? JSON.stringify(signal.content) : null,
    viewOnce: signal.viewOnce === true ? (1 as const) : (0 as const),
    forwarded: signal.forwarded ?? null,
    quotedMessageId,
    createdAt: signal.atMs,
  }
}
