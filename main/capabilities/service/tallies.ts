import type { InstanceStatus } from '../../contract/shapes.ts'
import type { AccountId } from '../../kernel/ids.ts'

/** What other rooms count; bound when they exist. */
export interface Tallies {
  instances(accountId: AccountId): Promise<ReadonlyMap<InstanceStatus, number>>
  webhooks(accountId: AccountId): Promise<{ total: number; deactivated: number }>
  /** Each counted up to `most`. */
  deliveries(accountId: AccountId, most: number): Promise<{ pending: number; failed: number }>
  approvals(accountId: AccountId): Promise<{ pending: number }>
  messages(accountId: AccountId): Promise<{ queued: number }>
  /** When the delivery that has waited longest became, or becomes, due; null when nothing waits. */
  deliveriesDueSinceMs(accountId: AccountId): Promise<number | null>
}
