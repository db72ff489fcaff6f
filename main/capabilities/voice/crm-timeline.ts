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
 * Adds an ended call to the contact's timeline in the CRM, with a link to its recording that works for everybody
 * signed in to the console.
 * @param baseUrl without a trailing slash.
 */
export async function tellCrm(
  crm: { readonly addCall: AddCall },
  tx: Tx,
  call: EndedCall,
  baseUrl: string,
): Promise<void> {
  const { id, instanceId, direction, status, durationMs, recordingId } = call
  const phone = direction === 'outbound' ? call.toNumber : call.fromNumber
  // Visitors of a widget have no number.
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
