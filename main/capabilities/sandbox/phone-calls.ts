import { ApiError } from '../../contract/errors.ts'
import type { SandboxNetwork } from '../../engines/sandbox/index.ts'
import type { AccountId } from '../../kernel/ids.ts'

/** A call as it runs at an instance. */
interface PlacedCall {
  readonly call: { readonly id: string }
  hangUp(reason: 'person_hung_up' | 'rejected'): void
  readonly ended: Promise<string>
}

/** @returns null if the instance cannot take calls. */
export type RingHere = (instanceId: string, from: string) => Promise<PlacedCall | null>

interface Running {
  readonly accountId: AccountId
  readonly from: string
  readonly placed: PlacedCall
}

/** Calls of simulated phones that an agent or a person at the console can take. */
export function createPhoneCalls({ calls }: Pick<SandboxNetwork, 'calls'>, ring: RingHere) {
  const running = new Map<string, Running>()
  calls.onRejected((callId) => running.get(callId)?.placed.hangUp('rejected'))

  return {
    /** @returns the call as it is in the list of calls; null: it only rings. */
    async place(
      callId: string,
      { accountId, from, instanceIds }: { accountId: AccountId; from: string; instanceIds: readonly string[] },
    ): Promise<{ instance_id: string; call_id: string } | null> {
      for (const instanceId of instanceIds) {
        const placed = await ring(instanceId, from)
        if (placed === null) continue
        running.set(callId, { accountId, from, placed })
        await calls.takeOver(callId)
        placed.ended
          .then((reason) => {
            running.delete(callId)
            return calls.end(callId, reason)
          })
          // The service stops: the network reports nothing any more.
          .catch(() => {})
        return { instance_id: instanceId, call_id: placed.call.id }
      }
      return null
    },

    /** @throws ApiError not_found */
    async hangUp(accountId: AccountId, from: string, callId: string): Promise<void> {
      const one = running.get(callId)
      if (one?.accountId === accountId && one.from === from) {
        one.placed.hangUp('person_hung_up')
        await one.placed.ended
      } else if (calls.isRinging(accountId, from, callId)) await calls.end(callId, 'person_hung_up')
      else throw new ApiError('not_found', `The phone ${from} has no call ${callId} that runs.`)
    },
  }
}
