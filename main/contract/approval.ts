/**
 * Which calls of an assistant need a person's approval in the window; `asksUnder` in effects.ts decides. `destructive`:
 * calls that remove or end something, change where data goes, send it out, grant access or connect a number. `sending`:
 * those, and calls that reach people. Calls that spend money need approval under each of them.
 */
export const APPROVAL_POLICIES = ['none', 'destructive', 'sending'] as const
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

export const APPROVAL_STATES = ['pending', 'approved', 'refused', 'expired', 'executed'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

export const CALL_PART_KINDS = [
  'subject',
  'destination',
  'named',
  'value',
  'list',
  'group',
  'message_text',
  'message_type',
  'message_chat',
  'people',
  'numbers',
  'campaign_people',
  'campaign_message',
  'campaign_template',
  'campaign_file',
  'campaign_numbers',
  'cost_of_meta',
  'cost_estimate',
  'cost_unknown',
  'cost_free',
  'cost_none',
] as const

/** One fact about a call of an assistant that a person decides about. Values can be shown as they are. */
export interface CallPart {
  readonly kind: (typeof CALL_PART_KINDS)[number]
  /** The argument that says it. */
  readonly name: string | null
  /**
   * For a long list the first values; for `campaign_people` and `cost_unknown` the count; for `named` an id in the
   * arguments or the result, and its name.
   */
  readonly values: readonly string[]
  /** Total number of values. */
  readonly total: number
}
