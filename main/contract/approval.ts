/**
 * Which calls of an assistant need a person's approval in the window; `asksUnder` in effects.ts decides. `destructive`:
 * calls that remove or end something, change where data goes, send it out, grant access or connect a number. `sending`:
 * those, and calls that reach people. Calls that spend money need approval under each of them.
 */
export const APPROVAL_POLICIES = ['none', 'destructive', 'sending'] as const
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

export const APPROVAL_STATES = ['pending', 'approved', 'refused', 'expired', 'executed'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]
