import { ApiError } from '../../contract/errors.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { liveCalls, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import type { Running, RunningCall } from './running.ts'

/** Calls from our numbers to simulated phones, for the person who holds such a phone. */
export function createPhoneSide({ db, running }: Pick<VoiceDeps, 'db'> & { readonly running: Running }) {
  async function list(accountId: AccountId, number: string): Promise<StoredCall[]> {
    const live = await db.read(liveCalls, { accountId })
    return live.filter(
      ({ gateway, direction, toNumber, status }) =>
        gateway === 'sandbox' && direction === 'outbound' && toNumber === number && status !== 'dialing',
    )
  }

  /** @throws ApiError not_found */
  async function get(accountId: AccountId, number: string, callId: string): Promise<RunningCall> {
    const known = (await list(accountId, number)).find(({ id }) => id === callId)
    const call = known && running.find(known.id)
    if (call !== undefined) return call
    throw new ApiError('not_found', `The phone ${number} has no call ${callId} that rings or runs.`)
  }

  return {
    list,
    /** Answering twice has no effect. @throws ApiError not_found */
    answer: async (accountId: AccountId, number: string, callId: string): Promise<void> =>
      (await get(accountId, number, callId)).pickUp(),
    /** Declines a ringing call. @throws ApiError not_found */
    async hangUp(accountId: AccountId, number: string, callId: string): Promise<void> {
      const call = await get(accountId, number, callId)
      call.hangUp(call.isAnswered() ? 'person_hung_up' : 'rejected')
      await call.ended
    },
  }
}
