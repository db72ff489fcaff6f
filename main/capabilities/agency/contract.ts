import type { Contract } from '../../contract/operation.ts'
import { accountsContract } from './contract/accounts.ts'
import { keysContract } from './contract/keys.ts'
import { clientsContract } from './contract/clients.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    agency: true
  }
}

export const agencyContract = {
  ...accountsContract,
  ...keysContract,
  ...clientsContract,
} as const satisfies Contract
