import type { Contract } from '../../contract/operation.ts'
import { agentsContract } from './contract/agents.ts'
import { conversationsContract } from './contract/conversations.ts'
import { usageContract } from './contract/usage.ts'
import { mediaContract } from './contract/media.ts'
import { toolsContract } from './contract/tools.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    ai: true
  }
}

export const aiContract = {
  ...agentsContract,
  ...conversationsContract,
  ...usageContract,
  ...mediaContract,
  ...toolsContract,
} as const satisfies Contract
