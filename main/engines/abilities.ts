import type { EngineAbilities } from '../contract/abilities.ts'
import { OFFICIAL } from './official/abilities.ts'
import { SANDBOX } from './sandbox/abilities.ts'
import { SMV2 } from './smv2/abilities.ts'

/** All engines and what they can do. The table in the README and in the console is made from this. */
export const ENGINE_ABILITIES: readonly EngineAbilities[] = [
  { engine: 'smv2', network: 'live', abilities: SMV2 },
  { engine: 'official', network: 'live', abilities: OFFICIAL },
  { engine: 'smv2', network: 'sandbox', abilities: SANDBOX.smv2 },
  { engine: 'official', network: 'sandbox', abilities: SANDBOX.official },
]
