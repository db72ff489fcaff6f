import type { IssueDetails } from '../contract/health-issue.ts'
import { isoTime } from '../contract/request.ts'
import type { IssueFacts } from '../engines/engine.ts'

/** Facts with the field names of the API; unknown ones are absent. */
export function issueDetails(facts: IssueFacts): IssueDetails {
  const { untilMs = null, nextRetryAtMs = null, kind, reason, username, groupIds, fields, count, limit } = facts
  const { requesterId, graphVersion, providerCode, providerMessage } = facts
  return {
    ...(untilMs !== null && { until: isoTime(untilMs) }),
    ...(nextRetryAtMs !== null && { next_retry_at: isoTime(nextRetryAtMs) }),
    ...(kind !== undefined && { kind }),
    ...(reason !== undefined && { reason }),
    ...(username !== undefined && { username }),
    ...(groupIds !== undefined && { group_ids: [...groupIds] }),
    ...(fields !== undefined && { fields: [...fields] }),
    ...(requesterId !== undefined && { requester_id: requesterId }),
    ...(graphVersion !== undefined && { graph_version: graphVersion }),
    ...(providerCode !== undefined && { provider_code: providerCode }),
    ...(providerMessage !== undefined && { provider_message: providerMessage }),
    ...(count !== undefined && { count }),
    ...(limit !== undefined && { limit }),
  }
}

/** The facts that all issues of one overview entry share. */
export function commonFacts(all: readonly IssueFacts[]): IssueFacts {
  const [first = {}, ...others] = all
  const isCommon = ([name, value]: [string, unknown]) =>
    others.every((other) => JSON.stringify(other[name as keyof IssueFacts]) === JSON.stringify(value))
  return Object.fromEntries(Object.entries(first).filter(isCommon))
}
