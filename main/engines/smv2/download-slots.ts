import { createSlotQueue } from '../../kernel/slot-queue.ts'
import type { EngineInstance } from '../engine.ts'

/**
 * Few, since a line has to bring a hundred megabytes within a minute. Each ends within that minute, so an account whose
 * numbers have none waits no longer for its turn.
 */
const DOWNLOADS = { inAll: 12, perAccount: 4, perInstance: 2 }

/** Limits concurrent downloads, and shares them out between accounts and their numbers in turn. */
export function createDownloadSlots() {
  const queue = createSlotQueue(DOWNLOADS)
  return <T>(owner: Pick<EngineInstance, 'id' | 'accountId'>, act: () => Promise<T>): Promise<T> =>
    queue.within(owner, act)
}
