import { QUEUE_STUCK_SECONDS } from '../../contract/health-issue-codes.ts'
import { linesOfClients } from '../client-attention.ts'
import { lineOfInstances } from '../instance-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { ApiError } from '../../contract/errors.ts'
import type { MediaType } from '../../contract/shapes.ts'
import type { DatedMessageRef, MessageRef } from '../../engines/direct.ts'
import type { EngineSignal } from '../../engines/engine.ts'
import type { Price } from '../../engines/price.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { cause } from '../../kernel/log.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { readDraft } from './draft.ts'
import { createConversations, type Conversations } from './conversations.ts'
import { createChatIndex } from './chat-index.ts'
import { chatSummary, lastReceived, threadMessageById, type ThreadMessageRow } from './conversation-store.ts'
import { createInbound } from './inbound.ts'
import { bytesOf } from '../../kernel/file-content.ts'
import { resolveMedia } from './media.ts'
import { createChatMerge } from './chat-merge.ts'
import { chatAsFirstGiven, chatsAfter, chatsOfNumber, type ChatOfInstance } from './chat-name.ts'
import type { DraftRequest, MessagesDeps, SendRequest } from './deps.ts'
import { isRecordLost, recordLost } from './lost-record.ts'
import { createOutcomes } from './outcome.ts'
import type { PollRecord } from './contract/chats.ts'
import { createPollReader } from './polls.ts'
import { createPast, type Past } from './past.ts'
import { createReceipts } from './receipts.ts'
import { getReferenced, toMessageRef } from './message-ref.ts'
import { createSend } from './send.ts'
import type { SendResult } from './send-result.ts'
import {
  lastMessage,
  lastReceivedReferenced,
  lastReferenced,
  lastWritten,
  messageById,
  oldestInChats,
  queuedOfAccount,
  queueGauge,
  stuckQueues,
  stuckQueuesOfClients,
  toMessage,
  type Message,
  type OldestInChat,
} from './store.ts'
import { createReconciler } from './reconciler.ts'
import { createAnnounceStatus } from './status.ts'
import { createSharedFiles } from './shared-files.ts'
import { createUploads, type Uploads } from './uploads.ts'
import { createUnread, type UnreadCounts } from './unread.ts'
import { createUsageCounter } from './usage-counter.ts'

export { readDraft, type Draft } from './draft.ts'
export { decodeKeyHeader } from './key-header.ts'
export { sendAnswer, type SendResult } from './send-result.ts'

/** The signals this room handles. Those about the connection go to the instances room. */
type MessageSignal = Extract<
  EngineSignal,
  { kind: 'receipt' | 'failed' | 'received' | 'vote' | 'edited' | 'deleted' | 'reaction' }
>

export interface Messages extends Conversations, Past {
  /** Files that were uploaded to be sent as `media_id`. */
  readonly uploads: Uploads
  /** @throws ApiError for a request that cannot be sent as it is: an invalid body, a file that cannot be fetched. */
  send(request: SendRequest): Promise<SendResult>
  /** The same, for content that another room has already checked. */
  sendDraft(request: DraftRequest): Promise<SendResult>
  /**
   * Marks a chat as read or unread, for every window of the account. Nobody outside is told.
   * @throws ApiError not_found for a chat without messages that is to be unread.
   */
  setUnread(instanceId: InstanceId, chat: string, isUnread: boolean): Promise<void>
  countUnread(accountId: AccountId): Promise<UnreadCounts>
  /** A file at a public address, as a media message would send it. @throws ApiError invalid_url, validation_error */
  fetchFile(accountId: AccountId, url: string, mediaType: MediaType): Promise<{ mimeType: string; bytes: Buffer }>
  /** @throws ApiError not_found, also for received messages: they have no status. */
  get(instanceId: InstanceId, messageId: string): Promise<Message>
  /** What the network reported about its price; null: nothing, or nothing yet. */
  priceOf(messageId: string): Promise<Price | null>
  /** The newest message sent with the key. @throws ApiError not_found */
  getByKey(instanceId: InstanceId, idempotencyKey: string): Promise<Message>
  /**
   * Any message of the instance by its id, those of other people too, as its engine knows it.
   * @throws ApiError not_found, and invalid_state when the network does not have it.
   */
  getRef(instanceId: InstanceId, messageId: string): Promise<MessageRef>
  /** Chats in their order, each with its oldest message. @param after '' for the first page. */
  oldestIn(instanceId: InstanceId, after: string, limit: number): Promise<OldestInChat[]>
  /** The newest message of a chat; null: the network has none. */
  lastRef(instanceId: InstanceId, chat: string): Promise<DatedMessageRef | null>
  /** The newest message that somebody else said in a chat, whichever spelling names it. */
  lastReceivedRef(instanceId: InstanceId, chat: string): Promise<MessageRef | null>
  /** Any message of the instance, sent or received. */
  said(instanceId: InstanceId, messageId: string): Promise<ThreadMessageRow | undefined>
  /** @throws ApiError not_found */
  poll(instanceId: InstanceId, messageId: string): Promise<PollRecord>
  /** Moves what is kept of a chat. Its messages follow with `moveChats`, and after the next start at the latest. */
  readonly movePerson: MovePerson
  moveChats(): Promise<void>
  /** The spelling in which the instance was first given the number. */
  chatAsFirstGiven(read: Pick<Tx, 'one'>, instanceId: InstanceId, chat: string): Promise<string>
  /** The chats that an instance has under the spellings of one number, the oldest first. */
  chatsOfNumber(read: Pick<Tx, 'one'>, instanceId: InstanceId, chat: string): Promise<string[]>
  /** The chats of all instances, in an order of their own. @param after undefined for the first ones. */
  chatsAfter(after: ChatOfInstance | undefined, limit: number): Promise<readonly ChatOfInstance[]>
  /** Resolves when the change is durable. */
  onSignal(instanceId: InstanceId, signal: MessageSignal): Promise<void>
  /** A pending file is there now. @returns the account, if a message has changed. */
  mediaArrived(
    instanceId: InstanceId,
    signal: Extract<EngineSignal, { kind: 'media_arrived' }>,
  ): Promise<AccountId | undefined>
  /** At each opening, before the service listens: judges the sends that another boot left running. */
  recover(): Promise<void>
  /** Starts the slow pass: asks engines about open outcomes, ends what waits too long, prunes keys. */
  start(): void
  stop(): Promise<void>
  /** One slow pass now; `start` makes one a minute. */
  reconcile(): Promise<void>
  /** What needs a person, for the overview. */
  attention(query: AttentionQuery): Promise<AttentionLine[]>
  /** Messages that wait for a confirmation; `oldestSeconds` is null if there are none. */
  gauges(instanceId: string): Promise<{ pending: number; oldestSeconds: number | null }>
  /** Messages of the account that wait to be confirmed. */
  tally(accountId: AccountId): Promise<{ queued: number }>
  /** When one of these instances last wrote to one of these numbers and it did not fail; null: never. */
  lastWrittenAtMs(
    read: Pick<Tx, 'all'>,
    instanceIds: readonly string[],
    chats: readonly string[],
  ): Promise<number | null>
  /** When the person last wrote, among the newest messages of the chat; null: not there. */
  lastReceivedAtMs(instanceId: InstanceId, chat: string): Promise<number | null>
  /** When the last message was sent or received; null: never. */
  lastMessageAtMs(instanceId: string): Promise<number | null>
}

