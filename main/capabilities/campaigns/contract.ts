import type { Contract } from '../../contract/operation.ts'
import { lifecycleContract } from './contract/lifecycle.ts'
import { recipientsContract } from './contract/recipients.ts'
import { reportContract } from './contract/report.ts'
import { previewContract } from './contract/preview.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    campaigns: true
  }
}

export const campaignsContract = {
  ...lifecycleContract,
  ...recipientsContract,
  ...reportContract,
  ...previewContract,
} as const satisfies Contract
