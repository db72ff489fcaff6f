import type { InstanceStatus } from '../../contract/shapes.ts'
import type { AccountId } from '../../kernel/ids.ts'

/** Counts from other rooms; bound once those exist. */
export interface Tallies {
  instances(accountId: AccountId): Promise<ReadonlyMap<InstanceStatus, number>>
  webhooks(accountId: AccountId): Promise<{ total: number; deactivated: number }>
  /** Each counted up to `most`. */
  deliveries(accountId: AccountId, most: number): Promise<{ pending: number; failed: number }>
  approvals(accountId: AccountId): Promise<{ pending: number }>
  messages(accountId: AccountId): Promise<{ queued: number }>
  /** When the longest-waiting delivery became, or becomes, due; null when none is pending. */
  deliveriesDueSinceMs(accountId: AccountId): Promise<number | null>
}
