import type { Tx } from '../../kernel/db.ts'
import type { CrmRoom } from '../crm/index.ts'
import type { EndedCall } from './deps.ts'

type AddCall = CrmRoom['api']['addCall']
type Outcome = Parameters<AddCall>[1]['outcome']

const OUTCOMES: Partial<Record<EndedCall['status'], Outcome>> = {
  completed: 'completed',
  no_answer: 'missed',
  canceled: 'missed',
  busy: 'declined',
  rejected: 'declined',
}

/**
 * Puts a call that has ended on the timeline of the contact in its CRM, with a link to its recording, which opens for
 * anybody who is signed in to the console.
 * @param baseUrl without a slash at its end.
 */
export async function tellCrm(
  crm: { readonly addCall: AddCall },
  tx: Tx,
  call: EndedCall,
  baseUrl: string,
): Promise<void> {
  const { id, instanceId, direction, status, durationMs, recordingId } = call
  const phone = direction === 'outbound' ? call.toNumber : call.fromNumber
  // A visitor of a widget has none.
  if (phone === null) return
  const recording = `/panel/v1/instances/${instanceId}/voice/recordings/${recordingId ?? ''}/download`
  await crm.addCall(tx, {
    ...{
      id,
      instanceId,
      phone,
      direction,
      startedAtMs: call.startedAtMs ?? call.scheduledAtMs,
      from: call.fromNumber,
      to: call.toNumber,
    },
    outcome: OUTCOMES[status] ?? 'failed',
    durationSeconds: Math.round((durationMs ?? 0) / 1_000),
    recordingUrl: recordingId === null ? null : `${baseUrl}${recording}`,
  })
}
