import { TRAITS } from '../../../main/contract/engine-traits.ts'
import type { InstanceRecord } from '../../../main/contract/instance.ts'

/**
 * The linked-device instances that can be linked to an official one: same phone number, same network. There is
 * usually one, or none.
 */
export function listPartners(official: InstanceRecord, all: readonly InstanceRecord[]): InstanceRecord[] {
  if (official.phone_number === null) return []
  return all.filter(
    ({ engine, phone_number: number, network }) =>
      TRAITS[engine].isLinkedPhone && number === official.phone_number && network === official.network,
  )
}
