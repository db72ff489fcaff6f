import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../contract/errors.ts'
import type { CallDirection, CallReview, CallStatus, VoiceCall } from '../../contract/voice.ts'
import type { Principal } from '../../kernel/access.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { listPage, seqPage } from '../../kernel/list-page.ts'
import { atMost } from '../../kernel/timeout.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { InstanceSubject } from '../handler.ts'
import { finalStatus, isLive } from './call-state.ts'
import {
  callById,
  callsOfAccount,
  callsOfBatch,
  callsOfInstance,
  endScheduled,
  linesOf,
  liveCalls,
  upcomingCalls,
  type CallFilter,
  type CallList,
  type StoredCall,
} from './call-store.ts'
import type { ConsoleConnections } from './console-connections.ts'
import type { CallRow, LiveCall } from './contract/console.ts'
import type { VoiceDeps } from './deps.ts'
import { requireOffer } from './offer.ts'
import { toCall } from './record.ts'
import { notesOf } from './review.ts'
import { extractCoaching } from './summary.ts'
import type { Running } from './running.ts'

/** Longer than ending a call takes, unless the disk is full. */
const WRITTEN_MS = 15_000

/** Calls that a filter checks before yielding to the event loop. */
const PORTION = 2_000

interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly status?: CallStatus
  readonly direction?: CallDirection
}

