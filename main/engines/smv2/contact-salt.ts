import { AsyncLocalStorage } from 'node:async_hooks'
import type * as library from 'baileys'
import type { SignalDataSet, SignalKeyStore } from 'baileys'
import { bytesField } from './wire-field.ts'

/** @param salt null: the phone has withdrawn it. */
type HearSalt = (salt: Uint8Array | null) => void

/** In the history that a phone sends when it is linked, and among what its owner has set. */
const HISTORY_FIELD = 19
const SETTING_VALUE = 2
const SETTING_FIELD = 80
const SALT_FIELD = 1
const SETTING = '["nct_salt_sync"]'

const listeners = new AsyncLocalStorage<HearSalt>()

/**
 * The phone sends a salt, with which tokens for first messages are made. The library's declarations are older and leave it
 * out, so it is read from what the library decodes.
 */
export function readContactSalts({ proto }: Pick<typeof library, 'proto'>): void {
  const { HistorySync, SyncActionData } = proto
  const history = HistorySync.decode.bind(HistorySync)
  HistorySync.decode = (bytes, length) => {
    const salt = bytes instanceof Uint8Array ? bytesField(bytes, HISTORY_FIELD) : undefined
    if (salt?.length) listeners.getStore()?.(salt)
    return history(bytes, length)
  }
  const setting = SyncActionData.decode.bind(SyncActionData)
  SyncActionData.decode = (bytes, length) => {
    const decoded = setting(bytes, length)
    if (bytes instanceof Uint8Array && Buffer.from(decoded.index ?? []).toString() === SETTING) {
      const action = bytesField(bytesField(bytes, SETTING_VALUE) ?? NOTHING, SETTING_FIELD) ?? NOTHING
      listeners.getStore()?.(bytesField(action, SALT_FIELD) ?? null)
    }
    return decoded
  }
}

const NOTHING = new Uint8Array()

/** Salts that are decoded because of `act` are those of this instance. */
export const hearingSalts = <T>(hear: HearSalt, act: () => T): T => listeners.run(hear, act)

const TYPE = 'nct-salt'
const ID = 'salt'

export async function storeSalt(keys: SignalKeyStore, salt: Uint8Array | null): Promise<void> {
  // Not a key of the library, but stored with them.
  await keys.set({ [TYPE]: { [ID]: salt && Buffer.from(salt) } } as unknown as SignalDataSet)
}

export async function saltIn(keys: SignalKeyStore): Promise<Uint8Array | undefined> {
  const found = await (keys.get as (type: string, ids: string[]) => Promise<Record<string, Uint8Array>>)(TYPE, [ID])
  return found[ID]
}
