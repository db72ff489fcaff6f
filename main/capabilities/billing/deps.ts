import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { Ids, Random } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Dial, Resolve } from '../../outbound/outbound.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { StripeSimulator } from '../../simulators/stripe/index.ts'
import type { Costs } from '../costs/index.ts'
import type { Entitlements } from '../entitlements/index.ts'
import type { Usage } from '../usage/index.ts'

/** Dependencies of the room. */
export interface BillingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly log: Log
  readonly jobs: Jobs
  readonly seal: Seal
  readonly cursors: Cursors
  readonly idempotency: Idempotency
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly resolve: Resolve
  readonly dial?: Dial | undefined
  readonly entitlements: Pick<Entitlements, 'of' | 'grant' | 'revoke' | 'slots'>
  readonly usage: Pick<Usage, 'totals' | 'today'>
  readonly costs: Pick<Costs, 'report'>
  readonly simulator: StripeSimulator
  /** The address this service listens on, and its public URL. */
  readonly localUrl: () => string
  readonly publicBaseUrl: string | null
}
