import type { Tx } from './db.ts'
import type { AccountId, InstanceId } from './ids.ts'

/** Two names turn out to be one person. Each room moves what it keeps under `from`; all of it is one commit. */
export interface PersonMove {
  readonly accountId: AccountId
  /** Where it was learned. What an account keeps of people moves for all its instances. */
  readonly instanceId: InstanceId
  /** Digits with country code, or a hidden id. */
  readonly from: string
  readonly to: string
  /** The person has another number now, and `from` may be given to somebody else. */
  readonly isNewNumber: boolean
}

/** Runs in the commit of the move. Changes nothing when nothing is left under `from`. */
export type MovePerson = (tx: Tx, move: PersonMove) => Promise<void>
