import { cpuOfAll } from './processes.ts'
import { startDeliveringProduct } from './product-deliveries.ts'
import type { Place } from './senders.ts'

export const PRODUCT = 'Switchboard'

/** A program that delivers a backlog to the receiver. */
export interface Deliverer {
  readonly name: string
  readonly secret: string
  pids(): readonly number[]
  /** Creates a backlog. @returns when its delivery may start. */
  load(count: number): Promise<number>
  /** Resolves when every result is stored. */
  drain(): Promise<unknown>
  stop(): Promise<void>
}

/** The built service, as users get it. */
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
 * Creates a backlog; the receiver measures the time from the first request to the last. CPU is the time in
 * microseconds per delivery that the deliverer and its store use until every result is on disk.
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
