import { integer } from '../kernel/setting-kinds.ts'
import { defineSettings } from '../kernel/settings.ts'

export const simulatorSettings = defineSettings({
  sandboxGraphPort: {
    name: 'sandbox.graph_port',
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 0,
    description: 'Port of the simulated Graph API; 0 picks a free one.',
  },
  sandboxModelPort: {
    name: 'sandbox.model_port',
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 0,
    description: 'Port of the sandbox model; 0 picks a free one.',
  },
  sandboxGhlBurst: {
    name: 'sandbox.ghl_burst',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 100,
    description: 'Calls in ten seconds that the simulated GoHighLevel takes from a location before it answers 429.',
  },
})
