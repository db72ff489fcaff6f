/** A limited number checks its limit every minute. After this time without a check, the limit is no longer trusted. */
const LIMIT_KNOWN_MS = 150_000

/** Numbers whose portfolio has used its messaging limit, as seen by this process. Only a hint: each claim decides. */
export function createLimitedNumbers() {
  const seen = new Map<string, { readonly untilMs: number; readonly seenAtMs: number }>()
  return {
    note: (instanceId: string, limit: { readonly untilMs: number; readonly seenAtMs: number }) =>
      void seen.set(instanceId, limit),
    forget: (instanceId: string) => void seen.delete(instanceId),
    untilOf(instanceId: string, nowMs: number): number | null {
      const limit = seen.get(instanceId)
      if (limit === undefined) return null
      if (limit.untilMs > nowMs && nowMs - limit.seenAtMs < LIMIT_KNOWN_MS) return limit.untilMs
      seen.delete(instanceId)
      return null
    },
  }
}

export type LimitedNumbers = ReturnType<typeof createLimitedNumbers>