export function createMessages(deps: MessagesDeps): Messages {
  const { db, clock, ids, log, instances, fusion, idempotency, safety } = deps
  const counted = createUsageCounter(deps.usage)
  const announce = createAnnounceStatus(instances.announce, counted)
  const underWay = new Set<string>()
  /** Holds only the instances that were asked for; the first answer comes from the database. */
  const last = new Map<string, number | null>()
  const chatIndex = createChatIndex({ db })
  const onStored = (instanceId: string, chat: string, atMs: number) => {
    chatIndex.touch(instanceId, chat)
    const known = last.get(instanceId)
    if (known !== undefined) last.set(instanceId, Math.max(atMs, known ?? 0))
  }
  const onRemoved = (instanceId: string, chat: string) => {
    chatIndex.touch(instanceId, chat)
    last.delete(instanceId)
  }

  const outcomes = createOutcomes({ db, clock, log, announce, idempotency, safety, counted, onRemoved })
  const receipts = createReceipts({ db, announce, idempotency, prices: deps.prices })
  const unread = createUnread(deps)
  const chatMerge = createChatMerge({ db, unread, onMoved: chatIndex.touch })
  instances.subscribe(async (tx, { kind, id }) => {
    if (kind === 'deleted') for (const { end } of [unread, chatMerge]) await end(tx, id)
    if (kind === 'transferred') await unread.rehome(tx, id)
  })
  const inbound = createInbound({ db, ids, announce: instances.announce, fusion, unread, counted, onStored })
  const reconciler = createReconciler({
    ...{ db, clock, log, instances, idempotency, outcomes, receipts, announce, underWay },
  })

  const uploads = createUploads(deps)
  const sharedFiles = createSharedFiles(clock)
  const sendDraft = createSend({
    ...deps,
    uploads,
    sharedFiles,
    outcomes,
    unread,
    counted,
    underWay,
    onStored,
  })

  return {
    uploads,
    async send({ body, ...request }) {
      const draft = readDraft(body, request.instance.engine)
      return sendDraft({ ...request, draft, operation: 'POST messages' })
    },
    sendDraft,
    async fetchFile(accountId, url, mediaType) {
      const draft = { kind: 'media', to: '', source: { url }, mediaType, caption: null, filename: null } as const
      const { out, file } = await resolveMedia({ ...deps, uploads, sharedFiles }, draft, { accountId, engine: 'smv2' })
      try {
        return { mimeType: out.mimeType, bytes: await bytesOf(out.content) }
      } finally {
        await file.remove()
      }
    },
    ...createPast({ ids, onStored: onRemoved }),
    async oldestIn(instanceId, after, limit) {
      const found = await db.read(oldestInChats, { instanceId, after, limit })
      return found.toSorted((a, b) => (a.chat < b.chat ? -1 : 1))
    },
    ...createConversations({ db, cursors: deps.cursors, chatIndex, unread }),
    async setUnread(instanceId, chat, isUnread) {
      await db.commit(async (tx) => {
        if (!isUnread) return unread.read(tx, instanceId, chat)
        const { lastSeq = null } = (await tx.one(chatSummary, { instanceId, chat })) ?? {}
        if (lastSeq === null) throw new ApiError('not_found', 'This instance has no conversation with this chat.')
        await unread.markUnread(tx, instanceId, chat)
      })
    },
    countUnread: unread.count,

    async get(instanceId, messageId) {
      const row = await db.readOne(messageById, { id: messageId, instanceId })
      if (!row) throw new ApiError('not_found', 'This instance has no sent message with this id.')
      return toMessage(row)
    },
    priceOf: (messageId) => deps.prices.priceOf({ one: db.readOne }, messageId),
    async getByKey(instanceId, idempotencyKey) {
      const id = await idempotency.holderOf(db, instanceId, idempotencyKey)
      const row = id === undefined ? undefined : await db.readOne(messageById, { id, instanceId })
      if (row) return toMessage(row)
      const isLost =
        id !== undefined && (await isRecordLost(db, idempotency, { instanceId, key: idempotencyKey, subjectId: id }))
      if (isLost) throw recordLost()
      throw new ApiError('not_found', 'This instance sent no message with this idempotency_key.')
    },

    getRef: async (instanceId, messageId) =>
      toMessageRef(await getReferenced(db, instanceId, messageId, 'message_id'), 'message_id'),

    async lastRef(instanceId, chat) {
      const row = await db.readOne(lastReferenced, { instanceId, chat })
      return row ? { ...toMessageRef(row, 'message_id'), atMs: row.createdAtMs } : null
    },
    async lastReceivedRef(instanceId, chat) {
      const name = await chatAsFirstGiven({ one: db.readOne }, instanceId, chat)
      const row = await db.readOne(lastReceivedReferenced, { instanceId, chat: name })
      return row ? toMessageRef(row, 'message_id') : null
    },
    poll: createPollReader(db),
    said: (instanceId, messageId) => db.readOne(threadMessageById, { instanceId, id: messageId }),

    async onSignal(instanceId, signal) {
      switch (signal.kind) {
        case 'receipt':
        case 'failed':
          return receipts(instanceId, signal)
        case 'received':
          return inbound.received(instanceId, signal)
        case 'vote':
          return inbound.vote(instanceId, signal)
        case 'edited':
          return inbound.edited(instanceId, signal)
        case 'deleted':
          return inbound.deleted(instanceId, signal)
        case 'reaction':
          return inbound.reaction(instanceId, signal)
      }
    },

    movePerson: chatMerge.begin,
    moveChats: chatMerge.finish,
    chatAsFirstGiven,
    chatsOfNumber,
    chatsAfter: (after, limit) => chatsAfter(db, after, limit),

    mediaArrived: inbound.mediaArrived,

    recover: reconciler.recover,
    start() {
      reconciler.start()
      chatMerge.finish().catch((error: unknown) => log.warn({ event: 'messages.chats_not_moved', cause: cause(error) }))
    },
    async stop() {
      await Promise.all([reconciler.stop(), chatMerge.stop()])
    },
    reconcile: reconciler.pass,

    async gauges(instanceId) {
      const gauge = await db.readOne(queueGauge, { instanceId })
      const oldestAtMs = gauge?.oldestAtMs ?? null
      const oldestSeconds = oldestAtMs === null ? null : Math.max(0, Math.floor((clock.now() - oldestAtMs) / 1_000))
      return { pending: gauge?.pending ?? 0, oldestSeconds }
    },
    async attention({ accountId, network, role }) {
      const of = { accountId, network, before: clock.now() - QUEUE_STUCK_SECONDS * 1_000 }
      const clients = role === 'operator' ? await db.read(stuckQueuesOfClients, of) : []
      return [
        ...lineOfInstances('queue_stuck', 'warning', await db.read(stuckQueues, of)),
        ...linesOfClients('warning', clients),
      ]
    },
    tally: async (accountId) => (await db.readOne(queuedOfAccount, { accountId })) ?? { queued: 0 },
    async lastWrittenAtMs(read, instanceIds, chats) {
      let lastAtMs: number | null = null
      for (const chat of chats) {
        const found = await lastWritten.over(instanceIds, { chat }, (statement, params) => read.all(statement, params))
        for (const { atMs } of found.flat()) if (atMs !== null) lastAtMs = Math.max(atMs, lastAtMs ?? 0)
      }
      return lastAtMs
    },
    lastReceivedAtMs: async (instanceId, chat) =>
      (await db.readOne(lastReceived, { instanceId, chat }))?.createdAtMs ?? null,
    async lastMessageAtMs(instanceId) {
      const known = last.get(instanceId)
      if (known !== undefined) return known
      const row = await db.readOne(lastMessage, { instanceId })
      const atMs = row?.createdAtMs ?? null
      last.set(instanceId, atMs)
      return atMs
    },
  }
}
