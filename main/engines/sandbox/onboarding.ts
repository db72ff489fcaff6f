import { ApiError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId, Random } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { EngineInstance } from '../engine.ts'
import { isPaired, type Sessions } from './sessions.ts'

export interface OnboardingSubject {
  readonly id: InstanceId
  readonly accountId: AccountId
}

const byToken = sql<{ token: string }, OnboardingSubject>(
  'SELECT instance_id AS id, account_id AS accountId FROM sandbox_lines WHERE token = :token',
)

export type Onboarding = ReturnType<typeof createOnboarding>

/** The token of the page behind `onboarding_url`: one for each instance that has no number, gone once it has one. */
export function createOnboarding({ db, random, sessions }: { db: Db; random: Random; sessions: Sessions }) {
  return {
    async token(instance: EngineInstance): Promise<string | null> {
      await sessions.load()
      const session = sessions.of(instance.id)
      if (isPaired(session)) return null
      if (session?.token) return session.token
      const token = random.bytes(24).toString('base64url')
      const given = await db.commit(async (tx) => {
        await sessions.ensure(tx, instance)
        return sessions.giveToken(tx, instance.id, token)
      })
      return given?.token ?? sessions.of(instance.id)?.token ?? null
    },
    async renew(tx: Tx, id: InstanceId): Promise<void> {
      await sessions.renewToken(tx, id)
    },
    /** @throws ApiError not_found for a token that is unknown or was used. */
    async subject(token: string): Promise<OnboardingSubject> {
      const subject = await db.readOne(byToken, { token })
      if (subject !== undefined) return subject
      throw new ApiError(
        'not_found',
        'This onboarding page does not exist or was already used. Connect the instance in Switchboard, or create an access link.',
      )
    },
  }
}
