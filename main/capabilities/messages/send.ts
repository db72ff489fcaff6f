import { accountFrozen, accountSuspended } from '../../contract/account-refusals.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { contentOfOutgoing } from '../../engines/content-of-outgoing.ts'
import type { Engine, Outgoing, Quoted } from '../../engines/engine.ts'
import type { TemplateContent } from '../../engines/template-content.ts'
import type { Tx } from '../../kernel/db.ts'
import { createConcurrencyLimiter, type Slot } from '../../kernel/concurrency-limiter.ts'
import { stillBusy, type Claim } from '../../kernel/idempotency.ts'
import type { InstanceSubject } from '../handler.ts'
import { notConnected } from '../not-connected.ts'
import { sendWithDeadline, NO_ANSWER } from './send-with-deadline.ts'
import { isGroupChat, textOf, typeOf, type Draft, type ForwardDraft, type MediaDraft } from './draft.ts'
import { getForwardable } from './forward.ts'
import { needsLinkPreview, withLinkPreview } from './link-preview.ts'
import { largestBytes, resolveMedia } from './media.ts'
import type { DraftRequest, MessagesDeps } from './deps.ts'
import { isRecordLost, recordLost } from './lost-record.ts'
import type { Dispatched, Outcomes } from './outcome.ts'
import { createPacer } from './pacer.ts'
import { chatAsFirstGiven } from './chat-name.ts'
import { getQuoted } from './quote.ts'
import { parseSentBody, type SendResult } from './send-result.ts'
import { insertOutgoing, markLeaving } from './store.ts'
import type { SharedFiles } from './shared-files.ts'
import type { Uploads } from './uploads.ts'
import type { Unread } from './unread.ts'
import type { UsageCounter } from './usage-counter.ts'

/** Files of sends in progress, which lie on disk until the engine has settled. */
const MEDIA_BYTES_IN_ALL = 1024 * 1024 * 1024

/** What an engine is given. */
interface Resolved {
  readonly out: Outgoing
  /** Of the status record. */
  readonly type: string
  /** What a conversation shows of its file, as JSON. */
  readonly media: string | null
  /** Called when its file is no longer needed. */
  readonly release: () => void
}

interface Key {
  readonly scopeId: string
  readonly key: string
  readonly fp: Buffer
}

interface SendDeps extends MessagesDeps {
  readonly uploads: Pick<Uploads, 'get'>
  readonly sharedFiles: SharedFiles
  readonly outcomes: Outcomes
  readonly unread: Pick<Unread, 'read'>
  readonly counted: Pick<UsageCounter, 'outgoing'>
  /**
   * Messages whose engine has not settled; nobody else may judge them meanwhile. An age alone would not do: after the
   * machine slept, a send that still runs looks an hour old.
   */
  readonly underWay: Set<string>
  /** Called for each message once it is stored. */
  readonly onStored: (instanceId: string, chat: string, atMs: number) => void
}

/**
 * Sends a message. The order of the checks is a promise: body, then Idempotency-Key, then state, so
 * that a replay is answered also when the instance is no longer connected.
 */
