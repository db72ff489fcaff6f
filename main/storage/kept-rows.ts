import { jobKindsThatAre } from '../contract/job-kinds.ts'
import { emailsIn } from './fact-tables.ts'

/**
 * Statements that take whole rows from the database before the restore, attached as `present`. If it cannot be read,
 * `strictest-rows.ts` and the file of facts are used instead.
 */

const HAS_ACCOUNT = 'account_id IN (SELECT id FROM main.accounts)'
const HAS_INSTANCE = 'instance_id IN (SELECT id FROM main.instances)'
/** Connected both then and now: its connection stays. */
const HAS_LINK = `instance_id IN (SELECT id FROM main.instances WHERE deleted_at IS NULL)
  AND instance_id IN (SELECT id FROM present.instances WHERE deleted_at IS NULL)`

/** Settings of an account that owned the number in between are not given to the returning owner. */
const HAS_SAME_OWNER = `instance_id IN (SELECT i.id FROM main.instances i JOIN present.instances p
  ON p.id = i.id AND p.account_id = i.account_id)`

/** An earlier restore removed these connections, so nobody has ended them or used their tokens since. */
const IS_NO_SESSION_OF_RETURNING_LINKS = `resource_id NOT IN (
  SELECT value FROM main.crm_links l, json_each(json_array(l.location_id, l.company_id))
   WHERE value IS NOT NULL AND l.seq NOT IN (SELECT seq FROM present.crm_links) AND l.seq NOT IN (SELECT seq FROM gone_crm_links)
     AND value NOT IN (SELECT resource_id FROM present.crm_sessions))`

const KEPT_JOBS = `kind IN (${jobKindsThatAre('kept')
  .map((kind) => `'${kind}'`)
  .join(', ')})`

/** Replaces all rows by those from before the restore. */
const replaced = (table: string, which = 'true'): string[] => [
  `DELETE FROM main.${table} WHERE ${which}`,
  `INSERT OR REPLACE INTO main.${table} SELECT * FROM present.${table} WHERE ${which}`,
]
/**
 * The same for instances known before. An earlier restore removed the others, and its backup returns them completely.
 */
const replacedOfKnown = (table: string): string[] => {
  const known = `${HAS_INSTANCE} AND instance_id IN (SELECT id FROM present.instances)`
  return replaced(table, known)
}
/** Adds rows from before the restore, and replaces the backup's rows by them. */
const added = (table: string, which = 'true'): string =>
  `INSERT OR REPLACE INTO main.${table} SELECT * FROM present.${table} WHERE ${which}`
/** Updates rows that exist in both to their state before the restore. */
const updated = (table: string, key: string): string => added(table, `${key} IN (SELECT ${key} FROM main.${table})`)
const updatedOfOwner = (table: string, key: string): string =>
  added(table, `${HAS_SAME_OWNER} AND (${key}) IN (SELECT ${key} FROM main.${table})`)

const CONNECTION = [
  ...[
    'status',
    'status_at',
    'logged_in',
    'phone_number',
    'profile_name',
    'will_retry',
    'next_retry_at',
    'link_lost_at',
  ],
  ...['down_at', 'attempts', 'qr_attempt', 'qr_expires_at', 'last_connected_at', 'last_disconnect_reason'],
  ...['disconnect_code', 'blocked_until', 'discard'],
]

const INSTANCES = [
  // Receivers order an instance's events by this number.
  `UPDATE main.instances SET event_sequence = max(instances.event_sequence, p.event_sequence)
    FROM present.instances p WHERE p.id = instances.id`,
  `UPDATE main.instances SET ${CONNECTION.map((name) => `${name} = p.${name}`).join(', ')}
    FROM present.instances p WHERE p.id = instances.id AND p.deleted_at IS NULL AND instances.deleted_at IS NULL`,
]

/** In the order of their dependencies. */
const CAMPAIGNS = [
  `CREATE TEMP TABLE was_scheduled AS SELECT id, scheduled_at FROM main.campaigns WHERE status = 'scheduled'`,
  // A campaign that has sent since the backup waits for a person, in any state.
  `CREATE TEMP TABLE has_sent AS SELECT DISTINCT p.campaign_id AS id FROM present.campaign_recipients p
     LEFT JOIN main.campaign_recipients r ON r.campaign_id = p.campaign_id AND r.position = p.position
     WHERE p.claimed_at IS NOT NULL AND r.claimed_at IS NOT p.claimed_at`,
  added('campaigns', HAS_ACCOUNT),
  ...['campaign_instances', 'campaign_recipients', 'campaign_streaks'].flatMap((table) => [
    `DELETE FROM main.${table} WHERE campaign_id IN (SELECT id FROM present.campaigns)`,
    `INSERT INTO main.${table} SELECT * FROM present.${table} WHERE campaign_id IN (SELECT id FROM main.campaigns)`,
  ]),
  `UPDATE main.campaign_instances SET removed = 1 WHERE instance_id NOT IN (SELECT id FROM main.instances)`,
]