/** Lists calls, and ends them early. */
export function createCalls(
  deps: Pick<VoiceDeps, 'db' | 'clock' | 'cursors' | 'instances' | 'agents' | 'personName'> & {
    readonly running: Running
    readonly consoleConnections: ConsoleConnections
  },
) {
  const { db, clock, cursors, instances, agents, personName, running, consoleConnections } = deps

  /** @throws ApiError not_found */
  async function get(instance: Pick<InstanceSubject, 'id'>, id: string): Promise<StoredCall> {
    const found = await db.readOne(callById, { id })
    if (found?.instanceId !== instance.id) throw new ApiError('not_found', 'There is no call with this id.')
    return found
  }

  async function named(rows: readonly StoredCall[]): Promise<CallRow[]> {
    const names = new Map<string, string>()
    for (const { instanceId, accountId } of rows) {
      if (!names.has(instanceId))
        names.set(instanceId, (await instances.find({ one: db.readOne }, accountId, instanceId))?.name ?? '')
    }
    return Promise.all(
      rows.map(async (call) => {
        const number = call.direction === 'outbound' ? call.toNumber : call.fromNumber
        return {
          ...toCall(call),
          instance_name: names.get(call.instanceId) ?? '',
          person_name: number === null ? null : await personName(call.accountId, number),
        }
      }),
    )
  }

  async function showLive(call: CallRow, accountId: AccountId): Promise<LiveCall> {
    const one = running.find(call.id)
    const agent =
      call.agent_id === null
        ? undefined
        : await agents.find(accountId, call.instance_id as InstanceSubject['id'], call.agent_id)
    return {
      ...call,
      agent_name: agent?.name ?? null,
      last_line: one?.lines.at(-1)?.text ?? null,
      can_listen: one?.isAnswered() === true,
    }
  }

  /** Matching calls, newest first; searched in portions, yielding to the event loop between them. */
  async function readCalls<Of extends object>(
    { page, portion }: CallList<Of>,
    of: Of,
    { beforeSeq: newest, rows, ...filter }: CallFilter & { readonly beforeSeq: number; readonly rows: number },
  ): Promise<StoredCall[]> {
    if (filter.status === null && filter.direction === null)
      return db.read(page, { ...of, ...filter, beforeSeq: newest, fromSeq: 0, rows })
    const found: StoredCall[] = []
    for (let beforeSeq = newest; ;) {
      const looked = await db.readOne(portion, { ...of, beforeSeq, rows: PORTION })
      const fromSeq = looked?.fromSeq ?? 0
      found.push(...(await db.read(page, { ...of, ...filter, beforeSeq, fromSeq, rows: rows - found.length })))
      if (found.length >= rows || (looked?.calls ?? 0) < PORTION) return found
      beforeSeq = fromSeq
      await yieldToEventLoop()
    }
  }

  return {
    get,

    async list({ id: instanceId }: InstanceSubject, query: ListQuery & { batch_id?: string }) {
      const { status = null, direction = null, batch_id: batchId } = query
      const list = `voice calls:${instanceId}:${JSON.stringify([status, direction, batchId])}`
      return seqPage(
        cursors,
        list,
        query,
        ({ before: beforeSeq, rows }) => {
          const wish = { status, direction, beforeSeq, rows }
          return batchId === undefined
            ? readCalls(callsOfInstance, { instanceId }, wish)
            : readCalls(callsOfBatch, { instanceId, batchId }, wish)
        },
        toCall,
      )
    },

    async listAll(accountId: AccountId, query: ListQuery & { order?: 'newest' | 'upcoming'; instance_id?: string }) {
      const { status = null, direction = null, order = 'newest' } = query
      const instanceId = query.instance_id ?? null
      const list = `voice calls of account:${accountId}:${JSON.stringify([order, status, direction, instanceId])}`
      if (order === 'upcoming')
        return listPage(cursors, list, query, {
          read: ({ after: [afterMs = 0, afterSeq = 0] = [], rows }) =>
            db.read(upcomingCalls, {
              ...{ accountId, instanceId, rows, afterMs: Number(afterMs), afterSeq: Number(afterSeq) },
            }),
          at: ({ scheduledAtMs, seq }) => [scheduledAtMs, seq],
          show: named,
        })
      return listPage(cursors, list, query, {
        read: ({ after: [beforeSeq = Number.MAX_SAFE_INTEGER] = [], rows }) => {
          const wish = { status, direction, rows, beforeSeq: Number(beforeSeq) }
          return instanceId === null
            ? readCalls(callsOfAccount, { accountId }, wish)
            : readCalls(callsOfInstance, { instanceId }, wish)
        },
        at: ({ seq }) => [seq],
        // The instance may have belonged to another account at the time.
        show: (found) => named(found.filter((call) => call.accountId === accountId)),
      })
    },

    async live(accountId: AccountId): Promise<LiveCall[]> {
      const rows = await named(await db.read(liveCalls, { accountId }))
      return Promise.all(rows.map((row) => showLive(row, accountId)))
    },

    async review(instance: InstanceSubject, id: string): Promise<CallReview> {
      const call = await get(instance, id)
      const [transcript, coaching] = [await db.read(linesOf, { callId: id }), notesOf(call)]
      const isExtract = isDeepStrictEqual(
        coaching,
        extractCoaching({ lines: transcript, durationMs: call.durationMs ?? 0 }),
      )
      return {
        ...{ transcript, summary: call.summary, summary_by: call.summaryBy, coaching },
        coaching_by: coaching.length === 0 ? null : isExtract ? 'extract' : 'model',
      }
    },

    /** @throws ApiError not_found, invalid_state */
    async cancel(instance: InstanceSubject, id: string): Promise<VoiceCall> {
      const call = await get(instance, id)
      const end = { id, status: finalStatus('canceled', false), reason: 'canceled', now: clock.now() } as const
      if (call.status === 'scheduled' && (await db.commit((tx) => tx.run(endScheduled, end))) > 0) {
        running.publish(call)
        return toCall(await get(instance, id))
      }
      const current = await get(instance, id)
      if (current.status === 'canceled') return toCall(current)
      if (!isLive(current.status)) {
        throw new ApiError(
          'invalid_state',
          `The call has ended as ${current.status}, so it cannot be canceled.`,
        ).because('call_ended')
      }
      return endNow(instance, id, 'canceled')
    },

    hangUp: async (instance: InstanceSubject, id: string): Promise<VoiceCall> => {
      const call = await get(instance, id)
      if (call.status === 'scheduled')
        throw new ApiError('invalid_state', 'The call has not begun. Cancel it instead.').because('call_not_begun')
      return isLive(call.status) ? endNow(instance, id, 'operator_hung_up') : toCall(call)
    },

    /** @throws ApiError validation_error, not_found, invalid_state, service_unavailable, unauthorized */
    async listen(principal: Principal, instance: InstanceSubject, id: string, offer: string): Promise<string> {
      await get(instance, id)
      const one = running.find(id)
      if (one === undefined || !one.isAnswered())
        throw new ApiError('invalid_state', 'The call is not running, so there is nothing to listen to.').because(
          'call_not_running',
        )
      requireOffer(offer)
      const listener = await one.listen(offer)
      if (listener === null)
        throw new ApiError(
          'service_unavailable',
          'The listener could not be connected, or the call has just ended.',
        ).because('listen_failed')
      await consoleConnections.add(principal, listener.stop, one.ended)
      return listener.answer
    },

    endCallsOf(widgetId: string): void {
      for (const { call, hangUp } of running.all()) if (call.widgetId === widgetId) hangUp('operator_hung_up')
    },
  }

  /** Hangs up, and answers once that is stored. @throws ApiError service_unavailable */
  async function endNow(instance: InstanceSubject, id: string, reason: 'canceled' | 'operator_hung_up') {
    const one = running.find(id)
    one?.hangUp(reason)
    if (one !== undefined) await atMost(clock, WRITTEN_MS, one.ended)
    const call = await get(instance, id)
    if (isLive(call.status))
      throw new ApiError('service_unavailable', 'The call is being hung up. Read it again in a few seconds.').because(
        'hanging_up',
      )
    return toCall(call)
  }
}

export type Calls = ReturnType<typeof createCalls>
