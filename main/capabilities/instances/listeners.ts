import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'

/** What other rooms keep of an instance may end with it. */
type InstanceChange =
  | { readonly kind: 'deleted'; readonly id: InstanceId }
  | { readonly kind: 'recreated'; readonly id: InstanceId }
  /** It belongs to another account from this commit on. */
  | {
      readonly kind: 'transferred'
      readonly id: InstanceId
      readonly from: AccountId
      readonly to: AccountId
      /** After a restore: settings with secrets are already those that the new owner had. */
      readonly isRepeated: boolean
    }
  /** After a restore: a transfer could not be repeated, so the owner of the backup must not keep these settings. */
  | { readonly kind: 'not_returned'; readonly id: InstanceId }
  /** It is connected as a number it was not connected as before; a loss of the number is not told. */
  | { readonly kind: 'number'; readonly id: InstanceId; readonly number: string }

/** Called inside the commit of the change: what it writes is committed or rolled back with it. */
export type InstanceListener = (tx: Tx, change: InstanceChange) => Promise<void>

export interface InstanceListeners {
  readonly subscribe: (listener: InstanceListener) => void
  readonly publish: InstanceListener
}

/** Rooms that build on instances subscribe here, so that this room need not know them. */
export function createListeners(): InstanceListeners {
  const listeners: InstanceListener[] = []
  return {
    subscribe: (listener) => void listeners.push(listener),
    async publish(tx, change) {
      for (const listener of listeners) await listener(tx, change)
    },
  }
}
