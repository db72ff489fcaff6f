/**
 * What happens to a stored time when somebody sets the clock.
 * - `stays`: a record of when something happened, or set by a person, a calendar or another service.
 * - `moves`: something waits for it, or until some time after it, so it moves with the clock.
 * - `appointment`: stays, but one that was already due stays due, unless only a clock that was ahead made it due.
 * - `hours`: when business hours begin or quiet hours end. Becomes due, and the run finds that time again by the new clock.
 * - `offset`: how far a simulated clock is ahead of ours. Its own time continues evenly.
 * - `counts`: counts per quarter of an hour; `due-times.ts` moves them.
 */
export type DueColumn =
  | 'stays'
  | { readonly kind: 'moves'; readonly where: string }
  | { readonly kind: 'appointment'; readonly where: string }
  | { readonly kind: 'hours'; readonly where: string }
  | { readonly kind: 'offset' }
  | { readonly kind: 'counts' }

const moves = (where: string): DueColumn => ({ kind: 'moves', where })
const appointment = (where: string): DueColumn => ({ kind: 'appointment', where })
const hours = (where: string): DueColumn => ({ kind: 'hours', where })

/** A deadline: one that has passed by either clock counts as passed. */
const deadline = (column: string, where?: string): DueColumn =>
  moves(`${column} > :after${where === undefined ? '' : ` AND ${where}`}`)
/** A time within the last day that limits look back to. */
const recent = (column: string): DueColumn => moves(`${column} > :recent`)

/** For CRM queues: far in the future while a connection is paused (capabilities/crm/outbox-store.ts). */
const CRM_PAUSED = 9_000_000_000_000
const held = (where: string) => deadline('hold_until', `hold_until < ${CRM_PAUSED} AND ${where}`)

/** Calls without a chosen time: they start as soon as possible, one after the other. */
const CALLS_AT_ONCE = `SELECT job_key FROM jobs
  WHERE kind = 'voice.dial' AND state = 'waiting' AND is_appointment = 0 AND job_key IS NOT NULL`

/** All their appointments are times at which hours begin or end. */
const KINDS_THAT_WAIT_FOR_HOURS = `'ai.turn', 'ai.follow-up'`
const FOLLOW_UP_JOB = "ai_conversations.id || ':' || (ai_conversations.next_turn - 1)"
/** Follow-ups that wait until the quiet hours end. */
const FOLLOW_UPS_AFTER_QUIET_HOURS = `SELECT job_key FROM jobs
  WHERE kind = 'ai.follow-up' AND state = 'waiting' AND is_appointment = 1 AND job_key IS NOT NULL`

/** Columns with these names record when something happened. Tables where one of them is waited for are listed below. */
export const RECORD_COLUMNS: readonly string[] = [
  ...['created_at', 'updated_at', 'changed_at', 'deleted_at', 'started_at', 'ended_at', 'finished_at', 'failed_at'],
  ...['sent_at', 'delivered_at', 'read_at', 'received_at', 'edited_at', 'error_at', 'seen_at', 'checked_at', 'at'],
  ...['last_used_at', 'last_seen_at', 'last_in_at', 'last_out_at', 'revoked_at', 'first_at', 'last_at'],
  ...['since', 'since_at', 'since_seq', 'duration_ms', 'start_ms', 'end_ms', 'delay_ms', 'offset_ms', 'gap_ms'],
]

