import type { BrainDeps, VoiceBrain } from './brain.ts'
import { createScriptBrain } from './script.ts'

export function createBrain(deps: BrainDeps): VoiceBrain {
  return createScriptBrain(deps)
}
