import type { EventData } from '../../contract/events.ts'
import { isoTime } from '../../contract/request.ts'
import type { EngineSignal } from '../../engines/engine.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Ids, InstanceId } from '../../kernel/ids.ts'
import type { Announce } from '../instances/index.ts'
import type { FusionPort } from './deps.ts'
import { anyByEngineId, editText, receivedByEngineId, insertReceived, markDeleted, upsertReaction } from './store.ts'

type Signal<K extends EngineSignal['kind']> = Extract<EngineSignal, { kind: K }>

interface InboundDeps {
  readonly db: Db
  readonly ids: Ids
  readonly announce: Announce
  readonly fusion: FusionPort
  readonly onStored: (instanceId: string, chat: string, atMs: number) => void
}

/**
 * What people say on the network. Engines repeat a signal until it is durable, so each unit asks the database whether
 * it was received already, and never a memory that could be ahead of it: that has lost real messages elsewhere.
 *
 * Two fused instances are one number with two engines, and both report what people say to it. Whichever comes second
 * finds the message on the other side, and from there on it is the same repeat as any other.
 */
export function createInbound({ db, ids, announce, fusion, onStored }: InboundDeps) {
  /** Whose messages may be the one that is reported: the instance's own first. */
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

  const isKnown = async (
    tx: Tx,
    sides: readonly InstanceId[],
    { engineMessageId, chat, fromMe }: Signal<'received'>,
  ) => {
    for (const instanceId of sides)
      if (await tx.one(receivedByEngineId, { instanceId, engineMessageId, chat })) return true
    // The phone shows what was sent through us as its own; that message has a row and events already.
    return fromMe && (await find(tx, sides, engineMessageId))?.direction === 'out'
  }

  const received = async (instanceId: InstanceId, signal: Signal<'received'>): Promise<void> => {
    const id = ids.message()
    await db.commit(async (tx) => {
      const sides = await sidesOf(tx, instanceId)
      if (await isKnown(tx, sides, signal)) return
      const quoted = signal.quotedEngineMessageId
      const quotedId = quoted === null ? null : (await idOf(tx, sides, quoted)).id
      const event = await announce(tx, instanceId, 'message.received', receivedData(id, signal, quotedId), signal.atMs)
      await tx.run(insertReceived, {
        ...columnsOf(signal),
        seq: await tx.next('messages'),
        id,
        accountId: event.accountId,
        instanceId,
        quotedMessageId: quotedId,
      })
      tx.afterCommit(() => onStored(instanceId, signal.chat, signal.atMs))
    })
  }

  const edited = (instanceId: InstanceId, signal: Signal<'edited'>): Promise<void> =>
    db.commit(async (tx) => {
      const { seq, id } = await idOf(tx, await sidesOf(tx, instanceId), signal.engineMessageId)
      const { text, atMs } = signal
      if (seq !== undefined && (await tx.run(editText, { seq, text, at: atMs })) === 0) return
      const data = { ...authorData(id, signal), text, edited_at: isoTime(atMs) }
      await announce(tx, instanceId, 'message.edited', data, atMs)
    })

  const deleted = (instanceId: InstanceId, signal: Signal<'deleted'>): Promise<void> =>
    db.commit(async (tx) => {
      const { seq, id } = await idOf(tx, await sidesOf(tx, instanceId), signal.engineMessageId)
      const { deletedBy, atMs } = signal
      if (seq !== undefined && (await tx.run(markDeleted, { seq, at: atMs })) === 0) return
      const data = { ...authorData(id, signal), deleted_by: deletedBy, deleted_at: isoTime(atMs) }
      await announce(tx, instanceId, 'message.deleted', data, atMs)
    })

  const reaction = (instanceId: InstanceId, signal: Signal<'reaction'>): Promise<void> =>
    db.commit(async (tx) => {
      const { seq, id } = await idOf(tx, await sidesOf(tx, instanceId), signal.engineMessageId)
      const { from, emoji, atMs } = signal
      if (seq !== undefined && (await tx.run(upsertReaction, { seq, sender: from, emoji, at: atMs })) === 0) return
      await announce(tx, instanceId, 'message.reaction', { ...authorData(id, signal), emoji }, atMs)
    })

  return { received, edited, deleted, reaction }
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
    type: signal.type,
    text: signal.text,
    timestamp: isoTime(signal.atMs),
    push_name: signal.pushName,
    media: mediaOf(signal),
    quoted_message_id: quotedId,
    participant: signal.participant,
    referral: signal.referral,
    ...(signal.fromLid === null ? {} : { from_lid: signal.fromLid }),
  }
}

function mediaOf({ media }: Signal<'received'>): EventData['message.received']['media'] {
  if (media === null) return null
  const { id, mimeType, size, filename, caption } = media
  return { id, mime_type: mimeType, size, filename, caption }
}

function columnsOf(signal: Signal<'received'>) {
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
    media: media === null ? null : JSON.stringify(media),
    engineMessageId: signal.engineMessageId,
    pushName: signal.pushName,
    participant: signal.participant,
    isGroup: signal.isGroup ? (1 as const) : (0 as const),
    createdAt: signal.atMs,
  }
}
