import type { ModelSimulator } from '../../simulators/model/index.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { aiProvidersContract } from './contract.ts'
import { aiProvidersExistence, aiProvidersHandlers } from './handlers.ts'
import { createAiProviders, type AiProvidersDeps } from './index.ts'

interface Deps extends Omit<AiProvidersDeps, 'instances' | 'modelSimulator'> {
  readonly model: ModelSimulator
}

export const aiProvidersRoom = defineRoom({
  name: 'ai-providers',
  contract: aiProvidersContract,
  uses: { instances: instancesRoom },
  build({ model, ...deps }: Deps, rooms) {
    const providers = createAiProviders({ ...deps, ...rooms, modelSimulator: model })
    return {
      handlers: aiProvidersHandlers(providers),
      existence: aiProvidersExistence(),
      api: providers,
      close: providers.close,
    }
  },
})
