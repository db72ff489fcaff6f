import { inject } from 'vue'
import { AGENT_SETUP, type AgentSetup } from './use-agent-setup.ts'

/** The data that the screen of an instance's agents has loaded. */
export function useSetup(): AgentSetup {
  const setup = inject(AGENT_SETUP)
  if (setup === undefined) throw new Error('Used outside of the screen of agents.')
  return setup
}
