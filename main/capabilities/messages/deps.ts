import type { SendOrigin } from '../../contract/send-origin.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Engine as EngineName, Source } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids, InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Files } from '../../kernel/files.ts'
import type { MediaConverter } from '../../kernel/media-converter.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Billing, Price } from '../../engines/price.ts'
import type { InstanceSubject, RequireAccess } from '../handler.ts'
import type { Announce, Instances } from '../instances/index.ts'
import type { Draft } from './draft.ts'
import type { MediaSource } from './media.ts'
import type { SendBody } from './contract/sending.ts'

/** What this room asks of the instances room. */
export interface InstancesPort {
  readonly announce: Announce
  readonly subscribe: Instances['subscribe']
  readonly requireOwner: Instances['requireOwner']
  engineFor(subject: InstanceSubject): Engine
  /** Finds deleted instances too. */
  subject(accountId: AccountId, instanceId: string): Promise<InstanceSubject | undefined>
}

/** What this room asks of the fusion room. */
export interface FusionPort {
  /** The other instance of the same number, when the two are treated as one contact. */
  partnerOf(tx: Tx, instanceId: InstanceId): Promise<InstanceId | undefined>
}

/** What this room tells the safety room, in the commits that make it true. */
export interface SafetyPort {
  accepted(
    tx: Tx,
    message: { seq: number; instanceId: string; engine: EngineName; chat: string; atMs: number },
  ): Promise<void>
  /** The message never left, and its row is gone. */
  takenBack(tx: Tx, message: { seq: number; instanceId: string; atMs: number }): Promise<void>
  /** The network refused a message with this code. */
  refused(tx: Tx, instanceId: string, providerCode: number): Promise<void>
}

/** What this room tells the usage room, in the commits that make it true. */
export interface UsagePort {
  add(
    tx: Tx,
    use: {
      accountId: AccountId
      instanceId: InstanceId
      atMs: number
      sent?: number
      received?: number
      failed?: number
      campaignSends?: number
      mediaBytes?: number
    },
  ): Promise<void>
}

/** What this room tells the costs room, in the commits that make it true, and asks of it. */
export interface PricesPort {
  reported(
    tx: Tx,
    status: {
      readonly messageId: string
      readonly instanceId: InstanceId
      /** undefined: the number is unknown. */
      readonly message:
        | { readonly accountId: string; readonly chat: string; readonly campaignId: string | null }
        | undefined
      readonly status: 'sent' | 'delivered' | 'read'
      readonly atMs: number
      readonly billing: Billing
    },
  ): Promise<void>
  priceOf(read: Pick<Tx, 'one'>, messageId: string): Promise<Price | null>
}

/** What this room asks of the entitlements room, for each send. */
interface EntitlementsPort {
  of(accountId: AccountId): Promise<{ readonly frozen: boolean }>
}

export interface MessagesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Ids
  readonly instances: InstancesPort
  readonly fusion: FusionPort
  readonly safety: SafetyPort
  readonly usage: UsagePort
  readonly prices: PricesPort
  /** Asked for each send, so it must be cheap. */
  readonly isSuspended: (accountId: AccountId) => boolean
  readonly entitlements: EntitlementsPort
  readonly idempotency: Idempotency
  readonly cursors: Cursors
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly outbound: MediaSource
  readonly files: Pick<Files, 'storeTemporarily' | 'store' | 'bytesOf' | 'find' | 'keepUntil' | 'rehome'>
  /** What is left on the disk beyond the room that the service keeps for itself. */
  readonly freeBytes: () => number
  readonly converter: Pick<MediaConverter, 'convert'>
  readonly config: { readonly sendTimeoutMs: number }
  readonly log: Log
}

/** A send from any source. */
export interface SendRequest {
  readonly instance: InstanceSubject
  readonly body: SendBody
  /** The body as it was parsed, before defaults; asked for only when there is a key. */
  readonly rawBody: () => unknown
  readonly idempotencyKey: string | null
  readonly source: Source
  /** What another room sends it for. */
  readonly origin?: SendOrigin
  /** Checked before the message is stored, because its file and its turn can take minutes. Only for calls of the API. */
  readonly requireAccess?: RequireAccess
}

/** A send whose content was read already, possibly of a kind that the body of a send has no words for. */
export interface DraftRequest extends Omit<SendRequest, 'body'> {
  readonly draft: Draft
  /** What the key is used for, for example `POST messages`: the same key on another operation conflicts. */
  readonly operation: string
}
