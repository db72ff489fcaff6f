import { systemResolve } from '../outbound/outbound.ts'
import { createGhlSimulator, FILE_HOST, type GhlSimulator } from '../simulators/ghl/index.ts'
import type { Home } from './home.ts'
import type { Infrastructure } from './infrastructure.ts'
import { localUrlOf } from './listen.ts'
import type { RunningWorld } from './world.ts'

/** GoHighLevel, for instances of the sandbox network. It listens once something is connected with it. */
export function buildGhlSimulator(
  world: RunningWorld,
  { db }: Home,
  { live, outbound }: Infrastructure,
  address: { readonly url: string },
): GhlSimulator {
  const { clock, random, log, config, resolve = systemResolve } = world
  const simulator = createGhlSimulator({
    ...{ db, clock, random, log, resolve },
    callbackBase: () => config.publicBaseUrl ?? localUrlOf(address.url),
    burst: config.sandboxGhlBurst,
    onChange: (accountId) => live.publish(accountId, { topic: 'sandbox' }),
  })
  outbound.addResponder(FILE_HOST, simulator.files)
  return simulator
}