export function createSend(deps: SendDeps) {
  const { db, clock, ids, instances, idempotency, safety, config, log, outcomes, underWay } = deps
  const limiter = createConcurrencyLimiter({ ...LIMITS.sendsInFlight, bytes: MEDIA_BYTES_IN_ALL })

  const pacer = createPacer(clock)

  /** A person who writes in the window has read the chat, on a fused instance too. */
  const markRead = async (tx: Tx, { instanceId, chat }: Dispatched) => {
    await deps.unread.read(tx, instanceId, chat)
    const partnerId = await deps.fusion.partnerOf(tx, instanceId)
    if (partnerId !== undefined) await deps.unread.read(tx, partnerId, chat)
  }

  /** Commit 1: claims the key and queues the message before the engine sees it. */
  const accept = (
    queued: Dispatched,
    request: DraftRequest,
    { out, type, media }: Resolved,
    template: TemplateContent | null,
    key: Key | null,
  ) => {
    const columns = { ...columnsOf(request, out), ...(template && templateColumns(template)), type, media }
    return db.commit(async (tx): Promise<{ claim: Claim; message: Dispatched }> => {
      const now = clock.now()
      if (key !== null) {
        const claim = await idempotency.claim(tx, { ...key, subjectId: queued.id, boot: db.boot })
        if (claim.kind !== 'fresh') return { claim, message: queued }
      }
      await instances.requireOwner(tx, queued.accountId, queued.instanceId)
      await request.requireAccess?.(tx)
      const chat = await chatAsFirstGiven(tx, queued.instanceId, queued.chat)
      const message = { ...queued, seq: await tx.next('messages'), chat }
      await safety.accepted(tx, { ...message, atMs: now })
      await tx.run(insertOutgoing, { ...columns, chat, seq: message.seq, id: message.id, now })
      await deps.counted.outgoing(tx, columns, now)
      if (request.source === 'console') await markRead(tx, message)
      tx.afterCommit(() => deps.onStored(message.instanceId, message.chat, now))
      return { claim: FRESH, message }
    })
  }

  /**
   * Gives the message to the engine. Commit 2 records the outcome.
   * @param release called once the engine needs no file any more.
   */
  const dispatch = async (
    engine: Engine,
    message: Dispatched,
    instance: InstanceSubject,
    out: Outgoing,
    timeoutMs: number,
    release: () => void,
  ) => {
    const { id, seq } = message
    const leave = async (tx: Tx) => {
      await tx.run(markLeaving, { seq, now: clock.now() })
    }
    const outcome = await sendWithDeadline(
      { clock, log, timeoutMs },
      {
        async send(signal) {
          try {
            return await engine.send(instance, id, out, { signal, leave })
          } finally {
            release()
          }
        },
        onLate: (late) => void outcomes.recordLate(message, late).finally(() => underWay.delete(id)),
      },
    )
    const hasSettled = outcome !== NO_ANSWER
    try {
      return await outcomes.record(
        message,
        engine.pace ? pacer.report({ instanceId: instance.id, to: out.to }, outcome) : outcome,
      )
    } finally {
      if (hasSettled) underWay.delete(id)
    }
  }

  /**
   * Half of the time a caller waits may go into waiting for its turn; the engine has the rest.
   * @returns what is left, or why the turn did not come.
   */
  const waitForPace = async (engine: Engine, { instance, draft }: DraftRequest): Promise<number | ApiError> => {
    const { sendTimeoutMs } = config
    const pace = engine.pace?.(instance) ?? null
    if (pace === null) return sendTimeoutMs
    const turn = await pacer.acquire({ instanceId: instance.id, to: draft.to, pace }, sendTimeoutMs / 2)
    if (turn.kind === 'go') return sendTimeoutMs - turn.waitedMs
    return throttled(turn.retryAfterSeconds)
  }

  /** Finds the quoted message and the file. Nothing is stored before they are found. */
  const resolveDraft = async (
    wanted: Draft,
    { id, accountId, engine }: InstanceSubject,
    campaignId: string | null,
  ): Promise<Resolved> => {
    if (wanted.kind === 'forward') {
      const found = await getForwardable(db, id, wanted)
      return { ...found, type: found.out.type, release: () => {} }
    }
    const { quotedMessageId, mentions, ...draft } = { mentions: undefined, ...wanted }
    const quoted = quotedMessageId === undefined ? undefined : await getQuoted(db, id, draft.to, quotedMessageId)
    if (draft.kind === 'cloud_api') return answeringPayload(draft, quoted)
    const fetched =
      draft.kind === 'media'
        ? await resolveMedia(deps, draft, { accountId, engine }, campaignId)
        : { out: await withLinkPreview(deps, draft, accountId), file: null }
    const { out, file } = fetched
    // The next start removes it in any case.
    const release = () => void file?.remove().catch(() => {})
    const shown = { type: typeOf(draft), media: mediaColumn(draft, out) }
    return { out: { ...out, ...(quoted && { quoted }), ...(mentions && { mentions }) }, ...shown, release }
  }

  const sendFrom = async (slot: Slot, request: DraftRequest, key: Key | null): Promise<SendResult> => {
    const { instance, draft } = request
    // Asked for first: an engine that does not exist must not leave a message behind.
    const engine = instances.engineFor(instance)
    // Asked before a file is fetched, or anything stored.
    const retryAfter = engine.retryAfterSeconds?.(instance, draft.to) ?? null
    if (retryAfter !== null) return notSent(tooFast(retryAfter))
    const timeoutMs = await waitForPace(engine, request)
    if (timeoutMs instanceof ApiError) return notSent(timeoutMs)
    const campaignId = campaignOf(request)
    const resolved: Resolved = isComplete(draft)
      ? { out: draft, type: typeOf(draft), media: null, release: () => {} }
      : await resolveDraft(draft, instance, campaignId)
    const { out, release } = resolved
    if (out.kind === 'media') slot.setBytes(out.content.size)
    const message = {
      id: ids.message(),
      seq: 0,
      accountId: instance.accountId,
      instanceId: instance.id,
      engine: instance.engine,
      chat: draft.to,
      source: request.source,
      idempotencyKey: request.idempotencyKey,
      campaignId,
      origin: request.origin ?? null,
    }
    const drop = () => {
      underWay.delete(message.id)
      release()
    }
    const template = await templateContentOf(engine, instance, out)
    // Before the row exists: without a mark and out of this set it would be judged as one that never leaves.
    underWay.add(message.id)
    const { claim, message: stored } = await accept(message, request, resolved, template, key).catch(
      (error: unknown) => {
        drop()
        throw error
      },
    )
    if (claim.kind === 'fresh') return dispatch(engine, stored, instance, out, timeoutMs, release)
    drop()
    return toReplay(claim, key)
  }

  const toReplay = async (claim: Exclude<Claim, { kind: 'fresh' }>, key: Key | null): Promise<SendResult> => {
    if (claim.kind === 'replay') return { ...parseSentBody(claim.body), replayed: true }
    const { state, subjectId } = claim
    const isLost =
      state === 'unknown' &&
      key !== null &&
      (await isRecordLost(db, idempotency, { instanceId: key.scopeId, key: key.key, subjectId }))
    return { kind: 'unknown', error: isLost ? recordLost() : stillBusy(claim) }
  }

  /** A repeat must not use up a turn of the pace. */
  const isPaced = ({ instance }: DraftRequest) => {
    const engine = instances.engineFor(instance)
    return engine.pace !== undefined || engine.retryAfterSeconds !== undefined
  }

  return async function send(request: DraftRequest): Promise<SendResult> {
    const { instance, draft } = request
    const key = keyOf(request, idempotency)
    const slot = limiter.acquire(instance, draft.kind === 'media' ? largestBytes(draft) : 0)
    try {
      const { frozen } = await deps.entitlements.of(instance.accountId)
      const isRefused = slot === undefined || frozen || !instance.connected
      // The usual send learns of a repeat when it takes the key; a read of its own is made only for what comes before.
      if (key !== null && (isRefused || !isComplete(draft) || isPaced(request))) {
        const claim = await idempotency.peek(db, key)
        if (claim.kind !== 'fresh') return await toReplay(claim, key)
      }
      if (deps.isSuspended(instance.accountId)) return notSent(accountSuspended('nothing was sent'))
      if (frozen)
        return notSent(
          accountFrozen(
            'nothing was sent',
            'Messages are still received. Pay the open invoice in Billing, then send again.',
          ),
        )
      if (!instance.connected) return notSent(notConnected(instance, 'nothing was sent', 'send again'))
      if (slot === undefined) return notSent(tooManySends())
      return await sendFrom(slot, request, key)
    } finally {
      slot?.release()
    }
  }
}

