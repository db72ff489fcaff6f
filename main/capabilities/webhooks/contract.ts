import type { Contract } from '../../contract/operation.ts'
import { endpointsContract } from './contract/endpoints.ts'
import { deliveriesContract } from './contract/deliveries.ts'

export type { Webhook, WebhookWithSecret, CreateBody, UpdateBody } from './contract/endpoints.ts'
export type { Delivery } from './contract/parts.ts'
export type { DeliveryDetail, DeliveriesQuery, ReplayBody } from './contract/deliveries.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    webhooks: true
    deliveries: true
  }
}

export const webhooksContract = {
  ...endpointsContract,
  ...deliveriesContract,
} as const satisfies Contract
