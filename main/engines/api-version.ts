import type { Tx } from '../kernel/db.ts'
import type { AccountId, InstanceId } from '../kernel/ids.ts'
import type { EngineInstance } from './instance.ts'

/** Which version of its network's API a number speaks. */
export interface ApiVersionControl {
  /** @returns null: that of the service. */
  of(id: InstanceId): string | null
  /** Numbers of an account that have a version of their own. */
  ownOf(accountId: AccountId): readonly { readonly instanceId: InstanceId; readonly version: string }[]
  /** Asks the network about the number in this version. @throws Error when it does not answer, ApiError when it refuses. */
  check(instance: EngineInstance, version: string): Promise<void>
  /** In the caller's commit. @param version null: that of the service. @throws ApiError not_ready */
  set(tx: Tx, id: InstanceId, version: string | null): Promise<void>
}
