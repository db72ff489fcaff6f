import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { ConversationalComponents, ConversationalSettings } from '../conversational-components.ts'
import type { EngineInstance } from '../engine.ts'
import { isPaired, type Sessions } from './sessions.ts'

type Of = { accountId: string; number: string }

const find = sql<Of, { components: string | null }>(
  'SELECT components FROM sandbox_profiles WHERE account_id = :accountId AND number = :number',
)
const save = sql<Of & { components: string }>(
  `INSERT INTO sandbox_profiles (account_id, number, about, privacy, components)
   VALUES (:accountId, :number, NULL, '{}', :components)
   ON CONFLICT (account_id, number) DO UPDATE SET components = excluded.components`,
)

const NONE: ConversationalComponents = { iceBreakers: [], commands: [] }

export type ConversationalStore = ReturnType<typeof createConversationalStore>

/** The ice breakers and commands of business numbers on the simulated network. */
export function createConversationalStore(db: Db) {
  return {
    async read(accountId: AccountId, number: string): Promise<ConversationalComponents> {
      const { components = null } = (await db.readOne(find, { accountId, number })) ?? {}
      return components === null ? NONE : (JSON.parse(components) as ConversationalComponents)
    },
    set: (accountId: AccountId, number: string, components: ConversationalComponents): Promise<unknown> =>
      db.commit((tx) => tx.run(save, { accountId, number, components: JSON.stringify(components) })),
  }
}

/** The same for an official number of the sandbox. */
export function createConversationalSettings(sessions: Sessions, store: ConversationalStore): ConversationalSettings {
  async function numberOf({ id }: EngineInstance): Promise<string> {
    await sessions.load()
    const session = sessions.of(id)
    if (isPaired(session) && session.up) return session.number
    throw new ApiError('not_ready', 'The instance has no number yet. Complete its onboarding.')
  }

  return {
    read: async (instance) => store.read(instance.accountId, await numberOf(instance)),
    async set(instance, components) {
      await store.set(instance.accountId, await numberOf(instance), components)
    },
  }
}
