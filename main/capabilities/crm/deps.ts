import type { Notice } from '../../contract/notice.ts'
import type { GhlSimulator } from '../../simulators/ghl/index.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Ids, Random } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Dial, Outbound, Resolve } from '../../outbound/outbound.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Secret } from '../../kernel/secret.ts'
import type { Contacts } from '../contacts/index.ts'
import type { Instances } from '../instances/index.ts'
import type { Messages } from '../messages/index.ts'
import type { OptOuts } from '../opt-outs/index.ts'

/** The operator's marketplace app at GoHighLevel. */
interface GhlConfig {
  /** `sandbox`: live instances connect to the simulator as well. */
  readonly ghlBaseUrl: string
  readonly ghlMarketplaceUrl: string
  readonly ghlClientId: string | null
  readonly ghlClientSecret: Secret | null
  readonly ghlProviderId: string | null
  /** PEM, or the key in base64. */
  readonly ghlPublicKey: string | null
  readonly publicBaseUrl: string | null
}

export interface CrmDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly ids: Pick<Ids, 'tagged'>
  readonly jobs: Jobs
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
  readonly cursors: Cursors
  readonly seal: Seal
  readonly outbound: Pick<Outbound, 'checkUrl' | 'request'>
  readonly resolve: Resolve
  readonly dial?: Dial | undefined
  readonly instances: Pick<Instances, 'find' | 'subject' | 'engineFor' | 'subscribe'>
  readonly messages: Pick<
    Messages,
    | 'send'
    | 'getByKey'
    | 'fetchFile'
    | 'uploads'
    | 'said'
    | 'oldestIn'
    | 'thread'
    | 'lastWrittenAtMs'
    | 'lastReceivedAtMs'
  >
  readonly optOuts: Pick<
    OptOuts,
    'isOptedOut' | 'optedOutAt' | 'optedOutOf' | 'record' | 'lift' | 'onOptOut' | 'onLifted' | 'country' | 'ofNumber'
  >
  readonly contacts: Pick<Contacts, 'find' | 'detail' | 'lastContact'>
  readonly isSuspended: (accountId: AccountId) => boolean
  readonly config: GhlConfig
  readonly simulator: GhlSimulator
  /** Address the service listens on, without a trailing slash. */
  readonly localUrl: () => string
}
