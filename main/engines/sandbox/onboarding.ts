import { ApiError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { EngineInstance } from '../engine.ts'
import { hashOfToken, type PageTokens } from '../page-token.ts'
import { isPaired, type Sessions } from './sessions.ts'

export interface OnboardingSubject {
  readonly id: InstanceId
  readonly accountId: AccountId
}

const byToken = sql<{ tokenHash: Uint8Array }, OnboardingSubject>(
  'SELECT instance_id AS id, account_id AS accountId FROM sandbox_lines WHERE token_hash = :tokenHash',
)

interface OnboardingDeps {
  readonly db: Db
  readonly pageTokens: PageTokens
  readonly sessions: Sessions
}

export type Onboarding = ReturnType<typeof createOnboarding>

/**
 * The token of the page behind `onboarding_url`. Each instance without a number has one; it is deleted once the
 * instance has a number.
 */
export function createOnboarding({ db, pageTokens, sessions }: OnboardingDeps) {
  return {
    async token(instance: EngineInstance): Promise<string | null> {
      await sessions.load()
      let session = sessions.of(instance.id)
      if (isPaired(session)) return null
      if (!session?.tokenHash)
        session =
          (await db.commit(async (tx) => {
            await sessions.ensure(tx, instance)
            return sessions.giveToken(tx, instance.id, pageTokens.make(instance.id))
          })) ?? sessions.of(instance.id)
      return session?.tokenHash ? pageTokens.show(instance.id, session) : null
    },
    async renew(tx: Tx, id: InstanceId): Promise<void> {
      await sessions.renewToken(tx, id)
    },
    /** @throws ApiError not_found for an unknown or used token. */
    async subject(token: string): Promise<OnboardingSubject> {
      // Loading also hashes the tokens that earlier versions stored.
      await sessions.load()
      const subject = await db.readOne(byToken, { tokenHash: hashOfToken(token) })
      if (subject !== undefined) return subject
      throw new ApiError(
        'not_found',
        'This onboarding page does not exist or was already used. Connect the instance in Switchboard, or create an access link.',
      )
    },
  }
}