/** Every other column with a time. Parameters: `:after`, the earlier of both times; `:recent`, a day before that. */
export const DUE_COLUMNS: Readonly<Record<string, Readonly<Record<string, DueColumn | readonly DueColumn[]>>>> = {
  access_links: { expires_at: deadline('expires_at'), opened_at: 'stays', spent_at: 'stays' },
  accounts: { change_at: 'stays' },
  activity: { hour: 'stays' },
  ai_conversations: {
    meta_agent_at: 'stays',
    paused_until: deadline('paused_until'),
    follow_up_at: [
      moves(`follow_up_at IS NOT NULL AND ${FOLLOW_UP_JOB} NOT IN (${FOLLOW_UPS_AFTER_QUIET_HOURS})`),
      hours(`follow_up_at IS NOT NULL AND ${FOLLOW_UP_JOB} IN (${FOLLOW_UPS_AFTER_QUIET_HOURS})`),
    ],
    handoff_at: 'stays',
    // The service window of the network, which has its own clock.
    last_inbound_at: 'stays',
    last_answer_at: 'stays',
  },
  ai_account_settings: { updated_at: 'stays' },
  ai_instances: { settings_at: 'stays', follow_up_at: 'stays', refused_at: 'stays' },
  ai_turns: {
    first_at: moves(`state IN ('waiting', 'thinking', 'sending')`),
    due_at: moves(`state IN ('waiting', 'thinking', 'sending')`),
    // Answers are limited by the hour.
    ended_at: recent('ended_at'),
  },
  // A date that a person chose.
  api_keys: { expires_at: 'stays' },
  approvals: {
    created_at: moves(`state = 'pending'`),
    expires_at: deadline('expires_at', `state = 'pending'`),
    decided_at: 'stays',
    executed_at: 'stays',
    collected_at: 'stays',
  },
  billing_callbacks: { processed_at: 'stays' },
  billing_clients: { period_end: 'stays' },
  billing_customers: { ahead_ms: { kind: 'offset' } },
  billing_orders: {
    created_at: moves(`status IN ('processing', 'open')`),
    expires_at: deadline('expires_at', `status = 'open'`),
    proration_at: 'stays',
    provisioned_at: 'stays',
  },
  billing_subscriptions: {
    past_due_since: moves('past_due_since IS NOT NULL'),
    period_end: 'stays',
    cancel_at_period_end: 'stays',
    frozen_at: 'stays',
    as_of: 'stays',
  },
  campaign_instances: {
    next_at: moves('next_at IS NOT NULL'),
    restricted_until: deadline('restricted_until'),
  },
  campaign_recipients: {
    // For the hourly limit. Only running campaigns have one.
    claimed_at: moves(
      `claimed_at > :recent AND campaign_id IN (SELECT id FROM campaigns WHERE status IN ('running', 'paused'))`,
    ),
    replied_at: 'stays',
    opted_out_at: 'stays',
  },
  campaigns: {
    // The sending hours of a campaign follow the clock.
    resume_at: deadline('resume_at', `pause_reason <> 'outside_window'`),
    // The job that gives up compares it with its input.
    unusable_since: 'stays',
    scheduled_at: 'stays',
    budget_warned_at: 'stays',
  },
  console_passwords: { set_at: 'stays' },
  console_sessions: { created_at: moves('created_at > 0'), used_at: moves('used_at > 0') },
  crm_contacts: { dnd_at: 'stays' },
  crm_inbox: { hold_until: held(`state = 'waiting'`), received_at: moves(`state = 'waiting'`) },
  crm_links: { prev_expires_at: deadline('prev_expires_at'), last_sync_at: 'stays', connected_at: 'stays' },
  crm_outbox: { hold_until: held('failed_at IS NULL') },
  crm_queues: { failing_since: moves('failing_since IS NOT NULL') },
  crm_sessions: { expires_at: deadline('expires_at') },
  crm_states: { expires_at: deadline('expires_at') },
  crm_statuses: { hold_until: held('dirty = 1') },
  deliveries: {
    next_attempt_at: deadline('next_attempt_at'),
    // How long a delivery is held is counted from its creation.
    created_at: moves('next_attempt_at IS NOT NULL'),
    swept_at: moves('swept_at IS NOT NULL AND next_attempt_at IS NOT NULL'),
  },
  entitlement_grants: { granted_at: 'stays' },
  files: { expires_at: deadline('expires_at') },
  idempotency_keys: { expires_at: deadline('expires_at') },
  instance_reconnects: { at: recent('at') },
  instance_line_settings: { spacing_ms: 'stays' },
  instance_webhook_calls: { next_try_at: deadline('next_try_at'), created_at: moves('created_at > 0') },
  instances: {
    status_at: 'stays',
    next_retry_at: deadline('next_retry_at'),
    link_lost_at: moves('link_lost_at IS NOT NULL'),
    down_at: moves('down_at IS NOT NULL'),
    qr_expires_at: deadline('qr_expires_at'),
    blocked_until: deadline('blocked_until'),
    last_connected_at: 'stays',
  },
  // The time of its first waiting job; `due-times.ts` sets it again.
  job_lanes: { next_at: 'stays' },
  jobs: {
    run_at: [
      deadline('run_at', `state = 'waiting' AND is_appointment = 0`),
      appointment(`state = 'waiting' AND is_appointment = 1 AND kind NOT IN (${KINDS_THAT_WAIT_FOR_HOURS})`),
      hours(`state = 'waiting' AND is_appointment = 1 AND kind IN (${KINDS_THAT_WAIT_FOR_HOURS})`),
    ],
  },
  members: { invitation_expires_at: deadline('invitation_expires_at') },
  message_budgets: { warned_at: 'stays' },
  messages: {
    // A message that was not sent is given up after a time.
    created_at: moves(`status = 'queued'`),
    dispatch_started_at: moves(`status = 'queued' AND dispatch_started_at IS NOT NULL`),
    held_since: 'stays',
    valid_until: 'stays',
  },
  number_checks: { waits_until: deadline('waits_until') },
  number_check_numbers: { asked_at: 'stays' },
  number_check_portions: { asked_at: recent('asked_at') },
  official_numbers: { signup_expires_at: deadline('signup_expires_at') },
  official_template_pauses: { paused_until: deadline('paused_until') },
  // A date of Meta's.
  official_template_category_changes: { changes_at: 'stays' },
  official_recategorized_templates: { changed_at: 'stays' },
  official_archived_templates: { archived_at: 'stays' },
  official_template_states: { since: 'stays' },
  official_template_words: { noted_at: recent('noted_at') },
  safety_claims: { claimed_at: recent('claimed_at') },
  safety_counts: { quarter: { kind: 'counts' } },
  // Recounted from safety_reached.
  safety_minutes: { minute: { kind: 'counts' } },
  safety_reached: { reached_at: recent('reached_at') },
  safety_firsts: { quarter: { kind: 'counts' } },
  safety_numbers: { paired_at: moves('paired_at > 0'), claimed_at: recent('claimed_at') },
  opt_out_questions: {
    // Expires with age.
    created_at: moves('created_at > 0'),
    dismissed_at: 'stays',
  },
  sandbox_catchers: { reply_delay_ms: 'stays' },
  sandbox_ghl_codes: { expires_at: deadline('expires_at') },
  sandbox_ghl_messages: { date: 'stays' },
  sandbox_ghl_tokens: { expires_at: deadline('expires_at') },
  // The simulated Meta has its own clock.
  sandbox_graph_entries: { opened_at: 'stays', answered_at: 'stays' },
  sandbox_graph_permissions: { expires_at: deadline('expires_at') },
  sandbox_lines: {
    heals_at: deadline('heals_at'),
    restricted_at: 'stays',
    restricted_until: deadline('restricted_until'),
  },
  sandbox_chats: { muted_until: 'stays' },
  sandbox_join_requests: { requested_at: 'stays' },
  sandbox_messages: {
    received_at: deadline('received_at'),
    disappears_at: deadline('disappears_at'),
    expires_at: deadline('expires_at'),
  },
  sandbox_templates: { paused_until: deadline('paused_until'), submitted_at: 'stays', approved_edit_at: 'stays' },
  sandbox_phones: { spoke_at: recent('spoke_at') },
  sandbox_timeline: { due_at: deadline('due_at'), expires_at: deadline('expires_at') },
  smv2_people: { heard_at: 'stays' },
  smv2_polls: { kept_at: 'stays' },
  smv2_protocol: { learned_at: 'stays' },
  smv2_sessions: { restricted_at: 'stays', restricted_until: deadline('restricted_until') },
  voice_calls: {
    scheduled_at: [
      // Calls of a batch that started immediately keep their intervals.
      moves(`status = 'scheduled' AND id IN (${CALLS_AT_ONCE})`),
      appointment(`status = 'scheduled' AND id NOT IN (${CALLS_AT_ONCE})`),
    ],
    answered_at: 'stays',
    held_at: 'stays',
    transfer_at: 'stays',
    batch_interval_ms: 'stays',
  },
  voice_instances: { enabled_at: 'stays' },
  voice_recordings: { expires_at: deadline('expires_at') },
  webhooks: { state_since: moves('state_since > 0'), prev_expires_at: deadline('prev_expires_at') },
}
