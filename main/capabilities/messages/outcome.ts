import { ApiError } from '../../contract/errors.ts'
import type { Engine, MessageErrorShape } from '../../contract/shapes.ts'
import type { SendOutcome } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import { StorageError, type Db, type Tx } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { SafetyPort } from './deps.ts'
import { sentBody, type SendResult, type SentMessage } from './send-result.ts'
import { advance, type AnnouncedMessage, type AnnounceStatus } from './status.ts'
import type { UsageCounter } from './usage-counter.ts'
import { markAccepted, markSent, setValidUntil, messageById, removeMessage, toMessage, type Message } from './store.ts'

/** A message that was accepted for sending and given to its engine. */
export interface Dispatched extends AnnouncedMessage {
  readonly seq: number
  readonly engine: Engine
}

/** What is to be stored of a send. */
interface Result {
  readonly write: () => Promise<unknown>
  /** Confirms to the engine that the outcome is stored, or never will be. */
  readonly settled?: (() => void) | undefined
}

export interface OutcomeDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly announce: AnnounceStatus
  readonly idempotency: Idempotency
  readonly safety: SafetyPort
  readonly counted: Pick<UsageCounter, 'takenBack'>
  /** Called after the commit that removed a message. */
  readonly onRemoved: (instanceId: string, chat: string) => void
}

export type Outcomes = ReturnType<typeof createOutcomes>

const sentAs = (kind: SentMessage['kind'], { engine, id: messageId }: Dispatched): SentMessage => ({
  ...{ kind, engine, messageId },
  replayed: false,
})

/** Nobody has a key to repeat it with. */
const NEVER_LEFT: MessageErrorShape = {
  code: 'undeliverable',
  message: 'The service stopped before it sent the message. Send it again.',
  provider_code: null,
}

/** The engine proved that it never got the message. */
const NEVER_ARRIVED: MessageErrorShape = {
  code: 'undeliverable',
  message: 'The message never reached the network. Send it again; you can reuse its Idempotency-Key.',
  provider_code: null,
}

