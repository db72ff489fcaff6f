import { room } from '../room.ts'
import { aiProvidersContract } from './contract.ts'
import { aiProvidersExistence, aiProvidersHandlers } from './handlers.ts'
import { createAiProviders, type AiProvidersDeps } from './index.ts'

export function aiProvidersRoom(deps: AiProvidersDeps) {
  const providers = createAiProviders(deps)
  return room({
    name: 'ai-providers',
    contract: aiProvidersContract,
    handlers: aiProvidersHandlers(providers),
    existence: aiProvidersExistence(),
    api: providers,
    close: providers.close,
  })
}
