import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Ai } from '../ai/index.ts'
import type { Instances } from '../instances/index.ts'

export interface AiEvaluationsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  readonly jobs: Jobs
  readonly cursors: Cursors
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'subscribe' | 'subject'>
  readonly ai: Pick<Ai, 'agents' | 'trial' | 'settings'>
}
