import type { InstanceRecord } from '../../../main/contract/instance.ts'
import type { InstanceStatus } from '../../../main/contract/shapes.ts'

export interface Tally {
  readonly connected: number
  /** Waiting for somebody to pair them. */
  readonly waiting: number
  /** Had a phone and are not connected. */
  readonly troubled: number
}

const WAITING: ReadonlySet<InstanceStatus> = new Set(['created', 'qr', 'passkey_required', 'recreating'])

/** Every number is counted once. */
export function tally(records: readonly InstanceRecord[]): Tally {
  let [connected, waiting, troubled] = [0, 0, 0]
  for (const { status, last_connected_at } of records) {
    if (status === 'connected') connected++
    else if (WAITING.has(status) || last_connected_at === null) waiting++
    else troubled++
  }
  return { connected, waiting, troubled }
}