/** Whether it can be sent without fetching a file, a preview or another message first. */
const isComplete = (draft: Draft): draft is Exclude<Draft, MediaDraft | ForwardDraft> =>
  draft.kind !== 'media' &&
  draft.kind !== 'forward' &&
  draft.quotedMessageId === undefined &&
  (draft.kind === 'cloud_api' || !needsLinkPreview(draft))

/** A payload says itself what it answers. */
function answeringPayload(draft: Extract<Outgoing, { kind: 'cloud_api' }>, quoted: Quoted | undefined): Resolved {
  const context = quoted && { context: { message_id: quoted.engineMessageId } }
  const out = { ...draft, payload: { ...context, ...draft.payload } }
  return { out, type: typeOf(out), media: null, release: () => {} }
}

const FRESH = { kind: 'fresh' } as const

function keyOf(
  { idempotencyKey, instance, operation, rawBody }: DraftRequest,
  idempotency: MessagesDeps['idempotency'],
): Key | null {
  if (idempotencyKey === null) return null
  return {
    scopeId: instance.id,
    key: idempotencyKey,
    fp: idempotency.fingerprint(operation, instance.id, rawBody()),
  }
}

const notSent = (error: ApiError) => ({ kind: 'not_sent', error }) as const

function columnsOf(request: DraftRequest, out: Outgoing) {
  const { instance, draft, source, idempotencyKey, origin } = request
  return {
    accountId: instance.accountId,
    instanceId: instance.id,
    engine: instance.engine,
    chat: draft.to,
    text: textOf(out),
    content: contentColumn(out),
    source,
    idempotencyKey,
    campaignId: campaignOf(request),
    origin: origin === undefined ? null : JSON.stringify(origin),
    quotedMessageId: 'quotedMessageId' in draft ? (draft.quotedMessageId ?? null) : null,
    isGroup: isGroupChat(draft.to) ? (1 as const) : (0 as const),
    forwarded: out.kind === 'forward' ? (out.isFrequent ? ('frequently' as const) : ('forwarded' as const)) : null,
  }
}

