import type { Source } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Engine } from '../../engines/engine.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Announce } from '../instances/index.ts'
import type { MediaSource } from './media.ts'
import type { SendBody } from './contract.ts'

/** What this room asks of the instances room. */
export interface InstanceDesk {
  readonly announce: Announce
  engineFor(subject: InstanceSubject): Engine
  /** Finds deleted instances too. */
  subject(accountId: AccountId, instanceId: string): Promise<InstanceSubject | undefined>
}

export interface MessagesNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Ids
  readonly instances: InstanceDesk
  readonly idempotency: Idempotency
  readonly outbound: MediaSource
  readonly config: { readonly sendTimeoutMs: number }
  readonly log: Log
}

/** A send, whoever asks for it. */
export interface SendRequest {
  readonly instance: InstanceSubject
  readonly body: SendBody
  /** The body as it was parsed, before defaults; asked for only when there is a key. */
  readonly rawBody: () => unknown
  readonly idempotencyKey: string | null
  readonly source: Source
  readonly campaignId?: string
}

export interface SendReply {
  /** The exact body of the answer. */
  readonly bytes: Buffer
  readonly replayed: boolean
}
