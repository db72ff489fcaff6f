import type { AccountRefusal } from '../../contract/account-refusals.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Ids, Random } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { AiKnowledge } from '../ai-knowledge/index.ts'
import type { AiProviders } from '../ai-providers/index.ts'
import type { Fusion } from '../fusion/index.ts'
import type { Instances } from '../instances/index.ts'
import type { Messages } from '../messages/index.ts'
import type { OptOuts } from '../opt-outs/index.ts'
import type { Safety } from '../safety/index.ts'
import type { Usage } from '../usage/index.ts'

/** The functions of the room for calls that agents need. That room is built after this one. */
interface Calls {
  /** Whether voice is enabled on the instance. */
  isReady(accountId: AccountId, instanceId: string): Promise<boolean>
  /** @param call `key` makes a repeat harmless. @throws ApiError */
  schedule(call: {
    readonly accountId: AccountId
    readonly instanceId: string
    readonly chat: string
    readonly agentId: string
    readonly scheduledAt?: string
    readonly key: string
  }): Promise<{ readonly scheduledAtMs: number }>
}

export interface AiDeps {
  readonly calls: Calls
  /** Why the account may not message people; null: it may. */
  readonly refusalOf: (accountId: AccountId) => Promise<AccountRefusal | null>
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly ids: Pick<Ids, 'tagged' | 'uuid'>
  readonly jobs: Jobs
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
  readonly cursors: Cursors
  readonly seal: Seal
  readonly outbound: Pick<Outbound, 'request' | 'checkUrl'>
  readonly instances: Pick<Instances, 'subject' | 'subscribe' | 'find' | 'holdOf' | 'engineFor'>
  readonly messages: Pick<Messages, 'send' | 'getByKey' | 'thread' | 'uploads' | 'chatAsFirstGiven'>
  readonly fusion: Pick<Fusion, 'partnerOf'>
  readonly safety: Pick<Safety, 'claim' | 'release'>
  readonly optOuts: Pick<OptOuts, 'isOptedOut' | 'optedOutAt' | 'isStopWord'>
  readonly providers: AiProviders
  readonly knowledge: AiKnowledge
  readonly usage: Pick<Usage, 'add'>
  readonly config: {
    /** Used by settings without a time zone. */
    readonly safetyTimezone: string
  }
}
