import type { AiDeps } from '../capabilities/ai/index.ts'
import type { Entitlements } from '../capabilities/entitlements/index.ts'
import type { Instances } from '../capabilities/instances/index.ts'
import type { Voice } from '../capabilities/voice/index.ts'
import { ApiError } from '../contract/errors.ts'
import type { Principal } from '../kernel/access.ts'
import type { AccountId } from '../kernel/ids.ts'
import { readPhone } from '../kernel/phone-number.ts'

interface Deps {
  /** Built after the agents that use it. */
  readonly voice: () => Pick<Voice, 'schedule' | 'setup'>
  readonly instances: Pick<Instances, 'subject'>
  readonly entitlements: Pick<Entitlements, 'of'>
}

/** Agents of chats schedule calls as callers of the API do: hours, permission, plan and limits hold. */
export function createChatCalls({ voice, instances, entitlements }: Deps): AiDeps['calls'] {
  const agentOf = (accountId: AccountId): Principal => ({
    ...{ kind: 'console', role: 'member', accountId, accountName: '', key: null, scopes: [] },
    ...{ allowedInstanceIds: null, ratePerMinute: 0, source: 'ai' },
  })

  return {
    async isReady(accountId, instanceId) {
      const { features } = await entitlements.of(accountId)
      return features.includes('voice') && (await voice().setup.read(instanceId)).plan !== null
    },

    async schedule({ accountId, instanceId, chat, agentId, scheduledAt, key }) {
      const instance = await instances.subject(accountId, instanceId)
      const number = readPhone(chat, null)
      if (instance === undefined || instance.deleted || number === undefined)
        throw new ApiError('invalid_state', 'This chat has no number that could be called.').because('chat_no_number')
      const body = {
        ...{ to_number: number, agent_id: agentId },
        ...(scheduledAt !== undefined && { scheduled_at: scheduledAt }),
      }
      const { bytes } = await voice().schedule.only({
        ...{ instance, principal: agentOf(accountId), body, rawBody: body, idempotencyKey: key },
      })
      const { scheduled_at: at } = JSON.parse(bytes.toString()) as { scheduled_at: string }
      return { scheduledAtMs: Date.parse(at) }
    },
  }
}
