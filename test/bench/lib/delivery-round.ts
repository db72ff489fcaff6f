import { cpuOfAll } from './processes.ts'
import { startDeliveringProduct } from './product-deliveries.ts'
import type { Place } from './senders.ts'

export const PRODUCT = 'Switchboard'

/** Whoever delivers a backlog to the receiver of a place. */
export interface Deliverer {
  readonly name: string
  readonly secret: string
  pids(): readonly number[]
  /** @returns when the backlog may leave. */
  load(count: number): Promise<number>
  /** Resolves when every result is written. */
  drain(): Promise<unknown>
  stop(): Promise<void>
}

/** The built service, as it is shipped. */
export async function deliveringProduct({ port, authorityFile }: Place, inFlight: number): Promise<Deliverer> {
  const { program, secret, load, settled, stop } = await startDeliveringProduct({ port, authorityFile, inFlight })
  return {
    ...{ name: PRODUCT, secret, stop },
    pids: () => [program.pid],
    load: async (count) => load(count),
    drain: settled,
  }
}

/**
 * Loads a backlog, and lets the receiver time it from the first request to the last. CPU, in microseconds each, is that
 * of the deliverer and its store from the moment the backlog may leave until every result is on disk.
 */
export async function deliveryRound({ receiver }: Place, deliverer: Deliverer, count: number) {
  await receiver.ask('expect', { count, secret: deliverer.secret })
  const leavesAtMs = await deliverer.load(count)
  await new Promise((resolve) => setTimeout(resolve, leavesAtMs - Date.now()))
  const before = cpuOfAll(deliverer.pids())
  const drained = deliverer.drain()
  const { firstMs, lastMs, forged } = await receiver.ask<Record<'firstMs' | 'lastMs' | 'forged', number>>('arrived')
  await drained
  if (forged !== 0) throw new Error(`${deliverer.name}: ${forged} signatures are wrong`)
  return { perSecond: (count * 1000) / (lastMs - firstMs), cpu: (cpuOfAll(deliverer.pids()) - before) / count }
}