/** Records the outcome of a send: message, event, engine journal and stored response in one commit. */
export function createOutcomes({ db, clock, log, announce, idempotency, safety, counted, onRemoved }: OutcomeDeps) {
  /** Results whose commit failed; they are tried again until the storage takes them. */
  const unwritten = new Map<Dispatched, Result>()
  let isRetrying = false

  const settle = async (tx: Tx, message: Dispatched, kind: SentMessage['kind']) => {
    const { instanceId, idempotencyKey, id } = message
    const body = () => sentBody(sentAs(kind, message))
    if (idempotencyKey !== null) await idempotency.settle(tx, instanceId, idempotencyKey, 201, body(), id)
  }
  const release = async (tx: Tx, { instanceId, idempotencyKey, id }: Dispatched) => {
    if (idempotencyKey !== null) await idempotency.release(tx, instanceId, idempotencyKey, id)
  }

  type Accepted = Extract<SendOutcome, { kind: 'accepted' }>
  type Refused = Extract<SendOutcome, { kind: 'refused' }>

  const writeAccepted = (
    message: Dispatched,
    { engineMessageId, status, isHeld, validUntilMs = null, journal }: Accepted,
  ) =>
    db.commit(async (tx) => {
      const { seq } = message
      const now = clock.now()
      await journal?.(tx)
      const heldSinceMs = isHeld === true ? now : null
      if (validUntilMs !== null) await tx.run(setValidUntil, { seq, validUntilMs })
      if (status === 'queued') await tx.run(markAccepted, { seq, engineMessageId, heldSinceMs })
      else if ((await tx.run(markSent, { seq, engineMessageId, now })) === 1) {
        await announce(tx, message, 'sent', now)
      }
      // A receipt was faster than the answer to the send; it has announced `sent`.
      else await tx.run(markAccepted, { seq, engineMessageId, heldSinceMs })
      await settle(tx, message, 'accepted')
    })

  const writeRefused = (message: Dispatched, { error, journal }: Refused) =>
    db.commit(async (tx) => {
      await journal?.(tx)
      const row = await tx.one(messageById, message)
      if (row) await advance(tx, announce, toMessage(row), { to: 'failed', atMs: clock.now(), error })
      await settle(tx, message, 'refused')
    })

  /** Undoes the acceptance: a repeat of the key executes. */
  const remove = async (tx: Tx, message: Dispatched) => {
    const { seq, instanceId, chat } = message
    const removed = await tx.one(removeMessage, { seq })
    if (removed) {
      await safety.takenBack(tx, { seq, instanceId, atMs: removed.createdAtMs })
      await counted.takenBack(tx, removed)
    }
    tx.afterCommit(() => onRemoved(instanceId, chat))
    await release(tx, message)
  }

  const removeUnsent = (message: Dispatched, providerCode: number | undefined) =>
    db.commit(async (tx) => {
      await remove(tx, message)
      if (providerCode !== undefined) await safety.refused(tx, message.instanceId, providerCode)
    })

  const failNeverArrived = (message: Dispatched) =>
    db.commit(async (tx) => {
      const row = await tx.one(messageById, message)
      // A receipt that came meanwhile outweighs every proof of absence.
      if (row?.status !== 'queued' || row.engineMessageId !== null) return
      await advance(tx, announce, toMessage(row), { to: 'failed', atMs: clock.now(), error: NEVER_ARRIVED })
      const { instanceId, idempotencyKey, id } = message
      if (idempotencyKey !== null) await idempotency.retire(tx, instanceId, idempotencyKey, id)
    })

  /** @returns whether it is stored; one that cannot be is tried again later. */
  const store = async (message: Dispatched, result: Result): Promise<boolean> => {
    try {
      await result.write()
    } catch (error) {
      logged(log, message)(error)
      unwritten.set(message, result)
      return false
    }
    result.settled?.()
    return true
  }

  /** A result that cannot be stored is unknown to the caller until it is. */
  const storeOrMarkUnknown = async (message: Dispatched, result: Result, sent: SentMessage): Promise<SendResult> =>
    (await store(message, result)) ? sent : markUnknown(message)

  /** Binds the key without a response, unless a receipt has settled the outcome meanwhile. */
  const markUnknown = async (message: Dispatched): Promise<SendResult> => {
    const doubt = db.commit(async (tx) => {
      const row = await tx.one(messageById, message)
      if (row !== undefined && row.status !== 'queued') return row.status
      const { instanceId, idempotencyKey, id } = message
      if (idempotencyKey !== null) await idempotency.markUnknown(tx, instanceId, idempotencyKey, id)
      return 'queued'
    })
    const status = await doubt.catch((error: unknown) => {
      logged(log, message)(error)
      return 'queued'
    })
    if (status === 'queued') return { kind: 'unknown', error: timedOut(message) }
    return sentAs(status === 'failed' ? 'refused' : 'accepted', message)
  }

  return {
    /** Records an outcome. @returns what it means for the caller. */
    async record(message: Dispatched, outcome: SendOutcome): Promise<SendResult> {
      switch (outcome.kind) {
        case 'accepted': {
          const { settled } = outcome
          const write = () => writeAccepted(message, outcome)
          return storeOrMarkUnknown(message, { write, settled }, sentAs('accepted', message))
        }
        case 'refused': {
          const write = () => writeRefused(message, outcome)
          return storeOrMarkUnknown(message, { write }, sentAs('refused', message))
        }
        case 'unknown':
          return markUnknown(message)
        default: {
          const providerCode = outcome.kind === 'nothing_sent' ? outcome.providerCode : undefined
          await store(message, { write: () => removeUnsent(message, providerCode) })
          const pausedUntilMs = outcome.kind === 'invalid' ? outcome.pausedUntilMs : null
          return { kind: 'not_sent', error: refusal(outcome), pausedUntilMs: pausedUntilMs ?? null }
        }
      }
    },

    /** Records an outcome that arrived after the caller got a 504. */
    async recordLate(message: Dispatched, outcome: SendOutcome): Promise<void> {
      if (outcome.kind === 'unknown') return
      const write = () => {
        if (outcome.kind === 'accepted') return writeAccepted(message, outcome)
        if (outcome.kind === 'refused') return writeRefused(message, outcome)
        return failNeverArrived(message)
      }
      await store(message, { write, settled: outcome.kind === 'accepted' ? outcome.settled : undefined })
    },

    failNeverArrived,

    /**
     * Judges a queued message without a mark that nothing sends anymore: it never left. With a key it is undone,
     * because its sender repeats it. Without a key it has failed.
     */
    async neverLeft(tx: Tx, message: Message & Dispatched): Promise<void> {
      if (message.idempotencyKey !== null) return remove(tx, message)
      await advance(tx, announce, message, { to: 'failed', atMs: clock.now(), error: NEVER_LEFT })
    },

    /** Tries the results again whose commit failed. */
    async retryUnwritten(): Promise<void> {
      if (isRetrying) return
      isRetrying = true
      for (const [message, { write, settled }] of unwritten) {
        try {
          // A commit that failed in doubt may have been written.
          const row = await db.readOne(messageById, message)
          if (row?.status === 'queued' && row.engineMessageId === null) await write()
        } catch (error) {
          // The storage still fails, and reports that itself. Any other error would repeat for ever.
          if (error instanceof StorageError) break
          logged(log, message)(error)
        }
        unwritten.delete(message)
        settled?.()
      }
      isRetrying = false
    },
  }
}

const logged = (log: Log, message: Dispatched) => (error: unknown) =>
  log.error({ event: 'message.result_not_stored', messageId: message.id, cause: cause(error) })

type NotSent = Extract<SendOutcome, { kind: 'invalid' | 'not_ready' | 'nothing_sent' }>

function refusal(outcome: NotSent): ApiError {
  const said = sentence(outcome.message)
  switch (outcome.kind) {
    case 'invalid': {
      const { template } = outcome
      const error = new ApiError('validation_error', `${said} Nothing was sent. Correct the request and send it again.`)
      return template === undefined
        ? error.because('message_rejected', { said })
        : error.because(`template_${template}`)
    }
    case 'not_ready':
      if (outcome.held !== undefined)
        return new ApiError('not_ready', `${said} Nothing was sent.`).because(`held_${outcome.held}`)
      return new ApiError('not_ready', `${said} Nothing was sent. Send again once the instance is connected.`)
    case 'nothing_sent': {
      const { retryAfterSeconds: wait } = outcome
      if (wait === undefined)
        return new ApiError('upstream_unavailable', `${said} Nothing was sent. Repeat the request.`)
      const message = `${said} Nothing was sent. Repeat the request in ${wait} seconds.`
      return new ApiError('rate_limited', message, { 'Retry-After': String(wait) })
    }
  }
}

function timedOut({ id, idempotencyKey }: Dispatched): ApiError {
  const where = idempotencyKey === null ? `under its id ${id}` : 'by its Idempotency-Key'
  return new ApiError(
    'upstream_timeout',
    `The engine did not confirm the message, which may have been sent. Look it up ${where} before sending it again.`,
  )
}

const sentence = (said: string) => (/[.!?]$/.test(said) ? said : `${said}.`)
