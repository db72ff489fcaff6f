import type { AccountRefusal } from '../../contract/account-refusals.ts'
import type { Config } from '../../config.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ClockJumps } from '../../kernel/clock-jumps.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Files } from '../../kernel/files.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids, Random } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Guards } from '../../outbound/service-address.ts'
import type { VoiceProcess } from '../../voice/voice-process.ts'
import type { Instances } from '../instances/index.ts'
import type { Usage } from '../usage/index.ts'
import type { VoiceAgents } from './agents.ts'
import type { StoredCall } from './call-store.ts'
import type { VoicePackages } from './entitlement.ts'
import type { CloudCalling } from '../../engines/official/index.ts'
import type { Mailer } from '../../kernel/mailer.ts'

/** Mails of the mail sandbox. */
interface Mailbox {
  list(owner: string, page: { readonly beforeId: string | null; readonly limit: number }): Promise<readonly KeptMail[]>
  close(): Promise<void>
}

interface KeptMail {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly receivedAtMs: number
}

/** An ended call, for rooms that record conversations with a person. */
export type EndedCall = Pick<
  StoredCall,
  | ('id' | 'instanceId' | 'direction' | 'toNumber' | 'fromNumber' | 'status' | 'recordingId')
  | ('scheduledAtMs' | 'startedAtMs' | 'durationMs')
>

export interface VoiceDeps extends Guards {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly ids: Pick<Ids, 'uuid' | 'tagged'>
  readonly log: Log
  readonly jobs: Jobs
  readonly files: Files
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly seal: Seal
  readonly cursors: Cursors
  readonly idempotency: Idempotency
  readonly clockJumps: Pick<ClockJumps, 'check' | 'onJump'>
  readonly config: Pick<Config, 'home' | 'publicBaseUrl' | 'voiceSandboxSpeed' | 'trustedRanges'>
  readonly instances: Pick<Instances, 'find' | 'named' | 'owned' | 'requireOwner' | 'subscribe' | 'subject'>
  readonly agents: VoiceAgents
  readonly packages: VoicePackages
  /** Sessions of browsers signed in to the console. */
  readonly sessions: {
    readonly isSignedIn: (id: string) => Promise<boolean>
    readonly onSessionEnded: (listener: (id: string) => void) => void
  }
  readonly isSuspended: (accountId: AccountId) => boolean
  /** Why the account may not message people; null: it may. */
  readonly refusalOf: (accountId: AccountId) => Promise<AccountRefusal | null>
  /** Called when the answer for any account may have changed. */
  readonly onRefusalChanged: (listener: () => void) => void
  readonly usage: Pick<Usage, 'add'>
  readonly timeZoneOf: (read: Pick<Tx, 'one'>, accountId: AccountId) => Promise<string>
  /** Name of the contact, if known. */
  readonly personName: (accountId: AccountId, number: string) => Promise<string | null>
  /** Called in the commit that ends a call. */
  readonly onEnded: (tx: Tx, call: EndedCall) => Promise<void>
  /** Whether somebody answers the calls of this sandbox phone by hand instead of a simulated person. */
  readonly isAnsweredByHand: (accountId: AccountId, number: string) => Promise<boolean>
  readonly process: VoiceProcess
  /** null: this build does not support calls over the Cloud API. */
  readonly cloud: CloudCalling | null
  readonly mailer: Mailer
  readonly mailbox: Mailbox
  /** Address the service listens on, without a trailing slash. */
  readonly baseUrl: () => string
}
