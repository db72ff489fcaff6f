import { systemResolve } from '../outbound/outbound.ts'
import { createGhlSimulator, FILE_HOST, type GhlSimulator } from '../simulators/ghl/index.ts'
import { createModelSimulator } from '../simulators/model/index.ts'
import { createStripeSimulator } from '../simulators/stripe/index.ts'
import { messageOf, type Home } from './home.ts'
import type { Infrastructure } from './infrastructure.ts'
import { StartError, type RunningWorld } from './world.ts'

/**
 * Simulators of other services on this machine, for trying the product.
 * @param localUrl address for programs on this machine, without a trailing slash.
 */
export function buildSimulators(world: RunningWorld, home: Home, machinery: Infrastructure, localUrl: () => string) {
  const { config, resolve = systemResolve } = world
  const deps = { ...world, ...home, ...machinery, resolve, localUrl }
  const reachableUrl = () => config.publicBaseUrl ?? localUrl()
  const model = createModelSimulator(deps)
  return {
    model,
    ghl: buildGhlSimulator(world, home, machinery, reachableUrl),
    stripe: createStripeSimulator({ ...deps, pagesUrl: () => `${reachableUrl()}/sandbox/stripe` }),
    async listenModel(): Promise<void> {
      try {
        await model.listen(config.sandboxModelPort)
      } catch (error) {
        throw new StartError(
          `The sandbox model can't listen: ${messageOf(error)}. Choose another sandbox.model_port.`,
          { cause: error },
        )
      }
    },
  }
}

/** GoHighLevel, for instances of the sandbox network. It listens once something connects to it. */
function buildGhlSimulator(
  world: RunningWorld,
  { db }: Home,
  { live, outbound }: Infrastructure,
  callbackBase: () => string,
): GhlSimulator {
  const { clock, random, log, config, resolve = systemResolve } = world
  const simulator = createGhlSimulator({
    ...{ db, clock, random, log, resolve },
    callbackBase,
    burst: config.sandboxGhlBurst,
    onChange: (accountId) => live.publish(accountId, { topic: 'sandbox' }),
  })
  outbound.addResponder(FILE_HOST, simulator.files)
  return simulator
}
