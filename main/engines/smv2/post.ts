import type { proto } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { MessageId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { EngineInstance } from '../engine.ts'
import type { Acks, AckAnswer } from './acks.ts'
import type { Wrapping } from './outgoing-content.ts'
import type { OpenLink } from './link.ts'
import type { Liveness } from './liveness.ts'
import { contactTokens } from './privacy-tokens.ts'
import { recipientOf } from './recipient.ts'
import type { OutgoingEncryption } from './repository.ts'
import type { Sent } from './sent.ts'

/** A message that is ready to leave. */
interface Parcel {
  readonly jid: string
  readonly engineId: string
  /** null: an act on another message, which has no record of its own. */
  readonly messageId: MessageId | null
  readonly message: proto.IMessage
  readonly wrapping: Wrapping
  /** Runs in the commit before a byte of it can leave. */
  readonly leave?: (tx: Tx) => Promise<void>
}

export type PostOutcome =
  | Exclude<AckAnswer, { kind: 'lost' }>
  /** It is certain that no byte of it left. */
  | { readonly kind: 'not_left'; readonly reason: string }
  /** It may have left, and the network has not said so. */
  | { readonly kind: 'unknown' }

interface OutboxNeeds {
  readonly clock: Pick<Clock, 'mono' | 'now'>
  readonly log: Log
  readonly acks: Acks
  readonly sent: Sent
}

/** @param signal aborts when nobody waits any more. */
export type Post = (
  instance: EngineInstance,
  open: OpenLink,
  liveness: Liveness,
  parcel: Parcel,
  signal: AbortSignal,
) => Promise<PostOutcome>

/**
 * Sends a message and reports its outcome. The point of no return is the first encryption: what
 * fails before it has not left, whatever the library says; after it nothing but the network's answer is proof.
 */
export function createPost({ clock, log, acks, sent }: OutboxNeeds): Post {
  return async (instance, open, liveness, parcel, signal) => {
    const { id } = instance
    const { engineId, messageId, message } = parcel
    if (signal.aborted) return { kind: 'not_left', reason: 'it was given up' }
    const journal = await sent.journal(id, engineId, messageId, message)
    const passage: OutgoingEncryption = {
      engineId,
      async store(tx) {
        await journal(tx)
        await parcel.leave?.(tx)
      },
      forget: () => sent.forget(id, engineId),
      isEncrypted: false,
      isGivenUp: false,
    }
    const expected = acks.expect(id, engineId)
    const startedMono = clock.mono()
    const outcome = await firstOf(relay(open, parcel, passage, clock.now()), expected.answer, signal)
    expected.forget()
    if (outcome.kind === 'taken' || outcome.kind === 'refused') {
      liveness.answered(clock.mono() - startedMono)
      return outcome
    }
    // The message may still be waiting for the keys of a device. It must not be sent after the caller has given up.
    passage.isGivenUp = true
    if (outcome.kind === 'failed') log.info({ event: 'smv2.not_relayed', instanceId: id, cause: cause(outcome.error) })
    if (!passage.isEncrypted) {
      await sent.forget(id, engineId)
      return {
        kind: 'not_left',
        reason:
          outcome.kind === 'failed' ? 'the link was lost, a key was missing, or it could not be stored' : 'too slow',
      }
    }
    return { kind: 'unknown' }
  }
}

function relay(
  { sock, guard, session }: OpenLink,
  { jid, engineId, message, wrapping }: Parcel,
  passage: OutgoingEncryption,
  nowMs: number,
) {
  const { additionalAttributes = {}, additionalNodes = [], statusJidList } = wrapping
  return guard.carry(passage, async () => {
    const { jid: to, number } = await recipientOf({ sock }, jid)
    const beside = number === null ? {} : { peer_recipient_pn: number }
    return sock.relayMessage(to, message, {
      messageId: engineId,
      additionalAttributes: { ...additionalAttributes, ...beside },
      additionalNodes: [...additionalNodes, ...(await contactTokens(session.keys, to, nowMs))],
      ...(statusJidList && { statusJidList: [...statusJidList] }),
    })
  })
}

type Ended = AckAnswer | { readonly kind: 'failed'; readonly error: unknown } | { readonly kind: 'aborted' }

/** Only the network's answer decides, not the end of the library's call. */
function firstOf(relayed: Promise<unknown>, answer: Promise<AckAnswer>, signal: AbortSignal): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const abort = () => resolve({ kind: 'aborted' })
  signal.addEventListener('abort', abort)
  // While the journal was being prepared.
  if (signal.aborted) abort()
  relayed.catch((error: unknown) => resolve({ kind: 'failed', error }))
  void answer.then(resolve)
  return promise.finally(() => signal.removeEventListener('abort', abort))
}
