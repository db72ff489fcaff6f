import type { Engine as EngineName, Network } from '../contract/shapes.ts'
import type { AccountId, InstanceId } from '../kernel/ids.ts'

/** What an engine knows about an instance. */
export interface EngineInstance {
  readonly id: InstanceId
  readonly accountId: AccountId
  readonly engine: EngineName
  readonly network: Network
}
