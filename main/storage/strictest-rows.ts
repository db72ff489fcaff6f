/**
 * Statements that read from `present` what must not be undone: the database before the restore, or the file of facts.
 * They use only columns that both have. `gone_…` are temporary tables with the keys of rows removed since.
 */

const HAS_ACCOUNT = 'account_id IN (SELECT id FROM main.accounts)'
const HAS_INSTANCE = 'instance_id IN (SELECT id FROM main.instances)'

/** Keeps the greater value of each counter. */
function greater(table: string, key: readonly string[], columns: readonly string[], plain: readonly string[] = []) {
  const all = [...key, ...plain, ...columns].join(', ')
  return `INSERT INTO main.${table} (${all}) SELECT ${all} FROM present.${table} WHERE ${HAS_INSTANCE}
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET
      ${columns.map((name) => `${name} = max(${table}.${name}, excluded.${name})`).join(', ')}`
}

/** A client who has paid since the backup stays, with the purchases. */
const PAID_SINCE = `(EXISTS (SELECT 1 FROM present.billing_orders o
    WHERE o.account_id = p.id AND o.status IN ('processing', 'open', 'paid'))
  OR EXISTS (SELECT 1 FROM present.billing_clients c WHERE c.client_id = p.id AND c.subscription_id IS NOT NULL))`

const accountsWhere = (condition: string) =>
  `INSERT INTO main.accounts (id, name, change_at, parent_account_id, timezone, external_ref, status, created_at)
    SELECT id, name, created_at, parent_account_id, timezone, external_ref, status, created_at FROM present.accounts p
     WHERE p.deleted_at IS NULL AND p.id NOT IN (SELECT id FROM main.accounts) AND ${condition}
    ON CONFLICT DO NOTHING`

/** For a new database: without accounts, their rows would belong to nobody. */
export const EVERY_ACCOUNT = accountsWhere('TRUE')

export const ACCOUNTS = [
  accountsWhere(PAID_SINCE),
  // A client that was removed returns, and stays suspended until somebody activates it.
  `UPDATE main.accounts SET status = 'suspended' WHERE deleted_at IS NULL AND (
     id IN (SELECT id FROM present.accounts WHERE status = 'suspended' OR deleted_at IS NOT NULL)
     OR id IN (SELECT id FROM gone_accounts))`,
]

