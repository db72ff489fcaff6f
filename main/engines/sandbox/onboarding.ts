import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kernel/db.ts'
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
export function createOnboarding({ db, random, lines }: { db: Db; random: Random; lines: Sessions }) {
  return {
    async token(instance: EngineInstance): Promise<string | null> {
      await lines.load()
      const line = lines.of(instance.id)
      if (isPaired(line)) return null
      if (line?.token) return line.token
      const token = random.bytes(24).toString('base64url')
      const given = await db.commit(async (tx) => {
        await lines.ensure(tx, instance)
        return lines.giveToken(tx, instance.id, token)
      })
      return given?.token ?? lines.of(instance.id)?.token ?? null
    },
    /** @throws ApiError not_found for a token that is unknown or was used. */
    async subject(token: string): Promise<OnboardingSubject> {
      const subject = await db.readOne(byToken, { token })
      if (subject !== undefined) return subject
      throw new ApiError(
        'not_found',
        'This onboarding page was used already or never existed. Read onboarding_url of the instance again.',
      )
    },
  }
}
