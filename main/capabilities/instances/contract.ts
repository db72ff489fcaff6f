import type { Contract } from '../../contract/operation.ts'
import { recordsContract } from './contract/records.ts'
import { connectionContract } from './contract/connection.ts'
import { sessionsContract } from './contract/sessions.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    instances: true
  }
}

export const instancesContract = {
  ...recordsContract,
  ...connectionContract,
  ...sessionsContract,
} as const satisfies Contract
