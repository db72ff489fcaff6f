import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { isUuid } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Secret } from '../../kernel/secret.ts'
import type { Journal } from './journal.ts'
import { hasCredentials, type Numbers, type OfficialNumber } from './numbers.ts'
import { addCallback } from './store.ts'

/** The verification request that Meta sends when a callback URL is entered. */
interface Challenge {
  readonly mode: string | undefined
  readonly verifyToken: string | undefined
  readonly challenge: string | undefined
}

/** Callbacks from Meta. */
export interface Callbacks {
  /** @returns the challenge to echo to Meta. @throws ApiError not_found, unauthorized, validation_error, sealed */
  confirm(instanceId: string, asked: Challenge): Promise<string>
  /**
   * Resolves once the exact bytes are durable; they are processed afterwards.
   * @throws ApiError not_found for an instance without a number, unauthorized for a wrong signature, sealed.
   */
  take(instanceId: string, signature: string | undefined, body: Buffer): Promise<void>
}

export function createCallbacks(needs: {
  readonly db: Db
  readonly clock: Clock
  readonly numbers: Numbers
  readonly journal: Pick<Journal, 'wake'>
}): Callbacks {
  const { db, clock, numbers, journal } = needs

  async function numberOf(instanceId: string): Promise<OfficialNumber> {
    await numbers.load()
    // Checked by its form, before the database is read.
    const number = isUuid(instanceId) ? numbers.of(instanceId.toLowerCase() as InstanceId) : undefined
    if (number !== undefined) return number
    throw new ApiError('not_found', 'There is nothing at this callback address.')
  }

  return {
    async confirm(instanceId, { mode, verifyToken, challenge }) {
      const number = await numberOf(instanceId)
      if (mode !== 'subscribe' || challenge === undefined) {
        throw new ApiError('validation_error', 'hub.mode must be subscribe, and hub.challenge must be there.')
      }
      if (verifyToken !== undefined && number.verifyToken().equals(verifyToken)) return challenge
      throw unproved('hub.verify_token is not the verify token of this address.')
    },

    async take(instanceId, signature, body) {
      const number = await numberOf(instanceId)
      if (!hasCredentials(number)) throw new ApiError('not_found', 'There is nothing at this callback address.')
      if (!isSigned(body, signature, number.credentials().appSecret)) {
        throw unproved('X-Hub-Signature-256 does not fit the body and the app secret of this address.')
      }
      await db.commit(async (tx) => {
        const seq = await tx.next('official')
        await tx.run(addCallback, { seq, instanceId: number.instanceId, now: clock.now(), body })
        tx.afterCommit(() => journal.wake(number.instanceId))
      })
    },
  }
}

/** The answer asks for no API key, because a key would not help here. */
const unproved = (message: string) => new ApiError('unauthorized', message, { 'www-authenticate': 'Signature' })

/** Over the bytes as received: re-serialized JSON would differ. Constant time. */
function isSigned(body: Buffer, signature: string | undefined, appSecret: Secret): boolean {
  const given = /^sha256=([0-9a-f]{64})$/.exec(signature ?? '')?.[1]
  if (given === undefined) return false
  const expected = createHmac('sha256', appSecret.open()).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(given, 'hex'))
}