const campaignOf = ({ origin }: DraftRequest): string | null => (origin?.kind === 'campaign' ? origin.campaignId : null)

/** What a conversation shows of a file: never the file itself. */
function mediaColumn(draft: Draft, out: Outgoing): string | null {
  if (draft.kind !== 'media' || out.kind !== 'media') return null
  const { mimeType, content, filename, caption } = out
  return JSON.stringify({ ...draft.source, mime_type: mimeType, size: content.size, filename, caption })
}

/** Templates change later, so a message is stored with the words that were sent. */
const templateColumns = ({ text, content }: TemplateContent) => ({ text, content: JSON.stringify(content) })

const templateContentOf = async (engine: Engine, instance: InstanceSubject, out: Outgoing) =>
  out.kind === 'cloud_api' ? ((await engine.templates?.contentOf(instance, out.payload)) ?? null) : null

function contentColumn(out: Outgoing): string | null {
  const content = contentOfOutgoing(out)
  return content && JSON.stringify(content)
}

const throttled = (seconds: number) =>
  new ApiError(
    'rate_limited',
    `This number, or this recipient, has reached the rate limit of the network, so nothing was sent. Repeat the request in ${seconds} seconds.`,
    { 'Retry-After': String(seconds) },
  )

const tooFast = (seconds: number) =>
  new ApiError(
    'rate_limited',
    `This number, or this chat, has too many messages waiting to leave at a safe pace, so nothing was sent. Repeat the request in ${seconds} seconds.`,
    { 'Retry-After': String(seconds) },
  )

const tooManySends = () =>
  new ApiError(
    'service_unavailable',
    'Too many sends are in progress, so nothing was sent. Repeat the request in a second.',
    {
      'Retry-After': '1',
    },
  )
