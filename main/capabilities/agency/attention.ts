import type { Db } from '../../kernel/db.ts'
import type { Entitlements } from '../entitlements/index.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { parentOf } from './store.ts'

interface Deps {
  readonly db: Pick<Db, 'readOne'>
  readonly entitlements: Pick<Entitlements, 'of'>
}

/** Issues in a client's overview: `suspended` and `frozen`. Billing reports to an agency that it is frozen itself. */
export function createAttention({ db, entitlements }: Deps) {
  return async ({ accountId }: AttentionQuery): Promise<AttentionLine[]> => {
    const account = await db.readOne(parentOf, { accountId })
    if (account === undefined || account.parentId === null) return []
    const line = { severity: 'error', count: 1, subject: null, sinceMs: null, text: null } as const
    if (account.status === 'suspended') return [{ ...line, code: 'suspended' }]
    return (await entitlements.of(accountId)).frozen ? [{ ...line, code: 'frozen' }] : []
  }
}