const BILLING = [
  added('billing_provider'),
  added('billing_customers', HAS_ACCOUNT),
  added('billing_orders', HAS_ACCOUNT),
  added('billing_subscriptions', HAS_ACCOUNT),
  added('billing_history', HAS_ACCOUNT),
  added('billing_callbacks'),
  added('billing_agencies', HAS_ACCOUNT),
  added('billing_clients', 'client_id IN (SELECT id FROM main.accounts)'),
  // An account that an earlier restore removed comes back with what the backup says.
  ...replaced('entitlement_grants', `${HAS_ACCOUNT} AND account_id IN (SELECT id FROM present.accounts)`),
]

const JOBS = [...replaced('jobs', KEPT_JOBS), ...replaced('job_lanes', KEPT_JOBS)]

/** Nothing is sent to a URL that was changed since, or with a secret that was replaced. */
const DESTINATIONS = [
  updatedOfOwner('ai_http_tools', 'id'),
  updatedOfOwner('ai_provider_keys', 'instance_id, provider'),
  updatedOfOwner('voice_trunks', 'instance_id'),
  ...replaced('voice_speech', `${HAS_ACCOUNT} AND account_id IN (SELECT id FROM present.accounts)`),
  ...replaced('instance_line_settings', HAS_SAME_OWNER),
  `UPDATE main.brands SET allowed_origins = p.allowed_origins FROM present.brands p
    WHERE p.account_id = brands.account_id`,
  `UPDATE main.voice_instances SET settings = json_set(voice_instances.settings, '$.summary_emails',
     json(${emailsIn('p.settings')})) FROM present.voice_instances p
    WHERE p.instance_id = voice_instances.instance_id AND voice_instances.${HAS_SAME_OWNER}
      AND json_valid(voice_instances.settings)
      AND ${emailsIn('p.settings')} <> ${emailsIn('voice_instances.settings')}`,
]

const DELIVERIES = [
  'CREATE TEMP TABLE closed AS SELECT d.seq FROM main.deliveries d JOIN present.deliveries p USING (seq, id) ' +
    'WHERE (d.next_attempt_at IS NOT NULL OR d.lease IS NOT NULL) AND p.next_attempt_at IS NULL AND p.lease IS NULL',
  // What was delivered since is not delivered again.
  added('deliveries', 'seq IN (SELECT seq FROM closed)'),
  'DELETE FROM main.delivery_attempts WHERE delivery_seq IN (SELECT seq FROM closed)',
  added('delivery_attempts', 'delivery_seq IN (SELECT seq FROM closed)'),
  // Deliveries that ended also continue after their last number: they can be redelivered by hand.
  `UPDATE main.deliveries SET attempts = p.attempts FROM present.deliveries p
    WHERE p.seq = deliveries.seq AND p.id = deliveries.id AND p.attempts > deliveries.attempts
      AND deliveries.next_attempt_at IS NULL AND deliveries.lease IS NULL`,
  // Ten are added to those of open ones.
  `UPDATE main.deliveries SET attempts = p.attempts - 10 FROM present.deliveries p
    WHERE p.seq = deliveries.seq AND p.id = deliveries.id AND p.attempts - 10 > deliveries.attempts`,
  `DELETE FROM main.instance_webhook_calls WHERE event_seq NOT IN (SELECT event_seq FROM present.instance_webhook_calls)`,
]

const MESSAGES = [
  // A message that waited in the backup was sent since, or failed.
  `UPDATE main.messages SET status = p.status, engine_message_id = p.engine_message_id,
     dispatch_started_at = p.dispatch_started_at, sent_at = p.sent_at, delivered_at = p.delivered_at, read_at = p.read_at,
     failed_at = p.failed_at, error_code = p.error_code, error_message = p.error_message,
     error_provider_code = p.error_provider_code
    FROM present.messages p WHERE p.seq = messages.seq AND p.id = messages.id AND messages.direction = 'out'`,
  // Programs look up a send by its key when they lost the answer. If it were missing, they would send it again.
  `INSERT INTO main.messages SELECT * FROM present.messages p
    WHERE seq > (SELECT COALESCE(max(seq), 0) FROM main.messages) AND ${HAS_SAME_OWNER}
      AND id = (SELECT subject_id FROM present.idempotency_keys k
        WHERE k.scope_id = p.instance_id AND k.key = p.idem_key)`,
]

const SMV2 = [
  ...['smv2_sessions', 'smv2_keys', 'smv2_inbound', 'smv2_sent', 'smv2_people', 'smv2_media', 'smv2_polls'],
  ...['smv2_waiting_votes', 'smv2_history_chats', 'smv2_labels'],
].flatMap((table) => replaced(table, HAS_LINK))

const SANDBOX = [
  ...['phones', 'catchers', 'caught', 'groups', 'group_members', 'blocks', 'messages', 'files', 'graph_numbers'],
  ...['profiles', 'pictures', 'chats', 'labels', 'marks', 'timers', 'join_requests'],
  ...[
    'graph_sent',
    'graph_media',
    'graph_permissions',
    'graph_marketing_stops',
    'graph_contact_book',
    'graph_portfolios',
    'graph_reached',
    'graph_entries',
    'templates',
    'stripe_objects',
    'stripe_keys',
    'ghl_codes',
    'ghl_companies',
  ],
  ...['ghl_contacts', 'ghl_deliveries', 'ghl_files', 'ghl_keys', 'ghl_locations', 'ghl_messages', 'ghl_tokens'],
  ...['community_groups', 'channel_files', 'channel_followers'],
].flatMap((name) => replaced(`sandbox_${name}`))

