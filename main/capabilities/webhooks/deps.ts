import type { Config } from '../../config.ts'
import type { ApiActivity } from '../../kernel/api-activity.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { ClockJumps } from '../../kernel/clock-jumps.ts'
import type { Ids, Random } from '../../kernel/ids.ts'
import type { WriteGate } from '../../kernel/write-gate.ts'
import type { Ledger, QuietLedger } from '../../kernel/ledger.ts'
import type { Notice } from '../../contract/notice.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Log } from '../../kernel/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Seal } from '../../kernel/seal.ts'

export interface WebhooksDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly ids: Pick<Ids, 'webhook' | 'delivery'>
  readonly ledger: Pick<Ledger, 'inCommit'> & QuietLedger
  readonly apiActivity: Pick<ApiActivity, 'isRecent'>
  readonly clockJumps: Pick<ClockJumps, 'check' | 'onJump'>
  readonly outbound: Pick<Outbound, 'checkUrl' | 'request' | 'parseHost' | 'hasNetwork' | 'networkRevision'>
  readonly seal: Seal
  readonly cursors: Cursors
  readonly config: Pick<Config, 'retryScheduleSeconds'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  /** Closed while the disk is full: nothing is claimed then. */
  readonly writeGate: Pick<WriteGate, 'isOpen'>
  readonly log: Log
}
