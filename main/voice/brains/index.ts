import type { Outbound } from '../../outbound/outbound.ts'
import type { BrainDeps, VoiceBrain } from './brain.ts'
import { createPipelineBrain } from './pipeline.ts'
import { createRealtimeBrain } from './realtime.ts'
import { createScriptBrain } from './script.ts'

/** Simulated people of the sandbox need no speech service, even if one is set. */
export function createBrain(deps: BrainDeps, outbound: Pick<Outbound, 'open' | 'webSocket'>): VoiceBrain {
  if (deps.hasCaptions) return createScriptBrain(deps)
  switch (deps.speech.brain) {
    case 'script':
      return createScriptBrain(deps)
    case 'pipeline':
      return createPipelineBrain(deps, outbound)
    case 'realtime':
      return createRealtimeBrain(deps, outbound)
  }
}
