import type { Tx } from '../kernel/db.ts'
import type { AccountId, InstanceId } from '../kernel/ids.ts'
import type { EngineInstance } from './instance.ts'

/** A person in the contact book of a number, under the network's own id of them. */
interface ContactBookEntry {
  readonly instanceId: InstanceId
  readonly userId: string
}

/** Meta keeps the phone numbers of people who wrote with a number, and shows them by its own id. */
export interface ContactBook {
  /** Where the account's numbers may have the person. @param addresses numbers and ids that the person is known by. */
  entriesOf(tx: Pick<Tx, 'all'>, accountId: AccountId, addresses: readonly string[]): Promise<ContactBookEntry[]>
  /**
   * Deletes the entry. `gone`: the number is no longer connected here. `refused` is final, and the health of the number
   * says so. @throws Error where it is worth another try.
   */
  forget(instance: EngineInstance, userId: string): Promise<'deleted' | 'refused' | 'gone'>
}
