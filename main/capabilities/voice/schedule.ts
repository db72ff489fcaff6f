import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { CallSource, CallStatus, Gateway } from '../../contract/voice.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import { appointmentAt, dueAt, type Due } from '../../kernel/due.ts'
import type { JobQueue } from '../../kernel/jobs.ts'
import { createOnce, type Created } from '../../kernel/keyed-request.ts'
import { readPhone, spellingsOf } from '../../kernel/phone-number.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { InstanceSubject } from '../handler.ts'
import { insertCall, waitingCallTo, type StoredCall } from './call-store.ts'
import type { BatchBody, BatchReply, ScheduleBody } from './contract/calls.ts'
import type { VoiceDeps } from './deps.ts'
import type { Dial } from './dial.ts'
import { nextCallTime, paceCalls } from './pacing.ts'
import { toCall } from './record.ts'
import type { Standing } from './standing.ts'
import { remainingOf, type Setup, type VoiceSetup } from './setup.ts'

interface Request<B> {
  readonly instance: InstanceSubject
  readonly principal: Principal
  readonly body: B
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

interface NewCall {
  readonly agentId: string | null
  readonly number: string
  readonly source: CallSource
  readonly scheduledAtMs: number
  readonly batchId: string | null
  readonly batchIntervalMs?: number
  readonly status: CallStatus
  readonly gateway: Gateway
}

type Wanted = Omit<NewCall, 'status' | 'scheduledAtMs'> & { readonly scheduledAt: Due }

/** Fields that are set later. */
const NOT_YET = {
  ...{ endReason: null, recordingId: null, summary: null, summaryBy: null, coaching: null },
  ...{ answeredAtMs: null, endedAtMs: null, durationMs: null, heldAtMs: null },
  ...{ transferTo: null, transferStatus: null, transferFailure: null, transferAtMs: null },
} as const

interface ScheduleDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'ids' | 'idempotency' | 'agents' | 'instances'> {
  readonly setup: VoiceSetup
  readonly standing: Standing
  readonly dial: Pick<Dial, 'prepare' | 'permissionFor'>
  readonly jobs: Pick<JobQueue<{ callId: string }>, 'addAll'>
  readonly publish: (call: StoredCall) => void
}

const LATE_MS = LIMITS.voiceLateMinutes * 60_000
const AHEAD_MS = LIMITS.voiceDaysAhead * 86_400_000

/** Schedules calls. */
export function createSchedule(deps: ScheduleDeps) {
  const { clock, ids, agents, instances, standing, setup, dial, jobs, publish } = deps

  const once = <B>(
    { instance: { id: scopeId }, rawBody, idempotencyKey: key }: Request<B>,
    operation: string,
    subjectId: string,
    judge: () => Promise<(tx: Tx) => Promise<object>>,
  ): Promise<Created> => createOnce(deps, { operation, scopeId, key, rawBody, subjectId }, judge)

  async function requireAgent({ accountId, id }: InstanceSubject, agentId: string): Promise<void> {
    if ((await agents.find(accountId, id, agentId)) === undefined) throw agentGone(agentId)
  }

  /** Conditions for accepting a call. */
  async function requireReady(instance: InstanceSubject): Promise<Setup & { readonly gateway: Gateway }> {
    await standing.require(instance.accountId)
    const found = await setup.read(instance.id)
    if (found.plan === null)
      throw new ApiError('invalid_state', 'Voice is not enabled. Call POST …/voice/enable first.').because('voice_off')
    if (!instance.connected) throw new ApiError('not_ready', 'The instance is not connected. Connect it, then call.')
    const { gateway, unavailable_reason: reason, unavailable_message: message } = await setup.status(instance)
    if (gateway === null) {
      const refusal = new ApiError('invalid_state', message ?? 'This instance cannot make calls.')
      throw refusal.because(reason === 'process_failed' ? 'voice_process_failed' : 'voice_no_gateway')
    }
    if (remainingOf(found) === 0) {
      throw new ApiError(
        'invalid_state',
        `All ${LIMITS.voiceTrialCalls} calls of the trial are used up. Buy a voice package and enable voice again.`,
      ).because('trial_used')
    }
    return { ...found, gateway }
  }

  /** @throws ApiError call_permission_required, invalid_state */
  async function requirePermission(
    instance: InstanceSubject,
    agentId: string | null,
    number: string,
    offer: string | null,
  ) {
    const prepared = await dial.prepare(instance, number, agentId, offer)
    if (prepared === 'agent_gone') throw agentGone(agentId ?? '')
    if (prepared === 'gateway_unavailable')
      throw new ApiError('invalid_state', 'This instance cannot make calls any more. Read …/voice for why.').because(
        'voice_no_gateway',
      )
    const missing = await dial.permissionFor(prepared, number)
    if (missing === 'call_permission_required') {
      throw new ApiError(
        'call_permission_required',
        'This person has not allowed calls from this number. They were asked if the quota allows it; call again once they agree.',
      )
    }
    if (missing !== null)
      throw new ApiError(
        'upstream_unavailable',
        'The network did not say whether this person may be called. Nothing was sent.',
      ).because('permission_unknown')
    return prepared
  }

  const requireOwner = (tx: Tx, { accountId, id }: InstanceSubject) => instances.requireOwner(tx, accountId, id)

  /** Adds a call of an instance whose owner was checked in this transaction. */
  async function insert(tx: Tx, { accountId, id: instanceId }: InstanceSubject, call: NewCall): Promise<StoredCall> {
    const { agentId, number: toNumber, source, gateway, status, batchId, batchIntervalMs = null, scheduledAtMs } = call
    const begun = { fromNumber: null, direction: 'outbound', widgetId: null, startedAtMs: null, attempt: 0 } as const
    const stored: StoredCall = {
      ...{
        seq: await tx.next('voice_calls'),
        id: ids.uuid(),
        accountId,
        instanceId,
        agentId,
        toNumber,
        source,
        gateway,
      },
      ...{ status, batchId, batchIntervalMs, scheduledAtMs, createdAtMs: clock.now(), ...begun, ...NOT_YET },
    }
    await tx.run(insertCall, { ...stored, boot: null })
    tx.afterCommit(() => publish(stored))
    return stored
  }

  /** Adds all calls of one instance whose owner was checked in this transaction. */
  async function addAll(tx: Tx, instance: InstanceSubject, wanted: readonly Wanted[]) {
    const calls: StoredCall[] = []
    const added: { key: string; runAt: Due; input: { callId: string } }[] = []
    for (const { scheduledAt: runAt, ...call } of wanted) {
      const made = await insert(tx, instance, { ...call, scheduledAtMs: runAt.atMs, status: 'scheduled' })
      calls.push(made)
      added.push({ key: made.id, runAt, input: { callId: made.id } })
    }
    await jobs.addAll(tx, { accountId: instance.accountId, subjectId: instance.id }, added)
    return calls.map(toCall)
  }

  /** @throws ApiError validation_error */
  function readTime(scheduledAt: string | undefined): { atMs: number; isNow: boolean } {
    const now = clock.now()
    const atMs = scheduledAt === undefined ? now : Date.parse(scheduledAt)
    if (atMs < now - LATE_MS)
      throw new ApiError(
        'validation_error',
        'scheduled_at has passed. Choose a time in the future, or leave it out.',
      ).because('field_time_passed', { field: 'scheduled_at' })
    if (atMs > now + AHEAD_MS)
      throw new ApiError('validation_error', `scheduled_at is more than ${LIMITS.voiceDaysAhead} days ahead.`).because(
        'field_too_far_ahead',
        { field: 'scheduled_at', n: LIMITS.voiceDaysAhead },
      )
    return { atMs: Math.max(atMs, now), isNow: atMs <= now }
  }

  const dueOf = (atMs: number, isNow: boolean): Due => (isNow ? dueAt(clock, atMs) : appointmentAt(atMs))

  const noHours = () =>
    new ApiError(
      'invalid_state',
      'The calling hours of this instance never begin. Change them in its voice settings.',
    ).because('hours_never')

  const single = (request: Request<ScheduleBody>, check?: (tx: Tx) => Promise<void>): Promise<Created> =>
    once(request, 'POST voice calls', ids.uuid(), async () => {
      const { instance, principal, body } = request
      const time = readTime(body.scheduled_at)
      await requireAgent(instance, body.agent_id)
      const { settings, gateway } = await requireReady(instance)
      const scheduledAtMs = nextCallTime(settings.calling_hours, time.atMs)
      if (scheduledAtMs === null) throw noHours()
      const scheduledAt = dueOf(scheduledAtMs, time.isNow)
      if (time.isNow && scheduledAtMs <= clock.now())
        await requirePermission(instance, body.agent_id, body.to_number, null)
      const source = sourceOf(principal)
      return async (tx) => {
        await requireOwner(tx, instance)
        await check?.(tx)
        const wanted = { agentId: body.agent_id, number: body.to_number, source, gateway, batchId: null, scheduledAt }
        const [call] = await addAll(tx, instance, [wanted])
        if (call === undefined) throw new Error('The call just added is not there.')
        return call
      }
    })

  return {
    requireReady,
    requirePermission,
    requireOwner,
    insert,
    single: (request: Request<ScheduleBody>) => single(request),

    /** Schedules the call unless the person already has one. @throws ApiError idempotency_conflict */
    only: (request: Request<ScheduleBody>) =>
      single(request, async (tx) => {
        const { instance, body } = request
        const [number, other] = spellingsOf(body.to_number)
        if ((await tx.one(waitingCallTo, { instanceId: instance.id, number, other })) !== undefined)
          throw new ApiError('idempotency_conflict', 'A call to this person is scheduled already.').because(
            'call_scheduled_already',
          )
      }),

    batch(request: Request<BatchBody>): Promise<Created> {
      const batchId = ids.uuid()
      return once(request, 'POST voice calls batch', batchId, async () => {
        const { instance, principal, body } = request
        const { atMs: startMs, isNow } = readTime(body.scheduled_at)
        const { numbers, skipped } = readNumbers(body.numbers)
        await yieldToEventLoop()
        await requireAgent(instance, body.agent_id)
        const { settings, gateway } = await requireReady(instance)
        if (nextCallTime(settings.calling_hours, startMs) === null) throw noHours()
        const intervalMs = (body.interval_seconds ?? 30) * 1_000
        const times = paceCalls({ startMs, count: numbers.length, intervalMs }, settings.calling_hours)
        const source = sourceOf(principal)
        const wanted = numbers.map((number, i) => ({
          ...{ agentId: body.agent_id, number, source, gateway, scheduledAt: dueOf(times[i] ?? startMs, isNow) },
          ...{ batchId, batchIntervalMs: intervalMs },
        }))
        return async (tx): Promise<BatchReply> => {
          await requireOwner(tx, instance)
          const calls = await addAll(tx, instance, wanted)
          return { batch_id: batchId, scheduled: calls.length, calls, skipped }
        }
      })
    },
  }
}

export type Schedule = ReturnType<typeof createSchedule>

const sourceOf = ({ source }: Principal): CallSource =>
  source === 'console' || source === 'mcp' || source === 'ai' ? source : 'api'

function readNumbers(given: readonly string[]): { numbers: string[]; skipped: BatchReply['skipped'] } {
  const numbers = new Set<string>()
  const skipped: BatchReply['skipped'] = []
  for (const text of given) {
    const number = readPhone(text, null)
    if (number === undefined) skipped.push({ to_number: text, reason: 'invalid_number' })
    else if (numbers.has(number)) skipped.push({ to_number: text, reason: 'duplicate' })
    else numbers.add(number)
  }
  return { numbers: [...numbers], skipped }
}

const agentGone = (agentId: string) =>
  new ApiError('not_found', `agent_id names ${agentId}, which is not an agent of this instance.`).because(
    'chosen_gone',
    {
      field: 'agent_id',
    },
  )
