import type { Contract } from '../../contract/operation.ts'
import { ghlContract } from './contract/ghl.ts'
import { webhookContract } from './contract/webhook.ts'
import { sandboxContract } from './contract/sandbox.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    crm: true
  }
}

export const crmContract = {
  ...ghlContract,
  ...webhookContract,
  ...sandboxContract,
} as const satisfies Contract
