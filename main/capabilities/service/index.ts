import type { InstanceStatus } from '../../contract/shapes.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { ServiceRecord } from './contract.ts'
import { createToolCalls, type ToolCalls, type ToolCallsNeeds } from './tool-calls.ts'

export type { ToolCall } from './tool-calls.ts'

/** What other rooms count; bound when they exist. */
interface Tallies {
  instances(accountId: AccountId): Promise<ReadonlyMap<InstanceStatus, number>>
  webhooks(accountId: AccountId): Promise<{ total: number; deactivated: number }>
  /** Each counted up to `most`. */
  deliveries(accountId: AccountId, most: number): Promise<{ pending: number; failed: number }>
  approvals(accountId: AccountId): Promise<{ pending: number }>
}

interface ServiceNeeds extends ToolCallsNeeds {
  readonly tallies: Tallies
  /** What the service is at this moment, but for what this room knows itself. */
  readonly facts: () => Omit<ServiceRecord, 'password_set'>
  readonly backUp: (reason: string) => Promise<{ file: string; bytes: number }>
  readonly passwords: {
    isPasswordSet(accountId: AccountId): Promise<boolean>
    setPassword(accountId: AccountId, password: string | null): Promise<void>
  }
}

/** The service itself, for the person who runs it. */
export interface ServiceRoom extends ToolCalls, Pick<ServiceNeeds, 'tallies' | 'facts' | 'passwords'> {
  readonly backUp: () => Promise<{ file: string; bytes: number }>
}

export function createServiceRoom({ tallies, facts, backUp, passwords, ...needs }: ServiceNeeds): ServiceRoom {
  let underWay: Promise<{ file: string; bytes: number }> | undefined
  return {
    ...createToolCalls(needs),
    tallies,
    facts,
    passwords,
    // Whoever asks while one is made gets that one: it is of this moment.
    backUp: () => (underWay ??= backUp('manual').finally(() => (underWay = undefined))),
  }
}
