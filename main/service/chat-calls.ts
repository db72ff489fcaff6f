import type { AiDeps } from '../capabilities/ai/index.ts'
import type { FindRoom } from '../capabilities/compose-rooms.ts'
import { entitlementsRoom } from '../capabilities/entitlements/room.ts'
import { instancesRoom } from '../capabilities/instances/room.ts'
import { voiceRoom } from '../capabilities/voice/room.ts'
import { ApiError } from '../contract/errors.ts'
import type { Principal } from '../kernel/access.ts'
import type { AccountId } from '../kernel/ids.ts'
import { readPhone } from '../kernel/phone-number.ts'

/** Lets agents in chats schedule calls as API callers do, with the same limits: hours, permission and plan. */
export function createChatCalls(find: FindRoom): AiDeps['calls'] {
  const agentOf = (accountId: AccountId): Principal => ({
    ...{ kind: 'console', role: 'member', accountId, accountName: '', key: null, scopes: [] },
    ...{ allowedInstanceIds: null, ratePerMinute: 0, source: 'ai' },
  })

  return {
    async isReady(accountId, instanceId) {
      const { features } = await find(entitlementsRoom).of(accountId)
      return features.includes('voice') && (await find(voiceRoom).setup.read(instanceId)).plan !== null
    },

    async schedule({ accountId, instanceId, chat, agentId, scheduledAt, key }) {
      const instance = await find(instancesRoom).subject(accountId, instanceId)
      const number = readPhone(chat, null)
      if (instance === undefined || instance.deleted || number === undefined)
        throw new ApiError('invalid_state', 'This chat has no number that could be called.').because('chat_no_number')
      const body = {
        ...{ to_number: number, agent_id: agentId },
        ...(scheduledAt !== undefined && { scheduled_at: scheduledAt }),
      }
      const { bytes } = await find(voiceRoom).schedule.only({
        ...{ instance, principal: agentOf(accountId), body, rawBody: body, idempotencyKey: key },
      })
      const { scheduled_at: at } = JSON.parse(bytes.toString()) as { scheduled_at: string }
      return { scheduledAtMs: Date.parse(at) }
    },
  }
}
