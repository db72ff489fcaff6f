import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { ApiError } from '../../contract/errors.ts'
import type { EngineInstance } from '../engine.ts'
import { usernameError } from '../username-errors.ts'
import type { BusinessUsername, Usernames } from '../usernames.ts'
import { isPaired, type Sessions } from './sessions.ts'

type Named = { accountId: string; number: string }

const find = sql<Named, { username: string | null; status: BusinessUsername['status'] | null }>(
  `SELECT username, username_status AS status FROM sandbox_profiles
   WHERE account_id = :accountId AND number = :number`,
)
const holder = sql<{ accountId: string; username: string }, { number: string }>(
  'SELECT number FROM sandbox_profiles WHERE account_id = :accountId AND username = :username ORDER BY number LIMIT 1',
)
const save = sql<Named & { username: string | null; status: string | null }>(
  `INSERT INTO sandbox_profiles (account_id, number, about, privacy, username, username_status)
   VALUES (:accountId, :number, NULL, '{}', :username, :status)
   ON CONFLICT (account_id, number) DO UPDATE SET username = excluded.username, username_status = excluded.username_status`,
)

export type BusinessUsernameStore = ReturnType<typeof createBusinessUsernames>

/** Usernames that are always taken, and usernames that need a linked account. */
const TAKEN: readonly string[] = ['meta', 'whatsapp', 'taken']
const OF_FACEBOOK = 'facebook_'
const OF_INSTAGRAM = 'instagram_'
/** Last four digits of numbers that Meta restricts. */
const NOT_ELIGIBLE = '0463'

/** The usernames of business numbers on the simulated network. */
export function createBusinessUsernames(db: Db) {
  return {
    async read(accountId: AccountId, number: string): Promise<BusinessUsername | null> {
      const { username = null, status = null } = (await db.readOne(find, { accountId, number })) ?? {}
      return username === null || status === null ? null : { username, status }
    },
    /**
     * @returns Meta's code for a refusal. @param sharesPortfolio whether another number belongs to the same
     * portfolio.
     */
    claim: (
      accountId: AccountId,
      number: string,
      { username, status }: BusinessUsername,
      { isMoved, sharesPortfolio }: { isMoved: boolean; sharesPortfolio: (other: string) => boolean },
    ): Promise<number | null> =>
      db.commit(async (tx) => {
        if (number.endsWith(NOT_ELIGIBLE)) return 147_002
        if (TAKEN.includes(username)) return 147_001
        if (username.startsWith(OF_FACEBOOK)) return 147_003
        if (username.startsWith(OF_INSTAGRAM)) return 147_004
        const other = (await tx.one(holder, { accountId, username }))?.number ?? number
        if (other !== number && !sharesPortfolio(other)) return 147_001
        if (other !== number && !isMoved) return 147_005
        if (other !== number) await tx.run(save, { accountId, number: other, username: null, status: null })
        await tx.run(save, { accountId, number, username, status })
        return null
      }),
    async release(accountId: AccountId, number: string): Promise<void> {
      await db.commit((tx) => tx.run(save, { accountId, number, username: null, status: null }))
    },
    suggestions: (number: string): readonly string[] => [
      `business_${number.slice(-4)}`,
      `help.${number.slice(-4)}.acme`,
    ],
  }
}

/** For an official number of the sandbox: all numbers of an account share a portfolio, and nobody reviews usernames. */
export function createUsernames(sessions: Sessions, store: BusinessUsernameStore): Usernames {
  async function numberOf({ id }: EngineInstance): Promise<string> {
    await sessions.load()
    const session = sessions.of(id)
    if (isPaired(session) && session.up) return session.number
    throw new ApiError('not_ready', 'The instance has no number yet, so it has no username. Complete its onboarding.')
  }

  return {
    read: async (instance) => store.read(instance.accountId, await numberOf(instance)),
    suggestions: async (instance) => store.suggestions(await numberOf(instance)),
    async claim(instance, username, isMoved) {
      const wish = { username, status: 'approved' } as const
      const rules = { isMoved, sharesPortfolio: () => true }
      const code = await store.claim(instance.accountId, await numberOf(instance), wish, rules)
      const refused = code === null ? undefined : usernameError(code)
      if (refused !== undefined) throw refused
      return wish
    },
    release: async (instance) => store.release(instance.accountId, await numberOf(instance)),
  }
}
