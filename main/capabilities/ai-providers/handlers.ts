import { KEYED_PROVIDERS, type KeyedProvider } from '../../contract/ai.ts'
import { ApiError } from '../../contract/errors.ts'
import { isOperator } from '../../kernel/access.ts'
import type { Existence, Handlers } from '../handler.ts'
import type { aiProvidersContract } from './contract.ts'
import type { AiProviders } from './index.ts'

/** @throws ApiError not_found */
function getProvider(name: string): KeyedProvider {
  const provider = KEYED_PROVIDERS.find((known) => known === name)
  if (provider !== undefined) return provider
  throw new ApiError('not_found', `There is no such provider. Providers are ${KEYED_PROVIDERS.join(', ')}.`)
}

export function aiProvidersExistence(): Existence<typeof aiProvidersContract> {
  const exists = async (_: unknown, { provider }: { readonly provider: string }) => getProvider(provider)
  return { putProviderKey: exists, deleteProviderKey: exists, listProviderModels: exists }
}

export function aiProvidersHandlers(providers: AiProviders): Handlers<typeof aiProvidersContract> {
  return {
    listProviderKeys: async ({ instance }) => ({ data: await providers.list(instance.id) }),
    putProviderKey: ({ instance, principal, params, body, requireAccess }) =>
      providers.put({ instanceId: instance.id, accountId: instance.accountId }, getProvider(params.provider), body, {
        byOperator: isOperator(principal),
        requireAccess,
      }),
    async deleteProviderKey({ instance, params }) {
      await providers.remove(instance.id, getProvider(params.provider))
      return undefined
    },
    listProviderModels: async ({ instance, params }) => ({
      data: await providers.models({
        instanceId: instance.id,
        accountId: instance.accountId,
        provider: getProvider(params.provider),
      }),
    }),
    findLocalModels: async ({ instance }) => ({ data: await providers.findLocal(instance.accountId) }),
  }
}