export const STRICTEST = [
  // A revoked key may have leaked, and a restricted key must not get more rights.
  `UPDATE main.api_keys SET revoked_at = COALESCE(api_keys.revoked_at, p.revoked_at), expires_at = p.expires_at,
     allowed_instance_ids = p.allowed_instance_ids, approval = p.approval
    FROM present.api_keys p WHERE p.id = api_keys.id`,
  `UPDATE main.access_links SET revoked_at = COALESCE(access_links.revoked_at, p.revoked_at),
     spent_at = COALESCE(access_links.spent_at, p.spent_at), opened_at = COALESCE(access_links.opened_at, p.opened_at),
     expires_at = p.expires_at
    FROM present.access_links p WHERE p.id = access_links.id`,
  'DELETE FROM main.members WHERE id IN (SELECT id FROM gone_members)',
  `UPDATE main.members SET invitation = p.invitation, invitation_expires_at = p.invitation_expires_at
    FROM present.members p WHERE p.id = members.id`,
  `DELETE FROM main.console_sessions WHERE member_id IS NOT NULL AND member_id NOT IN (SELECT id FROM main.members)`,
  // If the backup lacks the instance, its number may return under another id, so the opt-out applies to the whole
  // account. Facts of earlier versions use the old names of sources.
  `INSERT INTO main.opt_outs (seq, account_id, number, scope, phone, source, created_at, message_id, message_instance)
    SELECT seq, account_id, number, CASE WHEN scope IN (SELECT id FROM main.instances) THEN scope ELSE 'account' END,
      phone, CASE source WHEN 'console' THEN 'person' WHEN 'mcp' THEN 'api' WHEN 'official' THEN 'meta'
        WHEN 'ghl' THEN 'crm' ELSE source END,
      created_at, message_id, message_instance FROM present.opt_outs WHERE ${HAS_ACCOUNT}
    ON CONFLICT DO NOTHING`,
  // There are no questions about people who are opted out.
  `DELETE FROM main.opt_out_questions WHERE EXISTS (SELECT 1 FROM main.opt_outs o
     WHERE o.account_id = opt_out_questions.account_id AND o.number = opt_out_questions.number
       AND o.scope IN ('account', opt_out_questions.instance_id))`,
  `UPDATE main.approvals SET state = p.state, decided_at = p.decided_at, executed_at = p.executed_at
    FROM present.approvals p WHERE p.id = approvals.id AND p.state <> 'pending' AND approvals.state <> 'executed'`,
  `UPDATE main.webhooks SET state = p.state, state_since = p.state_since, disabled_reason = p.disabled_reason,
     deleted_at = COALESCE(webhooks.deleted_at, p.deleted_at)
    FROM present.webhooks p WHERE p.id = webhooks.id`,
  `DELETE FROM main.delivery_attempts WHERE delivery_seq IN (SELECT d.seq FROM main.deliveries d
     JOIN main.webhooks w ON w.seq = d.webhook_seq WHERE w.id IN (SELECT id FROM gone_webhooks))`,
  `DELETE FROM main.deliveries WHERE webhook_seq IN (SELECT w.seq FROM main.webhooks w
     WHERE w.id IN (SELECT id FROM gone_webhooks))`,
  'DELETE FROM main.webhooks WHERE id IN (SELECT id FROM gone_webhooks)',
  `DELETE FROM main.instance_webhooks WHERE instance_id IN (SELECT instance_id FROM gone_instance_webhooks)`,
  `UPDATE main.instance_webhooks SET ended = 1
    WHERE instance_id IN (SELECT instance_id FROM present.instance_webhooks WHERE ended = 1)`,
  greater(
    'safety_counts',
    ['instance_id', 'quarter'],
    ['sent', 'first_contacts', 'opened', 'spam_limited', 'withheld'],
  ),
  greater(
    'ai_daily',
    ['instance_id', 'day', 'agent_id'],
    ['answered', 'handed_over', 'follow_ups', 'input_tokens', 'output_tokens', 'cost_micros'],
    ['account_id'],
  ),
  // A client's usage is on an invoice, even if the backup lacks the number.
  greater(
    'usage_daily',
    ['account_id', 'day', 'instance_id'],
    ['sent', 'received', 'failed', 'campaign_sends', 'calls', 'call_seconds', 'ai_tokens', 'media_bytes'],
  ).replace(HAS_INSTANCE, HAS_ACCOUNT),
  `UPDATE main.ai_instances SET enabled = 0
    WHERE instance_id IN (SELECT instance_id FROM present.ai_instances WHERE enabled = 0)`,
  `UPDATE main.ai_conversations SET paused = 1, pause_reason = p.pause_reason,
     paused_until = CASE WHEN ai_conversations.paused = 0 THEN p.paused_until
       WHEN ai_conversations.paused_until IS NULL OR p.paused_until IS NULL THEN NULL
       ELSE max(ai_conversations.paused_until, p.paused_until) END
    FROM present.ai_conversations p
    WHERE p.instance_id = ai_conversations.instance_id AND p.chat = ai_conversations.chat AND p.paused = 1`,
  `UPDATE main.ai_conversations SET waiting = 1, handoff_reason = p.handoff_reason, handoff_at = p.handoff_at
    FROM present.ai_conversations p
    WHERE p.instance_id = ai_conversations.instance_id AND p.chat = ai_conversations.chat AND p.waiting = 1`,
  `INSERT INTO main.ai_conversations (seq, id, instance_id, chat, account_id, paused, paused_until, pause_reason, waiting,
     handoff_reason, handoff_at, changed_at)
    SELECT seq, id, instance_id, chat, account_id, paused, paused_until, pause_reason, waiting, handoff_reason, handoff_at,
      changed_at FROM present.ai_conversations
     WHERE ${HAS_INSTANCE} AND (paused = 1 OR waiting = 1)
    ON CONFLICT DO NOTHING`,
  ...['crm_outbox', 'crm_statuses', 'crm_inbox', 'crm_backfills', 'crm_messages', 'crm_hidden_people'].map(
    (table) => `DELETE FROM main.${table} WHERE link_seq IN (SELECT seq FROM gone_crm_links)`,
  ),
  'DELETE FROM main.crm_links WHERE seq IN (SELECT seq FROM gone_crm_links)',
  'UPDATE main.crm_links SET paused = 1 WHERE seq IN (SELECT seq FROM present.crm_links WHERE paused = 1)',
  `INSERT INTO main.crm_contacts (queue, number, dnd, dnd_pushed)
    SELECT queue, number, 1, dnd_pushed FROM present.crm_contacts
     WHERE dnd = 1 AND queue IN (SELECT id FROM main.crm_queues)
    ON CONFLICT (queue, number) DO UPDATE SET dnd = 1, dnd_pushed = excluded.dnd_pushed`,
  // A sent message that the CRM posts again must not be sent again.
  `UPDATE main.crm_inbox SET state = p.state, ended_at = p.ended_at
    FROM present.crm_inbox p
    WHERE p.scope = crm_inbox.scope AND p.external_id = crm_inbox.external_id AND p.state <> 'waiting'`,
  `INSERT INTO main.crm_inbox (seq, scope, external_id, link_seq, number, payload, part, tries, hold_until, state,
     received_at, ended_at)
    SELECT seq, scope, external_id, link_seq, '', '{}', 0, 0, 0, CASE state WHEN 'done' THEN 'done' ELSE 'failed' END,
      received_at, COALESCE(ended_at, received_at) FROM present.crm_inbox
     WHERE link_seq IN (SELECT seq FROM main.crm_links)
    ON CONFLICT DO NOTHING`,
  // A package belongs to the account that bought it, and facts do not say which account that is.
  `UPDATE main.voice_instances SET plan = CASE WHEN EXISTS (SELECT 1 FROM main.instances i JOIN present.instances o
       ON o.id = i.id AND o.account_id <> i.account_id WHERE i.id = voice_instances.instance_id)
     THEN voice_instances.plan ELSE p.plan END, trial_used = max(voice_instances.trial_used, p.trial_used)
    FROM present.voice_instances p WHERE p.instance_id = voice_instances.instance_id`,
  `UPDATE main.voice_calls SET status = p.status, end_reason = p.end_reason, attempt = p.attempt, ended_at = p.ended_at,
     held_at = NULL,
     transfer_status = CASE WHEN voice_calls.transfer_status = 'pending' THEN 'unknown' ELSE voice_calls.transfer_status END
    FROM present.voice_calls p WHERE p.id = voice_calls.id
     AND voice_calls.status IN ('scheduled', 'dialing', 'ringing', 'in_progress')
     AND p.status NOT IN ('scheduled', 'dialing', 'ringing', 'in_progress')`,
  // The call was being dialed when the service ended.
  `UPDATE main.voice_calls SET status = 'failed', end_reason = 'restored', attempt = 1, ended_at = :now
    WHERE status = 'scheduled' AND id IN (SELECT id FROM present.voice_calls
      WHERE status IN ('dialing', 'ringing', 'in_progress'))`,
  // Conversations must not go to a provider again that was removed.
  `DELETE FROM main.ai_provider_keys WHERE (instance_id, provider) IN
     (SELECT instance_id, provider FROM gone_ai_provider_keys)`,
  'DELETE FROM main.ai_http_tools WHERE id IN (SELECT id FROM gone_ai_http_tools)',
  'UPDATE main.ai_http_tools SET enabled = 0 WHERE id IN (SELECT id FROM present.ai_http_tools WHERE enabled = 0)',
  'DELETE FROM main.voice_trunks WHERE instance_id IN (SELECT instance_id FROM gone_voice_trunks)',
  'DELETE FROM main.voice_widgets WHERE id IN (SELECT id FROM gone_voice_widgets)',
  // The file no longer exists.
  'DELETE FROM main.voice_recordings WHERE id IN (SELECT id FROM gone_voice_recordings)',
  'UPDATE main.voice_calls SET recording_id = NULL WHERE recording_id IN (SELECT id FROM gone_voice_recordings)',
  // A repeat gets the stored answer, or none, so that nothing is sent or bought twice.
  `INSERT INTO main.idempotency_keys (scope_id, key, fp, state, boot, subject_id, status, body, created_at, expires_at)
    SELECT scope_id, key, fp, CASE WHEN state = 'done' AND body IS NOT NULL OR expires_at = 0 THEN state ELSE 'unknown' END,
      boot, subject_id, status, body, created_at, expires_at
     FROM present.idempotency_keys p
     -- Sends, campaigns, calls and purchases. What was only made here is gone, and is made again.
     WHERE (substr(subject_id, 1, 4) IN ('msg_', 'cmp_', 'ord_') OR scope_id IN (SELECT id FROM main.instances))
       AND subject_id NOT IN (SELECT id FROM present.voice_widgets)
    ON CONFLICT (scope_id, key) DO UPDATE SET fp = excluded.fp, state = excluded.state, boot = excluded.boot,
      subject_id = excluded.subject_id, status = excluded.status, body = excluded.body,
      created_at = excluded.created_at, expires_at = excluded.expires_at`,
]
