import { ApiError } from '../../contract/errors.ts'
import type { Engine as EngineName, Network } from '../../contract/shapes.ts'
import type { Engine, EngineInstance, Evidence } from '../../engines/engine.ts'
import { cause, type Log } from '../../kernel/log.ts'

/** The engine of each kind of instance; null where this build has none. */
export type Engines = Readonly<Record<Network, Readonly<Record<EngineName, Engine | null>>>>

type Kind = Pick<EngineInstance, 'engine' | 'network'>

/** @throws ApiError service_unavailable when this build has no engine of the kind. */
export function engineOf(engines: Engines, { engine, network }: Kind): Engine {
  const found = engines[network][engine]
  if (found) return found
  throw new ApiError(
    'service_unavailable',
    `This version has no ${engine} engine for the ${network} network. Use an instance on the sandbox network ("network": "sandbox").`,
  ).because('engine_missing')
}

export function toEngineInstance({ id, accountId, engine, network }: EngineInstance): EngineInstance {
  return { id, accountId, engine, network }
}

/** What the engine knows without asking the network. @throws what the engine throws */
export const evidenceOf = (engines: Engines, instance: EngineInstance): Evidence | null =>
  engines[instance.network][instance.engine]?.evidence(toEngineInstance(instance)) ?? null

/** Calls an engine. What it throws is logged and not forwarded. @throws ApiError upstream_unavailable */
export async function callEngine<T>(log: Log, { id }: EngineInstance, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ApiError) throw error
    log.warn({ event: 'instance.engine.failed', instanceId: id, cause: cause(error) })
    throw new ApiError(
      'upstream_unavailable',
      'The engine of this instance cannot be reached. Try again in a few seconds.',
    )
  }
}
