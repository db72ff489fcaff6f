import { TRAITS } from '../../contract/engine-traits.ts'
import type { Engine, EngineInstance } from '../../engines/engine.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { CampaignsDeps } from './deps.ts'

/** A number whose network charges for messages. */
export interface BilledNumber {
  readonly numberId: string
  readonly instance: EngineInstance
  readonly engine: Engine
}

/** @returns null if no network charges for its messages. */
export function billedNumberOf(
  instances: Pick<CampaignsDeps['instances'], 'engineFor'>,
  accountId: AccountId,
  { id, engine: name, network }: KnownInstance,
): BilledNumber | null {
  if (!TRAITS[name].isBilled || network !== 'live') return null
  const instance = { id, accountId, engine: name, network }
  try {
    const engine = instances.engineFor(instance)
    const numberId = engine.billedNumber?.(id) ?? null
    return numberId === null ? null : { numberId, instance, engine }
  } catch {
    // This build lacks the engine, so the number cannot send.
    return null
  }
}
