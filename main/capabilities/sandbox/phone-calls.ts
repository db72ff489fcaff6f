import type { SandboxNetwork } from '../../engines/sandbox/index.ts'
import type { AccountId } from '../../kernel/ids.ts'

/** A running call at an instance. */
interface PlacedCall {
  readonly call: { readonly id: string }
  hangUp(reason: 'person_hung_up' | 'rejected'): void
  readonly ended: Promise<string>
}

/** @returns null if the instance cannot take calls. */
export type RingHere = (instanceId: string, from: string) => Promise<PlacedCall | null>

/** A call from one of our numbers to a phone. */
export interface CallAtPhone {
  readonly id: string
  readonly instanceId: string
  readonly fromNumber: string | null
  readonly status: string
  readonly startedAtMs: number | null
  readonly createdAtMs: number
}

/** Calls from our numbers, from the side of the simulated phones. */
export interface PhoneSide {
  list(accountId: AccountId, number: string): Promise<readonly CallAtPhone[]>
  /** @throws ApiError not_found */
  answer(accountId: AccountId, number: string, callId: string): Promise<void>
  /** @throws ApiError not_found */
  hangUp(accountId: AccountId, number: string, callId: string): Promise<void>
}

interface Running {
  readonly accountId: AccountId
  readonly from: string
  readonly placed: PlacedCall
}

/** Calls from simulated phones, which an agent or a person at the console can answer, and calls to them. */
export function createPhoneCalls({ calls }: Pick<SandboxNetwork, 'calls'>, ring: RingHere, phoneSide: PhoneSide) {
  const running = new Map<string, Running>()
  calls.onRejected((callId) => running.get(callId)?.placed.hangUp('rejected'))

  return {
    /** @returns the call as in the list of calls; null: it only rings. */
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
          // The service is stopping: the network sends no more reports.
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
      else await phoneSide.hangUp(accountId, from, callId)
    },
  }
}
