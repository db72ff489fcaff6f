import { Type } from 'typebox'
import {
  AccountBudget,
  AllowanceRecord,
  BudgetInput,
  CostQuery,
  CostRow,
  CostTotals,
  RateName,
  RateRecord,
} from '../../contract/costs.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    'message-rates': true
    'message-budgets': true
  }
}

const TOTALS = {
  ...{ messages: 1_240, free: 1_010, allowance: 1_000, billable: 230, unpriced: 12 },
  ...{ costs: [{ currency: 'usd', amount_micros: 741_200 }], estimated: true },
}
const RATE = { country: 'US', category: 'service', valid_from: '2026-10-01' } as const
const ofTheOperator = { scope: null, reach: 'account', origin: 'ours', audience: 'console', role: 'operator' } as const
const ACCOUNT = '019b8d40-1111-7a52-8f63-1d2c3b4a5968'
const BUDGET = { amount_micros: 50_000_000, currency: 'usd', warn_percent: 80 }
const BUDGET_EXAMPLE = {
  account_id: ACCOUNT,
  name: 'Bakery Luz',
  month: '2026-11',
  budget: BUDGET,
  spending: { spent_micros: 41_200_000, held_micros: 340_000, unknown_messages: 0, state: 'warning' },
} as const
const { example: _example, ...RATE_FIELDS } = RateRecord.properties

export const costsContract = {
  getMessageCosts: operation({
    id: 'getMessageCosts',
    effects: [],
    method: 'GET',
    path: '/v1/usage/costs',
    summary: 'Read what messages cost',
    description: [
      'What Meta charges for messages of `official` numbers: one row for each instance, or what `group` says, and the totals. A message is counted on the day it was delivered, in UTC. Without `account_id`, sub-accounts are included.',
      'Meta reports the category of a message and whether it is charged, but no amount. Amounts are computed from the rates of this service, which its operator corrects, with whole numbers. What has no known rate is in `unpriced`, never in `costs`.',
    ].join('\n\n'),
    scope: 'billing:read',
    reach: 'instances',
    origin: 'ours',
    query: CostQuery,
    reply: {
      status: 200,
      description: 'Rows by key, and the totals.',
      schema: Type.Object({ data: Type.Array(CostRow), totals: CostTotals }),
    },
    errors: ['not_found'],
    examples: {
      reply: {
        data: [{ key: '019b8d40-3c1e-7a52-8f63-1d2c3b4a5968', name: 'Front desk', account: null, ...TOTALS }],
        totals: TOTALS,
      },
    },
    tool: { name: 'get_message_costs', title: 'Read what messages cost', idempotent: true, onRequest: true },
  }),
  listMessageBudgets: operation({
    id: 'listMessageBudgets',
    effects: [],
    method: 'GET',
    path: '/v1/message-budgets',
    summary: 'List the message budgets of accounts',
    description: [
      'What messages of your account and of each sub-account may cost in a calendar month, in UTC, and what is spent of it. Accounts without a budget have `null`.',
      'When the budget does not cover the next message, the campaigns of the account pause with `budget`. They continue when the budget is raised or the month ends. Messages of people, agents and the API are not held, but they are part of what is spent.',
    ].join('\n\n'),
    scope: 'billing:read',
    reach: 'account',
    origin: 'ours',
    query: Type.Object({
      account_id: Type.Optional({ ...Uuid, description: 'Only this account: your own or a sub-account.' }),
    }),
    reply: {
      status: 200,
      description: 'Your account first, then the sub-accounts.',
      schema: Type.Object({ data: Type.Array(AccountBudget) }),
    },
    errors: ['not_found'],
    examples: { reply: { data: [BUDGET_EXAMPLE] } },
    tool: { name: 'list_message_budgets', title: 'List message budgets', idempotent: true, onRequest: true },
  }),
  setMessageBudget: operation({
    id: 'setMessageBudget',
    // Campaigns that wait for the budget may continue.
    effects: ['people', 'money'],
    method: 'PUT',
    path: '/v1/agency/accounts/{account_id}/message-budget',
    summary: 'Set the message budget of a sub-account',
    description:
      'Replaces the monthly budget, and applies immediately. Campaigns that waited for it continue if it covers their next message.',
    scope: 'agency:manage',
    reach: 'account',
    origin: 'ours',
    body: Body(BudgetInput.properties),
    reply: { status: 200, description: 'The budget, and what is spent of it.', schema: AccountBudget },
    errors: ['not_found'],
    examples: { body: BUDGET, reply: BUDGET_EXAMPLE },
    tool: null,
  }),
  removeMessageBudget: operation({
    id: 'removeMessageBudget',
    effects: ['people', 'money', 'removal'],
    method: 'DELETE',
    path: '/v1/agency/accounts/{account_id}/message-budget',
    summary: 'Remove the message budget of a sub-account',
    description: 'Messages of the sub-account may cost any amount. Campaigns that waited for the budget continue.',
    scope: 'agency:manage',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'There is no budget.', schema: null },
    errors: ['not_found'],
    examples: {},
    tool: null,
  }),
  listMessageRates: operation({
    ...ofTheOperator,
    id: 'listMessageRates',
    effects: [],
    method: 'GET',
    path: '/v1/message-rates',
    summary: 'List what a message costs',
    description: 'Rates by country, category and first day, and the messages that are free each month.',
    reply: {
      status: 200,
      description: 'Every rate, and every allowance.',
      schema: Type.Object({ data: Type.Array(RateRecord), allowances: Type.Array(AllowanceRecord) }),
    },
    errors: [],
    examples: {
      reply: {
        data: [{ ...RATE, currency: 'usd', amount_micros: 3_400, source: 'An example', example: true }],
        allowances: [{ category: 'service', valid_from: '2026-10-01', messages: 1_000, source: 'An example' }],
      },
    },
    tool: null,
  }),
  setMessageRate: operation({
    ...ofTheOperator,
    id: 'setMessageRate',
    effects: [],
    method: 'PUT',
    path: '/v1/message-rates',
    summary: 'Set what a message costs',
    description:
      'Replaces the rate of the same country, category and first day, or adds one. Costs of the past it is valid for change with it.',
    body: Body(RATE_FIELDS),
    reply: { status: 200, description: 'The rate.', schema: RateRecord },
    errors: [],
    examples: {
      body: { ...RATE, currency: 'usd', amount_micros: 3_400, source: 'Rate card of October 2026' },
      reply: { ...RATE, currency: 'usd', amount_micros: 3_400, source: 'Rate card of October 2026', example: false },
    },
    tool: null,
  }),
  removeMessageRate: operation({
    ...ofTheOperator,
    id: 'removeMessageRate',
    effects: [],
    method: 'DELETE',
    path: '/v1/message-rates',
    summary: 'Remove what the operator set',
    description: 'Removes a rate that was set. A rate that came with the service is valid again.',
    query: Type.Object(RateName),
    reply: { status: 204, description: 'It is removed, or was never set.', schema: null },
    errors: [],
    examples: {},
    tool: null,
  }),
} as const satisfies Contract
