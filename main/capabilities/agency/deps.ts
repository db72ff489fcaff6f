import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Accounts } from '../account/index.ts'
import type { Entitlements } from '../entitlements/index.ts'
import type { Instances } from '../instances/index.ts'
import type { Usage } from '../usage/index.ts'

export interface AgencyDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'account'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly idempotency: Idempotency
  readonly accounts: Accounts
  readonly entitlements: Entitlements
  readonly usage: Usage
  readonly instances: Pick<Instances, 'accountOf' | 'attention' | 'transfer' | 'known'>
  /** Read on each use. */
  readonly config: { readonly agencyOvercommit: boolean }
  /** Called when an account becomes active again. */
  readonly onActivated: () => Promise<void>
  /** Removes the webhooks of a deleted account. Repeating it is harmless. */
  readonly removeWebhooks: (accountId: AccountId) => Promise<void>
}
