import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { primaryAgent } from './agent-store.ts'
import type { AiDeps } from './deps.ts'
import { removeHttpToolsOf } from './http-tool-store.ts'
import { mediaInAccount, mediaOfInstance, removeMedia } from './media-store.ts'
import { setRefused } from './settings-store.ts'

interface Move {
  readonly id: InstanceId
  readonly from: AccountId
  readonly to: AccountId
}

type OfInstance = { instanceId: string; accountId: string }

const TABLES = ['ai_instances', 'ai_agents', 'ai_conversations', 'ai_turns', 'ai_daily'] as const

const REHOME = TABLES.map((table) =>
  sql<OfInstance>(`UPDATE ${table} SET account_id = :accountId WHERE instance_id = :instanceId`),
)

/**
 * Moves an instance's agents and their history to its new account. HTTP tools stay behind: they call servers of the
 * old owner with the old owner's secrets.
 */
export function createRehome({ clock, messages }: Pick<AiDeps, 'clock' | 'messages'>) {
  return async (tx: Tx, { id: instanceId, from, to }: Move): Promise<void> => {
    for (const statement of REHOME) await tx.run(statement, { instanceId, accountId: to })
    await tx.run(removeHttpToolsOf, { instanceId })
    for (const { seq, mediaId } of await tx.all(mediaOfInstance, { instanceId })) {
      // A file that is also used by an agent of another instance stays in the old account.
      const others = (await tx.one(mediaInAccount, { accountId: from, mediaId }))?.count ?? 0
      if (others > 0) await tx.run(removeMedia, { seq })
      else await messages.uploads.rehome(tx, from, mediaId, to)
    }
    // The provider keys stay with the old account, so the new owner is notified before anybody writes.
    const agent = await tx.one(primaryAgent, { instanceId })
    if (agent !== undefined && agent.provider !== 'builtin')
      await tx.run(setRefused, { instanceId, code: 'provider_key_missing', at: clock.now() })
  }
}
