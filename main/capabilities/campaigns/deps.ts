import type { AccountRefusal } from '../../contract/account-refusals.ts'
import type { ApiActivity } from '../../kernel/api-activity.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Contacts } from '../contacts/index.ts'
import type { Costs } from '../costs/index.ts'
import type { Instances } from '../instances/index.ts'
import type { Messages } from '../messages/index.ts'
import type { OptOuts } from '../opt-outs/index.ts'
import type { Safety } from '../safety/index.ts'

export interface CampaignsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'tagged'>
  readonly jobs: Jobs
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
  readonly apiActivity: Pick<ApiActivity, 'isRecent'>
  readonly cursors: Cursors
  readonly idempotency: Idempotency
  readonly instances: Pick<Instances, 'find' | 'subject' | 'engineFor' | 'subscribe' | 'known'>
  readonly messages: Pick<Messages, 'send' | 'getByKey' | 'lastWrittenAtMs' | 'uploads'>
  readonly safety: Pick<Safety, 'claim' | 'release' | 'isCold' | 'isOneMore' | 'remaining'>
  readonly optOuts: Pick<OptOuts, 'optedOutOf' | 'onOptOut' | 'country'>
  readonly costs: Pick<Costs, 'estimate' | 'budgets' | 'holds'>
  readonly contacts: Pick<Contacts, 'withTag' | 'lastContact' | 'nameOnce'>
  /** Upper bound of the time that the service was off before this start. */
  readonly wasOffMs: () => number
  readonly isSuspended: (accountId: AccountId) => boolean
  /** Why the account may not message people; null: it may. */
  readonly refusalOf: (accountId: AccountId) => Promise<AccountRefusal | null>
  readonly config: {
    /** Used for sending hours and days without a time zone. */
    readonly safetyTimezone: string
  }
}
