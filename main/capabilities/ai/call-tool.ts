import { DateTime } from 'luxon'
import { ApiError } from '../../contract/errors.ts'
import { cause } from '../../kernel/log.ts'
import type { ScheduleCall } from './decision.ts'
import type { Agent } from './agent-store.ts'
import type { AiDeps } from './deps.ts'
import type { TurnRow } from './turn-store.ts'

const NOT_POSSIBLE = 'No call was scheduled. A person of the business has to arrange it.'

/** The tool `schedule_call` of a turn. It can only call the person of the chat. */
export function createCallTool({ calls, log }: Pick<AiDeps, 'calls' | 'log'>) {
  /** @returns null if the agent is not allowed to, or the instance cannot. */
  return async (turn: TurnRow, agent: Agent, timezone: string): Promise<ScheduleCall | null> => {
    const { accountId, instanceId, chat, conversationSeq } = turn
    if (turn.kind !== 'reply' || !agent.tools.includes('schedule_call')) return null
    if (!(await calls.isReady(accountId, instanceId))) return null
    // A retried turn must not schedule a second call.
    const key = `ai-call:${conversationSeq}:${turn.turn}`
    return async (localTime) => {
      const at = localTime === '' ? undefined : DateTime.fromISO(localTime, { zone: timezone })
      if (at?.isValid === false) return 'at is no date and time. Use the form 2026-03-02T15:30, or an empty text.'
      const scheduledAt = at?.toUTC().toISO() ?? undefined
      try {
        const { scheduledAtMs } = await calls.schedule({
          ...{ accountId, instanceId, chat, agentId: agent.id, key },
          ...(scheduledAt !== undefined && { scheduledAt }),
        })
        const time = DateTime.fromMillis(scheduledAtMs, { zone: timezone }).setLocale('en')
        return `The person will be called on ${time.toFormat('cccc, d LLLL yyyy, HH:mm')}.`
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.code === 'idempotency_conflict') return 'A call is scheduled already.'
        if (error.code === 'validation_error') return error.message
        // Problems of a trunk or a plan must not be shown to the person in the chat.
        log.info({ event: 'ai.call_not_scheduled', instanceId, cause: cause(error) })
        return NOT_POSSIBLE
      }
    }
  }
}
