import { ApiError } from '../../contract/errors.ts'
import type { Gateway, VoiceCall } from '../../contract/voice.ts'
import type { Control, ControlResult } from '../../voice/voice-process.ts'
import type { InstanceSubject } from '../handler.ts'
import { beginTransfer, endTransfer, type StoredCall } from './call-store.ts'
import type { Calls } from './calls.ts'
import type { VoiceDeps } from './deps.ts'
import { toCall } from './record.ts'
import type { Running, RunningCall } from './running.ts'

interface ControlsDeps extends Pick<VoiceDeps, 'db' | 'clock'> {
  readonly running: Pick<Running, 'find' | 'publish'>
  readonly calls: Pick<Calls, 'get'>
}

/** Actions during a running call: hold, keypad digits and transfer. */
export function createControls({ db, clock, running, calls }: ControlsDeps) {
  /** @throws ApiError not_found, invalid_state */
  async function requireRunning(instance: InstanceSubject, id: string) {
    const call = await calls.get(instance, id)
    const one = running.find(id)
    if (one === undefined || !one.isAnswered())
      throw new ApiError('invalid_state', `The call is not in progress: its status is ${call.status}.`).because(
        'call_not_in_progress',
      )
    if (call.gateway !== 'sip') throw cannot(call.gateway)
    return { call, one }
  }

  async function act(one: RunningCall, control: Control): Promise<ControlResult> {
    // If the voice process does not answer, the outcome is unknown.
    return (await one.control(control)) ?? { ok: false, why: 'no_answer' }
  }

  async function recordOf(instance: InstanceSubject, id: string): Promise<VoiceCall> {
    return toCall(await calls.get(instance, id))
  }

  async function simple(instance: InstanceSubject, id: string, control: Control): Promise<VoiceCall> {
    const { call, one } = await requireRunning(instance, id)
    const result = await act(one, control)
    if (!result.ok) throw problemOf(result, call)
    return recordOf(instance, id)
  }

  return {
    /** @throws ApiError not_found, invalid_state, upstream_unavailable, upstream_timeout */
    hold: (instance: InstanceSubject, id: string, isHeld: boolean) => simple(instance, id, { kind: 'hold', isHeld }),

    /** @throws ApiError not_found, invalid_state, upstream_unavailable */
    press: (instance: InstanceSubject, id: string, digits: string) => simple(instance, id, { kind: 'press', digits }),

    /** @throws ApiError not_found, invalid_state, upstream_unavailable, upstream_timeout */
    async transfer(instance: InstanceSubject, id: string, number: string): Promise<VoiceCall> {
      const { call, one } = await requireRunning(instance, id)
      // Stored before the trunk is asked, so that every running transfer is recorded.
      const begun = await db.commit((tx) => tx.run(beginTransfer, { id, number, now: clock.now() }))
      if (begun === 0)
        throw new ApiError('invalid_state', 'The call is being transferred already, or has just ended.').because(
          'transfer_pending',
        )
      running.publish(call)
      const result = await act(one, { kind: 'transfer', number })
      if (result.ok) return recordOf(instance, id)
      // Without an answer the transfer may still be running; its time limit or the end of the call ends it.
      if (result.why !== 'no_answer') {
        const failure = result.why === 'refused' ? 'refused' : 'failed'
        await db.commit((tx) => tx.run(endTransfer, { id, status: 'failed', failure }))
        running.publish(call)
      }
      throw problemOf(result, call)
    },
  }
}

function cannot(gateway: Exclude<Gateway, 'sip'>): ApiError {
  switch (gateway) {
    case 'sandbox':
      return new ApiError(
        'invalid_state',
        'Simulated calls have no hold, keys or transfer. Use a number with a SIP trunk.',
      ).because('no_controls_sandbox')
    case 'cloud':
      return new ApiError(
        'invalid_state',
        'WhatsApp calls have no hold, keys or transfer. Only calls over a SIP trunk have them.',
      ).because('no_controls_cloud')
    case 'widget':
      return new ApiError(
        'invalid_state',
        'Calls from a web page have no hold, keys or transfer. Only calls over a SIP trunk have them.',
      ).because('no_controls_widget')
  }
}

function problemOf(result: ControlResult & { ok: false }, { gateway }: StoredCall): ApiError {
  switch (result.why) {
    case 'refused':
      return new ApiError(
        'invalid_state',
        `The trunk refused this with SIP status ${result.status}, and the call continues unchanged. Ask your phone provider whether your trunk supports it.`,
      ).because('trunk_refused', { status: result.status })
    case 'cannot':
      return gateway === 'sip' ? notInProgress() : cannot(gateway)
    case 'not_running':
      return notInProgress()
    case 'no_digits':
      return new ApiError('invalid_state', 'The other side of this call takes no keys.').because('digits_not_taken')
    case 'on_hold':
      return new ApiError('invalid_state', 'The call is on hold. Resume it before you press keys.').because(
        'call_on_hold',
      )
    case 'busy':
      return new ApiError(
        'invalid_state',
        'Something else is being changed in this call. Try again in a few seconds.',
      ).because('call_changing')
    case 'not_connected':
      return new ApiError(
        'upstream_unavailable',
        'The connection to the trunk is down, and the call was not changed. Try again once it is back.',
      ).because('trunk_not_connected')
    case 'no_answer':
      return new ApiError(
        'upstream_timeout',
        'The trunk did not answer within 10 seconds. It may still do it: read the call.',
      ).because('trunk_silent')
  }
}

const notInProgress = () =>
  new ApiError('invalid_state', 'The call has ended meanwhile.').because('call_not_in_progress')