export const KEPT = [
  // A used number is never used again: programs store list positions that end with one.
  `INSERT INTO main.counters (name, value) SELECT name, value FROM present.counters WHERE true
    ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
  `UPDATE main.accounts SET change_at = max(accounts.change_at, p.change_at),
     instances_made = max(accounts.instances_made, p.instances_made)
    FROM present.accounts p WHERE p.id = accounts.id`,
  // Signed-out sessions stay signed out, and the person who restores is not locked out.
  ...replaced('console_sessions', HAS_ACCOUNT),
  ...replaced('console_passwords', HAS_ACCOUNT),
  `UPDATE main.members SET password_salt = p.password_salt, password_hash = p.password_hash,
     password_cost = p.password_cost FROM present.members p WHERE p.id = members.id`,
  added('audit_log', HAS_ACCOUNT),
  ...INSTANCES,
  // Their messages may be missing from the backup, but what the people asked for still applies.
  ...replacedOfKnown('opt_out_questions'),
  ...CAMPAIGNS,
  // The files themselves are not in the database. Campaigns that stay send them.
  added('files', HAS_ACCOUNT),
  ...BILLING,
  // The network has charged for them, also where the message is not in the backup. A count and its messages go together.
  ...replaced('message_prices', HAS_ACCOUNT),
  ...replaced('price_counts', HAS_ACCOUNT),
  ...replaced('price_sums', HAS_ACCOUNT),
  ...replaced('price_holds', HAS_ACCOUNT),
  ...replaced('message_budgets', HAS_ACCOUNT),
  ...JOBS,
  // Secrets that were rotated and URLs that were changed since must stay changed.
  updated('webhooks', 'id'),
  updatedOfOwner('instance_webhooks', 'instance_id'),
  ...DESTINATIONS,
  ...DELIVERIES,
  ...MESSAGES,
  updated('approvals', 'id'),
  `UPDATE main.ai_conversations SET next_turn = max(ai_conversations.next_turn, p.next_turn)
    FROM present.ai_conversations p WHERE p.id = ai_conversations.id`,
  // A refresh token works once, and the older one was used since.
  ...replaced('crm_sessions', `${HAS_ACCOUNT} AND ${IS_NO_SESSION_OF_RETURNING_LINKS}`),
  updated('crm_links', 'seq'),
  // A queue waits while the CRM refuses its connection, whose state is kept too.
  `UPDATE main.crm_queues SET suspended = p.suspended, failures = p.failures, failing_since = p.failing_since
    FROM present.crm_queues p WHERE p.id = crm_queues.id`,
  added('crm_messages', 'link_seq IN (SELECT seq FROM main.crm_links)'),
  updated('voice_widgets', 'id'),
  ...replaced('official_numbers', HAS_LINK),
  ...replacedOfKnown('official_callbacks'),
  ...replaced('official_template_pauses', HAS_ACCOUNT),
  ...replaced('official_template_category_changes', HAS_ACCOUNT),
  ...replaced('official_recategorized_templates', HAS_ACCOUNT),
  ...replaced('official_template_lifetimes', HAS_ACCOUNT),
  ...replaced('official_archived_templates', HAS_ACCOUNT),
  ...replaced('official_template_states', HAS_ACCOUNT),
  ...replaced('official_template_words', HAS_ACCOUNT),
  added('official_contacts', HAS_INSTANCE),
  added('official_addresses', HAS_INSTANCE),
  added('official_user_ids', HAS_INSTANCE),
  // Meta continues to count whom its numbers reached; a restore does not change that.
  ...['safety_reached', 'safety_minutes', 'number_check_portions'].flatMap((table) => replaced(table)),
  ...SMV2,
  added('smv2_protocol'),
  ...replacedOfKnown('sandbox_lines'),
  ...replacedOfKnown('sandbox_faults'),
  ...replacedOfKnown('sandbox_timeline'),
  ...SANDBOX,
]

/** After `LEFT_INSTANCES`: an instance moves again to its current owner, with the owner's settings. */
const GOES_TO_OWNER = `instance_id IN (SELECT m.id FROM temp.moved m JOIN present.instances p
  ON p.id = m.id AND p.account_id = m.account_id)`

/** The backup's account sees nothing of this: the transfer is repeated before requests are served. */
export const SETTINGS_OF_NEW_OWNERS = [
  ...['instance_line_settings', 'ai_provider_keys', 'voice_trunks', 'instance_webhooks'].flatMap((table) =>
    replaced(table, GOES_TO_OWNER),
  ),
  // It gets no call about the end at the backup's account, and starts again with the transfer.
  `UPDATE main.instance_webhooks SET ended = 1 WHERE ${GOES_TO_OWNER}`,
]
