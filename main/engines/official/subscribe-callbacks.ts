import type { InstanceId } from '../../kernel/ids.ts'
import type { OfficialNumber } from './numbers.ts'
import type { GraphCredentials, Transport } from './transport.ts'

type Asking = Pick<OfficialNumber, 'instanceId' | 'verifyToken'> & { readonly phoneNumberId: string }

/** @returns the URL that Meta calls from now on; null when there is none, or Meta could not reach it. */
export type SubscribeCallbacks = (speaker: GraphCredentials, number: Asking) => Promise<string | null>

/**
 * Registers the callback URL of a number at Meta. If that fails the number is still accepted: sending works, and the
 * health of the number reports the rest.
 * @param callbackAddress the callback URL of an instance; null when the service has no public URL.
 */
export function createSubscribeCallbacks(
  transport: Transport,
  callbackAddress: (id: InstanceId) => string | null,
): SubscribeCallbacks {
  return async (speaker, { instanceId, phoneNumberId, verifyToken }) => {
    const address = callbackAddress(instanceId)
    if (address === null) return null
    const answer = await transport.callBackTo(speaker, phoneNumberId, address, verifyToken())
    return answer.kind === 'ok' ? address : null
  }
}
