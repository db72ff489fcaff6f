import { operation, type Contract } from '../../../contract/operation.ts'
import { PROVIDER } from '../../../contract/billing-examples.ts'
import { ProviderBody, ProviderSettings } from '../../../contract/billing.ts'
import { ofTheConsole } from './parts.ts'

const ofTheOperator = { ...ofTheConsole, role: 'operator' } as const

export const providerContract = {
  getBillingProvider: operation({
    ...ofTheOperator,
    id: 'getBillingProvider',
    effects: [],
    method: 'GET',
    path: '/v1/billing/provider',
    summary: 'Read the settings of the payment provider',
    description: 'Which provider charges, and what it still needs. Keys are never shown.',
    reply: { status: 200, description: 'The settings.', schema: ProviderSettings },
    errors: [],
    examples: { reply: PROVIDER },
  }),

  updateBillingProvider: operation({
    ...ofTheOperator,
    id: 'updateBillingProvider',
    effects: ['destination'],
    method: 'PATCH',
    path: '/v1/billing/provider',
    summary: 'Change the settings of the payment provider',
    description:
      'Keys are stored encrypted. In `live` mode nothing is simulated: what is missing makes purchases answer 503 `billing_unavailable`. What an account bought in one mode does not count in the other.',
    body: ProviderBody,
    reply: { status: 200, description: 'The settings.', schema: ProviderSettings },
    errors: ['sealed'],
    examples: { body: { mode: 'live' }, reply: PROVIDER },
  }),

  checkBillingProvider: operation({
    ...ofTheOperator,
    id: 'checkBillingProvider',
    effects: [],
    method: 'POST',
    path: '/v1/billing/provider/check',
    summary: 'Check the payment provider',
    description: 'Asks the provider for every price and permission that is needed, and names what is missing.',
    reply: { status: 200, description: 'The settings, with what was found.', schema: ProviderSettings },
    errors: ['billing_unavailable', 'sealed'],
    examples: { reply: PROVIDER },
  }),
} as const satisfies Contract
