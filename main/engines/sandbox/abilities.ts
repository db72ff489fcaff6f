import type { Abilities } from '../../contract/abilities.ts'
import type { Engine } from '../../contract/shapes.ts'
import { OFFICIAL } from '../official/abilities.ts'
import { SMV2 } from '../smv2/abilities.ts'

/** What the two engines of the simulated network can do. */
export const SANDBOX: Readonly<Record<Engine, Abilities>> = {
  smv2: SMV2,
  official: { ...OFFICIAL, act: { ...OFFICIAL.act, join_requests: 'no' } },
}
