import { jobKindsThatAre } from '../../main/contract/job-kinds.ts'

export const NOW_MS = 1_800_000_000_000

interface Case {
  /** What the backup has. */
  readonly then?: readonly string[]
  /** What happened since. */
  readonly since: readonly string[]
  readonly read: string
  readonly found: unknown
  /** Without the database it is not known; what is found then. */
  readonly foundInFacts?: unknown
}

/** Another row like the one named `both`. */
const addedTo = (table: string, set: string): string[] => [
  `CREATE TEMP TABLE one AS SELECT * FROM ${table} WHERE id = 'both'`,
  `UPDATE one SET ${set}`,
  `INSERT INTO ${table} SELECT * FROM one`,
  'DROP TABLE one',
]

/** A waiting job of each kind with this rule, in a lane of its own, and no others. */
const jobsOf = (after: Parameters<typeof jobKindsThatAre>[0]): string[] => [
  'DELETE FROM jobs',
  'DELETE FROM job_lanes',
  ...jobKindsThatAre(after).flatMap((kind, i) => [
    `INSERT INTO jobs (seq, kind, subject_id, lane, input, state, run_at, attempt, failures, created_at)
      VALUES (${i}, '${kind}', 'subject', '', '{}', 'waiting', 1, 0, 0, 1)`,
    `INSERT INTO job_lanes VALUES ('${kind}', 'subject', '', 'acc', 'open', 1, 1, 0, 0, 0, 0)`,
  ]),
]

const JOBS_AND_LANES = `SELECT group_concat(DISTINCT j.state || ' ' || l.waiting || ' ' || l.canceled)
  FROM jobs j JOIN job_lanes l USING (kind)`

const CONNECTED = [
  "UPDATE instances SET status = 'connected', logged_in = 1, deleted_at = NULL, discard = NULL, last_disconnect_reason = NULL",
]

/** Two links with the same secrets, of which 'both' had another one before. */
const CRM_SECRETS = [
  "UPDATE crm_links SET kind = 'webhook', instance_id = id, queue = id, state = 'connected', error_code = NULL",
  "UPDATE crm_links SET secret_enc = x'01010203040506', prev_secret_enc = x'01080808080808'",
  'UPDATE crm_queues SET suspended = 0',
]

/** The number went to an account that the backup does not have, so it comes back to the one that it had then. */
const TRANSFERRED = [
  "INSERT INTO accounts (id, name, change_at, created_at) VALUES ('other', 'Other', 1, 1)",
  "UPDATE instances SET account_id = 'other'",
]

/** At least one for each table whose rule is to decide, and for each whose work is ended. */
export const CASES: Readonly<Record<string, readonly Case[]>> = {
  counters: [
    {
      since: ["UPDATE counters SET value = 900 WHERE name = 'both'"],
      read: "SELECT value FROM counters WHERE name = 'both'",
      ...{ found: 900, foundInFacts: 1_000_020 },
    },
  ],
  accounts: [
    { since: ["UPDATE accounts SET status = 'suspended'"], read: 'SELECT status FROM accounts', found: 'suspended' },
    { since: ['UPDATE accounts SET deleted_at = 5'], read: 'SELECT status FROM accounts', found: 'suspended' },
    {
      since: [
        "INSERT INTO accounts (id, name, change_at, created_at) VALUES ('new', 'New', 1, 1), ('free', 'Free', 1, 1)",
        "UPDATE billing_orders SET account_id = 'new', status = 'paid' WHERE id = 'both'",
      ],
      read: "SELECT group_concat(id) FROM accounts WHERE id IN ('new', 'free')",
      found: 'new',
    },
  ],
  api_keys: [
    {
      then: ['UPDATE api_keys SET revoked_at = NULL'],
      since: ["UPDATE api_keys SET revoked_at = 5 WHERE id = 'both'"],
      ...{ read: "SELECT revoked_at FROM api_keys WHERE id = 'both'", found: 5 },
    },
    {
      since: ["UPDATE api_keys SET allowed_instance_ids = '[]', approval = 'sending' WHERE id = 'both'"],
      ...{ read: "SELECT allowed_instance_ids || approval FROM api_keys WHERE id = 'both'", found: '[]sending' },
    },
  ],
  instances: [
    {
      since: ['UPDATE instances SET event_sequence = 70'],
      ...{ read: 'SELECT event_sequence FROM instances', found: 70, foundInFacts: 1_000_000 },
    },
    {
      then: ["UPDATE instances SET status = 'connected', logged_in = 1, deleted_at = NULL, discard = NULL"],
      since: ['UPDATE instances SET deleted_at = 5'],
      ...{ read: 'SELECT status || discard FROM instances', found: 'disconnectedwipe' },
    },
    ...(['user', 'moved'] as const).map((reason) => ({
      then: CONNECTED,
      since: [
        `UPDATE instances SET status = 'disconnected', logged_in = 1, last_disconnect_reason = '${reason}', will_retry = 0`,
      ],
      read: `SELECT status || last_disconnect_reason || logged_in || COALESCE(discard, '-') FROM instances`,
      found: `disconnected${reason}1-`,
    })),
    {
      then: CONNECTED,
      since: [
        "UPDATE instances SET status = 'disconnected', last_disconnect_reason = 'logout', discard = 'logout', logged_in = 0",
      ],
      read: `SELECT status || last_disconnect_reason || logged_in || discard FROM instances`,
      found: 'disconnectedlogout0logout',
      foundInFacts: 'disconnectedlogout0wipe',
    },
    {
      // Connected again by a person.
      then: CONNECTED,
      since: [
        "UPDATE instances SET status = 'disconnected', logged_in = 1, last_disconnect_reason = 'user'",
        "UPDATE instances SET status = 'connected', logged_in = 1",
      ],
      ...{ read: 'SELECT status FROM instances', found: 'connected' },
    },
  ],
  crm_queues: [
    {
      then: ['UPDATE crm_queues SET suspended = 1'],
      since: ['UPDATE crm_queues SET suspended = 0'],
      ...{ read: 'SELECT group_concat(DISTINCT suspended) FROM crm_queues', found: '0', foundInFacts: '1' },
    },
  ],
  access_links: [
    {
      then: ['UPDATE access_links SET revoked_at = NULL, spent_at = NULL'],
      since: [
        "UPDATE access_links SET revoked_at = 5 WHERE id = 'both'",
        "UPDATE access_links SET spent_at = 6 WHERE id = 'then'",
      ],
      ...{
        read: "SELECT group_concat(COALESCE(revoked_at, spent_at), ',' ORDER BY id) FROM access_links",
        found: '5,6',
      },
    },
  ],
  members: [
    { since: ["DELETE FROM members WHERE id = 'both'"], read: 'SELECT group_concat(id) FROM members', found: 'then' },
    {
      since: ["UPDATE members SET invitation = NULL WHERE id = 'both'"],
      ...{ read: "SELECT invitation FROM members WHERE id = 'both'", found: null },
    },
    {
      since: ["UPDATE members SET password_hash = x'0102030405' WHERE id = 'both'"],
      read: "SELECT hex(password_hash) FROM members WHERE id = 'both'",
      ...{ found: '0102030405', foundInFacts: '' },
    },
  ],
  console_passwords: [
    {
      since: ["UPDATE console_passwords SET hash = x'0102030405'"],
      ...{ read: 'SELECT hex(hash) FROM console_passwords', found: '0102030405', foundInFacts: undefined },
    },
  ],
  opt_outs: [
    {
      then: ["UPDATE opt_outs SET number = 'n' || seq, scope = 'account'"],
      since: [
        "INSERT INTO opt_outs VALUES (8, 'acc', 'n8', 'ins', '+8', 'keyword', NULL, 1, 'msg_8', 'ins')",
        "INSERT INTO opt_outs VALUES (9, 'acc', 'n9', 'gone', '+9', 'keyword', NULL, 1, NULL, NULL)",
        "DELETE FROM opt_outs WHERE number = 'n1'",
        "INSERT INTO opt_outs VALUES (7, 'acc', 'n7', 'account', '+7', 'keyword', NULL, 1, NULL, NULL)",
        "DELETE FROM opt_outs WHERE number = 'n7'",
      ],
      read: "SELECT group_concat(number || ' ' || scope, ',' ORDER BY number) FROM opt_outs",
      found: 'n1 account,n2 account,n8 ins,n9 account',
    },
    {
      // As versions before 58 noted it.
      since: ["INSERT INTO opt_outs VALUES (8, 'acc', 'n8', 'ins', '+8', 'official', NULL, 1, 'msg_8', 'ins')"],
      ...{ read: "SELECT source || ' ' || message_id || ' ' || message_instance FROM opt_outs WHERE seq = 8" },
      found: 'meta msg_8 ins',
    },
    {
      then: ["UPDATE opt_out_questions SET account_id = 'acc', number = 'q' || seq, dismissed_at = NULL"],
      since: ["INSERT INTO opt_outs VALUES (8, 'acc', 'q1', 'account', '+8', 'person', NULL, 1, NULL, NULL)"],
      ...{ read: 'SELECT group_concat(number) FROM opt_out_questions', found: 'q2' },
    },
  ],
  approvals: [
    {
      then: ["UPDATE approvals SET state = 'pending'"],
      since: ["UPDATE approvals SET state = 'refused' WHERE id = 'both'"],
      ...{ read: "SELECT state FROM approvals WHERE id = 'both'", found: 'refused' },
    },
  ],
  webhooks: [
    {
      since: ["UPDATE webhooks SET deleted_at = 5 WHERE id = 'both'", "DELETE FROM webhooks WHERE id = 'then'"],
      then: ['UPDATE webhooks SET deleted_at = NULL'],
      ...{ read: 'SELECT group_concat(id || deleted_at) FROM webhooks', found: 'both5' },
    },
    {
      then: ["UPDATE webhooks SET state = 'active', disabled_reason = NULL"],
      since: ["UPDATE webhooks SET secret_version = 99 WHERE id = 'both'"],
      ...{ read: "SELECT state FROM webhooks WHERE id = 'both'", found: 'active', foundInFacts: 'paused' },
    },
    {
      then: ["UPDATE webhooks SET state = 'active', disabled_reason = NULL, url = 'https://old.example/'"],
      since: ["UPDATE webhooks SET url = 'https://new.example/' WHERE id = 'both'"],
      read: "SELECT group_concat(state || url, ',' ORDER BY id) FROM webhooks",
      found: 'activehttps://new.example/,activehttps://old.example/',
      foundInFacts: 'pausedhttps://old.example/,activehttps://old.example/',
    },
  ],
  deliveries: [
    {
      then: ["UPDATE deliveries SET status = 'failed', attempts = 3, next_attempt_at = 1, lease = NULL"],
      since: ["UPDATE deliveries SET status = 'delivered', attempts = 4, next_attempt_at = NULL WHERE id = 'both'"],
      read: "SELECT status || attempts FROM deliveries WHERE id = 'both'",
      ...{ found: 'delivered4', foundInFacts: 'failed13' },
    },
  ],
  instance_webhooks: [
    { since: ['DELETE FROM instance_webhooks'], read: 'SELECT COUNT(*) FROM instance_webhooks', found: 0 },
    {
      then: ["UPDATE instance_webhooks SET ended = 0, url = 'https://old.example/'"],
      since: ["UPDATE instance_webhooks SET url = 'https://new.example/'"],
      read: 'SELECT ended || url FROM instance_webhooks',
      ...{ found: '0https://new.example/', foundInFacts: '1https://old.example/' },
    },
  ],
  instance_webhook_calls: [
    {
      since: ['DELETE FROM instance_webhook_calls WHERE event_seq = 2'],
      read: 'SELECT group_concat(event_seq) FROM instance_webhook_calls',
      ...{ found: '1', foundInFacts: '1,2' },
    },
  ],
  idempotency_keys: [
    {
      then: ['DELETE FROM idempotency_keys'],
      since: [
        "INSERT INTO idempotency_keys VALUES ('acc', 'buy', x'01', 'in_progress', 'b', 'ord_1', NULL, NULL, 1, 9)",
        "UPDATE idempotency_keys SET state = 'done', status = 201, body = x'7B7D' WHERE key = 'buy'",
        "INSERT INTO idempotency_keys VALUES ('gone', 'send', x'01', 'in_progress', 'b', 'msg_1', NULL, NULL, 1, 9)",
        "INSERT INTO idempotency_keys VALUES ('acc', 'make', x'01', 'done', 'b', 'made-here', 201, x'7B7D', 1, 9)",
        "INSERT INTO idempotency_keys VALUES ('ins', 'free', x'01', 'in_progress', 'b', 'msg_2', NULL, NULL, 1, 9)",
        "DELETE FROM idempotency_keys WHERE key = 'free'",
      ],
      read: "SELECT group_concat(key || ' ' || state || ' ' || COALESCE(hex(body), ''), ',' ORDER BY key) FROM idempotency_keys",
      found: 'buy done 7B7D,send unknown ',
    },
    {
      // Older than a day: the answer is forgotten, and who held the key is not.
      then: ['DELETE FROM idempotency_keys'],
      since: [
        "INSERT INTO idempotency_keys VALUES ('ins', 'old', x'01', 'done', 'b', 'msg_1', 201, x'7B7D', 1, 9)",
        "UPDATE idempotency_keys SET fp = x'', status = NULL, body = NULL, expires_at = 0",
      ],
      ...{ read: 'SELECT subject_id FROM idempotency_keys', found: 'msg_1' },
    },
  ],
  safety_counts: [
    {
      since: ['UPDATE safety_counts SET sent = 500, opened = 1 WHERE quarter = 2'],
      ...{ read: "SELECT sent || ' ' || opened FROM safety_counts WHERE quarter = 2", found: '500 20' },
    },
  ],
  usage_daily: [
    {
      since: ["UPDATE usage_daily SET sent = 500 WHERE day = 'both'"],
      ...{ read: "SELECT sent FROM usage_daily WHERE day = 'both'", found: 500 },
    },
  ],
  ai_daily: [
    {
      since: ["UPDATE ai_daily SET cost_micros = 500 WHERE day = 'both'"],
      ...{ read: "SELECT cost_micros FROM ai_daily WHERE day = 'both'", found: 500 },
    },
  ],
  ai_instances: [
    {
      then: ['UPDATE ai_instances SET enabled = 1'],
      since: ['UPDATE ai_instances SET enabled = 0'],
      ...{ read: 'SELECT enabled FROM ai_instances', found: 0 },
    },
  ],
  ai_conversations: [
    {
      then: ["UPDATE ai_conversations SET paused = 0, waiting = 0, chat = 'c' || seq"],
      since: ["UPDATE ai_conversations SET paused = 1, paused_until = NULL, pause_reason = 'user' WHERE id = 'both'"],
      ...{ read: "SELECT paused || pause_reason FROM ai_conversations WHERE id = 'both'", found: '1user' },
    },
    {
      then: ["UPDATE ai_conversations SET paused = 1, paused_until = 5, chat = 'c' || seq"],
      since: [
        "UPDATE ai_conversations SET paused_until = NULL WHERE id = 'both'",
        "UPDATE ai_conversations SET paused = 0 WHERE id = 'then'",
      ],
      read: "SELECT group_concat(paused || ' ' || COALESCE(paused_until, 'for good'), ',' ORDER BY id) FROM ai_conversations",
      found: '1 for good,1 5',
    },
    {
      then: ["UPDATE ai_conversations SET chat = 'c' || seq"],
      since: [
        `INSERT INTO ai_conversations (seq, id, instance_id, chat, account_id, paused, pause_reason, changed_at)
          VALUES (9, 'since', 'ins', 'c9', 'acc', 1, 'person', 1)`,
      ],
      ...{ read: "SELECT paused FROM ai_conversations WHERE chat = 'c9'", found: 1 },
    },
  ],
  crm_links: [
    {
      then: ['UPDATE crm_links SET kind = id'],
      since: ["DELETE FROM crm_links WHERE id = 'both'", "UPDATE crm_links SET paused = 1 WHERE id = 'then'"],
      ...{ read: 'SELECT group_concat(id || paused) FROM crm_links', found: 'then1' },
    },
    {
      // Ended with the access of its creator.
      then: CRM_SECRETS,
      since: [
        "UPDATE crm_links SET secret_enc = NULL, state = 'reconnect_required', error_code = 'secret_ended' WHERE id = 'both'",
        "UPDATE crm_queues SET suspended = 1 WHERE id = 'both'",
      ],
      read: `SELECT group_concat(state || ' ' || COALESCE(error_code, hex(secret_enc)) || ' ' || COALESCE(suspended, 0), ',' ORDER BY l.id)
        FROM crm_links l LEFT JOIN crm_queues q ON q.id = l.queue`,
      found: 'reconnect_required secret_ended 1,connected 01010203040506 0',
    },
    {
      // Replaced: perhaps it has leaked.
      then: CRM_SECRETS,
      since: ["UPDATE crm_links SET secret_enc = x'01090909090909', prev_secret_enc = NULL WHERE id = 'both'"],
      read: "SELECT hex(secret_enc) || ' ' || hex(prev_secret_enc) FROM crm_links WHERE id = 'both'",
      ...{ found: '01090909090909 ', foundInFacts: ' ' },
    },
    {
      // The previous one ended early.
      then: CRM_SECRETS,
      since: ["UPDATE crm_links SET prev_secret_enc = NULL, prev_expires_at = NULL WHERE id = 'both'"],
      read: "SELECT hex(secret_enc) || ' ' || hex(prev_secret_enc) FROM crm_links WHERE id = 'both'",
      found: '01010203040506 ',
    },
    {
      then: ["UPDATE crm_links SET instance_id = id, paused = 0, url = 'https://old.example/'"],
      since: ["UPDATE crm_links SET url = 'https://new.example/' WHERE id = 'both'"],
      read: "SELECT group_concat(paused || url, ',' ORDER BY id) FROM crm_links",
      found: '0https://new.example/,0https://old.example/',
      foundInFacts: '1https://old.example/,0https://old.example/',
    },
    {
      // Nothing has changed but what an earlier version noted as well.
      then: CRM_SECRETS,
      since: ["UPDATE crm_links SET paused = 1 WHERE id = 'both'"],
      read: "SELECT hex(secret_enc) || ' ' || hex(prev_secret_enc) FROM crm_links WHERE id = 'both'",
      found: '01010203040506 01080808080808',
    },
  ],
  crm_states: [
    {
      // A consent that was begun may have ended with the access of whoever began it.
      then: ["INSERT OR REPLACE INTO crm_states VALUES ('begun', 'acc', 'ins', 'live', NULL, 9, NULL)"],
      ...{ since: ["DELETE FROM crm_states WHERE hash = 'begun'"], read: 'SELECT COUNT(*) FROM crm_states', found: 0 },
    },
  ],
  official_numbers: [
    {
      then: ["UPDATE official_numbers SET token = 'page', signup_state = 'visit'"],
      since: ['UPDATE official_numbers SET token = NULL, signup_state = NULL'],
      read: "SELECT group_concat(COALESCE(token, '') || COALESCE(signup_state, '')) FROM official_numbers",
      found: '',
    },
  ],
  sandbox_lines: [
    {
      then: ["UPDATE sandbox_lines SET token = 'page'"],
      since: ['UPDATE sandbox_lines SET token = NULL'],
      ...{ read: 'SELECT group_concat(token) FROM sandbox_lines', found: null },
    },
  ],
  crm_contacts: [
    {
      then: ['UPDATE crm_contacts SET dnd = 0'],
      since: ["UPDATE crm_contacts SET dnd = 1 WHERE number = 'both'"],
      ...{ read: "SELECT dnd FROM crm_contacts WHERE number = 'both'", found: 1 },
    },
  ],
  crm_inbox: [
    {
      then: ["UPDATE crm_inbox SET state = 'waiting', scope = 's', external_id = 'e' || seq"],
      since: [
        "UPDATE crm_inbox SET state = 'done', ended_at = 1 WHERE seq = 2",
        `INSERT INTO crm_inbox VALUES (9, 's', 'e9', 2, 'n', '{}', 0, 0, 0, 'done', 1, 1)`,
      ],
      ...{
        read: "SELECT group_concat(external_id || ' ' || state, ',' ORDER BY seq) FROM crm_inbox",
        found: 'e1 failed,e2 done,e9 done',
      },
    },
  ],
  voice_instances: [
    {
      since: ['UPDATE voice_instances SET trial_used = 90'],
      ...{ read: 'SELECT trial_used FROM voice_instances', found: 90 },
    },
    {
      // Whom summaries of calls go to.
      then: ['UPDATE voice_instances SET settings = \'{"summary_emails":["old@a.example"],"announcement":"Hi"}\''],
      since: ['UPDATE voice_instances SET settings = \'{"summary_emails":["new@a.example"]}\''],
      read: 'SELECT settings FROM voice_instances',
      found: '{"summary_emails":["new@a.example"],"announcement":"Hi"}',
      foundInFacts: '{"summary_emails":[],"announcement":"Hi"}',
    },
    {
      then: ["UPDATE voice_instances SET settings = '{}'"],
      since: ['UPDATE voice_instances SET settings = \'{"announcement":"Hi"}\''],
      ...{ read: 'SELECT settings FROM voice_instances', found: '{}' },
    },
  ],
  voice_calls: [
    {
      then: [`UPDATE voice_calls SET status = 'scheduled', scheduled_at = ${NOW_MS + 1}`],
      since: ["UPDATE voice_calls SET status = 'canceled', end_reason = 'canceled' WHERE id = 'both'"],
      ...{ read: "SELECT group_concat(status, ',' ORDER BY id) FROM voice_calls", found: 'canceled,scheduled' },
    },
    {
      then: [`UPDATE voice_calls SET status = 'scheduled', scheduled_at = ${NOW_MS - 1}`],
      ...{ since: [], read: 'SELECT DISTINCT status || end_reason FROM voice_calls', found: 'failedrestored' },
    },
  ],
  // Where conversations went, and with which key.
  ai_http_tools: [
    { since: ["DELETE FROM ai_http_tools WHERE id = 'both'"], read: 'SELECT id FROM ai_http_tools', found: 'then' },
    {
      then: ['UPDATE ai_http_tools SET enabled = 1'],
      since: ["UPDATE ai_http_tools SET enabled = 0 WHERE id = 'both'"],
      read: "SELECT group_concat(id || enabled, ',' ORDER BY id) FROM ai_http_tools WHERE id <> 'since'",
      found: 'both0,then1',
    },
    ...["url = 'https://new.example/'", "secret = x'0209090909090909'"].map((set) => ({
      then: ["UPDATE ai_http_tools SET enabled = 1, url = 'https://old.example/', secret = x'0201010101010101'"],
      since: [`UPDATE ai_http_tools SET ${set} WHERE id = 'both'`],
      read: "SELECT group_concat(enabled || url || hex(secret), ',' ORDER BY id) FROM ai_http_tools",
      found: set.startsWith('url')
        ? '1https://new.example/0201010101010101,1https://old.example/0201010101010101'
        : '1https://old.example/0209090909090909,1https://old.example/0201010101010101',
      // The new one is in no file, and nothing goes to the old one.
      foundInFacts: '0https://old.example/0201010101010101,1https://old.example/0201010101010101',
    })),
    {
      // What says the same as before is no reason.
      then: ["UPDATE ai_http_tools SET enabled = 1, url = 'https://old.example/'"],
      since: ["UPDATE ai_http_tools SET url = 'https://old.example/', description = 'New'"],
      ...{ read: 'SELECT group_concat(enabled) FROM ai_http_tools', found: '1,1' },
    },
  ],
  ai_provider_keys: [
    {
      since: ["DELETE FROM ai_provider_keys WHERE provider = 'both'"],
      ...{ read: 'SELECT provider FROM ai_provider_keys', found: 'then' },
    },
    ...["base_url = 'https://new.example/v1'", "key = x'0209090909090909'"].map((set) => ({
      since: [`UPDATE ai_provider_keys SET ${set} WHERE provider = 'both'`],
      read: `SELECT group_concat(provider || ' ' || (${set}), ',' ORDER BY provider) FROM ai_provider_keys`,
      ...{ found: 'both 1,then 0', foundInFacts: 'then 0' },
    })),
  ],
  voice_trunks: [
    { since: ['DELETE FROM voice_trunks'], read: 'SELECT COUNT(*) FROM voice_trunks', found: 0 },
    ...["host = 'new.example'", "password = x'0209090909090909'"].map((set) => ({
      since: [`UPDATE voice_trunks SET ${set}`],
      ...{ read: `SELECT ${set} FROM voice_trunks`, found: 1, foundInFacts: undefined },
    })),
  ],
  // What the account set that had the number in between is not given to the one that has it again.
  transferred: [
    {
      then: ["UPDATE ai_provider_keys SET base_url = 'https://own.example'"],
      since: [
        ...TRANSFERRED,
        "UPDATE ai_provider_keys SET base_url = 'https://theirs.example', key = x'0209090909090909'",
      ],
      read: 'SELECT group_concat(DISTINCT base_url) FROM ai_provider_keys',
      ...{ found: 'https://own.example', foundInFacts: null },
    },
    {
      then: ["UPDATE voice_trunks SET host = 'own.example'"],
      since: [...TRANSFERRED, "UPDATE voice_trunks SET host = 'theirs.example', password = x'0209090909090909'"],
      ...{ read: 'SELECT host FROM voice_trunks', found: 'own.example', foundInFacts: undefined },
    },
    {
      then: ["UPDATE ai_http_tools SET url = 'https://own.example/'"],
      since: [...TRANSFERRED, "UPDATE ai_http_tools SET url = 'https://theirs.example/'"],
      ...{ read: 'SELECT group_concat(DISTINCT url) FROM ai_http_tools', found: 'https://own.example/' },
    },
    {
      then: ["UPDATE instance_line_settings SET proxy_host = 'own.example'"],
      since: [...TRANSFERRED, "UPDATE instance_line_settings SET proxy_host = 'theirs.example'"],
      ...{ read: 'SELECT proxy_host FROM instance_line_settings', found: 'own.example' },
    },
    {
      then: ["UPDATE instance_webhooks SET ended = 0, url = 'https://own.example/'"],
      since: [...TRANSFERRED, "UPDATE instance_webhooks SET url = 'https://theirs.example/'"],
      ...{ read: 'SELECT url FROM instance_webhooks', found: 'https://own.example/' },
    },
    {
      then: ['UPDATE voice_instances SET settings = \'{"summary_emails":["own@a.example"]}\''],
      since: [
        ...TRANSFERRED,
        'UPDATE voice_instances SET settings = \'{"summary_emails":["theirs@a.example"]}\', plan = \'package\'',
      ],
      read: "SELECT settings || (plan IS 'package') FROM voice_instances",
      ...{ found: '{"summary_emails":["own@a.example"]}0', foundInFacts: '{"summary_emails":[]}0' },
    },
  ],
  voice_speech: [
    {
      since: ['UPDATE voice_speech SET services = \'{"stt":"builtin"}\', api_key = NULL'],
      ...{ read: 'SELECT services FROM voice_speech', found: '{"stt":"builtin"}', foundInFacts: undefined },
    },
    {
      since: ["UPDATE voice_speech SET api_key = x'0209090909090909'"],
      ...{ read: 'SELECT hex(api_key) FROM voice_speech', found: '0209090909090909', foundInFacts: undefined },
    },
    { since: [], read: 'SELECT COUNT(*) FROM voice_speech', found: 1 },
  ],
  instance_line_settings: [
    {
      then: [
        "UPDATE instance_line_settings SET proxy_type = 'http', proxy_host = 'old.example', proxy_sealed = x'0101010101010101'",
      ],
      since: [
        "UPDATE instance_line_settings SET proxy_host = 'new.example', proxy_sealed = x'0109090909090909', per_minute = 3",
      ],
      read: 'SELECT proxy_host || hex(proxy_sealed) || per_minute FROM instance_line_settings',
      ...{ found: 'new.example01090909090909093', foundInFacts: 'new.example3' },
    },
    {
      then: ["UPDATE instance_line_settings SET proxy_type = 'http', proxy_host = 'old.example', proxy_port = 1"],
      since: [
        'UPDATE instance_line_settings SET proxy_type = NULL, proxy_host = NULL, proxy_port = NULL, proxy_sealed = NULL',
      ],
      ...{ read: "SELECT COALESCE(proxy_host, '-') FROM instance_line_settings", found: '-' },
    },
    {
      then: ["UPDATE instance_line_settings SET per_minute = 9, proxy_sealed = x'0201010101010101'"],
      since: ['UPDATE instance_line_settings SET per_minute = 3'],
      read: 'SELECT per_minute || hex(proxy_sealed) FROM instance_line_settings',
      found: '30201010101010101',
    },
    {
      then: ['DELETE FROM instance_line_settings'],
      since: [
        "INSERT INTO instance_line_settings VALUES ('ins', 3, 1, NULL, NULL, NULL, 1, 'http', 'new.example', 1, NULL, 1)",
      ],
      ...{ read: 'SELECT proxy_host || per_minute FROM instance_line_settings', found: 'new.example3' },
    },
    {
      since: ['DELETE FROM instance_line_settings'],
      ...{ read: 'SELECT COUNT(*) FROM instance_line_settings', found: 0 },
    },
  ],
  brands: [
    {
      then: ['UPDATE brands SET allowed_origins = \'["https://old"]\''],
      since: ["UPDATE brands SET allowed_origins = '[]'"],
      ...{ read: 'SELECT allowed_origins FROM brands', found: '[]' },
    },
  ],
  voice_widgets: [
    { since: ["DELETE FROM voice_widgets WHERE id = 'both'"], read: 'SELECT id FROM voice_widgets', found: 'then' },
    {
      since: ["UPDATE voice_widgets SET allowed_origins = '[\"https://one\"]', daily_cap = 3 WHERE id = 'both'"],
      ...{
        read: "SELECT allowed_origins || daily_cap FROM voice_widgets WHERE id = 'both'",
        found: '["https://one"]3',
      },
    },
  ],
  message_budgets: [
    {
      since: ["INSERT OR REPLACE INTO message_budgets VALUES ('acc', 5000000, 'usd', 80, NULL, NULL, 1)"],
      ...{ read: 'SELECT amount_micros FROM message_budgets', found: 5_000_000 },
    },
    {
      // It is money of the client: where nothing else is known, the limit of the backup holds.
      then: ["INSERT OR REPLACE INTO message_budgets VALUES ('acc', 5000000, 'usd', 80, NULL, NULL, 1)"],
      since: ['DELETE FROM message_budgets'],
      ...{ read: 'SELECT COUNT(*) FROM message_budgets', found: 0, foundInFacts: 1 },
    },
  ],
  opt_out_questions: [
    {
      then: ["UPDATE opt_out_questions SET account_id = 'acc', number = 'q' || seq, dismissed_at = NULL"],
      since: [
        `INSERT INTO opt_out_questions (seq, account_id, instance_id, number, chat, message_id, text, created_at)
          VALUES (9, 'acc', 'ins', 'q9', '+9', 'msg_9', 'Please stop', 1)`,
        "UPDATE opt_out_questions SET dismissed_at = 5 WHERE number = 'q1'",
        "DELETE FROM opt_out_questions WHERE number = 'q2'",
      ],
      read: `SELECT group_concat(number || ' ' || text || ' ' || COALESCE(dismissed_at, 'open'), ',' ORDER BY seq)
        FROM opt_out_questions`,
      found: 'q1 then-then 5,q9 Please stop open',
      foundInFacts: 'q1 then-then 5,q9  open',
    },
  ],
  voice_recordings: [
    {
      since: ["DELETE FROM voice_recordings WHERE id = 'both'"],
      read: 'SELECT id FROM voice_recordings',
      found: 'then',
    },
  ],
  safety_claims: [{ since: [], read: 'SELECT COUNT(*) FROM safety_claims', found: 0 }],
  ai_turns: [
    {
      then: ["UPDATE ai_turns SET ended_at = NULL, state = CASE seq WHEN 1 THEN 'sending' ELSE 'waiting' END"],
      since: [],
      ...{
        read: "SELECT group_concat(state || ' ' || reason, ',' ORDER BY seq) FROM ai_turns",
        found: 'unknown restored,skipped restored',
      },
    },
  ],
  ai_evaluation_runs: [
    {
      then: ["UPDATE ai_evaluation_runs SET status = CASE seq WHEN 1 THEN 'running' ELSE 'completed' END"],
      since: [],
      read: "SELECT group_concat(status, ',' ORDER BY seq) FROM ai_evaluation_runs",
      found: 'failed,completed',
    },
  ],
  jobs: [
    {
      then: jobsOf('discarded'),
      ...{ since: [], read: JOBS_AND_LANES, found: 'canceled 0 1' },
    },
    {
      then: jobsOf('kept'),
      since: ["UPDATE jobs SET state = 'done'", 'UPDATE job_lanes SET waiting = 0'],
      ...{ read: JOBS_AND_LANES, found: 'done 0 0', foundInFacts: 'waiting 1 0' },
    },
    {
      then: jobsOf('restored'),
      since: ["UPDATE jobs SET state = 'done'", 'UPDATE job_lanes SET waiting = 0'],
      ...{ read: JOBS_AND_LANES, found: 'waiting 1 0' },
    },
  ],
  crm_outbox: [
    {
      then: ['UPDATE crm_outbox SET failed_at = NULL, error = NULL'],
      since: [],
      ...{ read: 'SELECT COUNT(*) FROM crm_outbox WHERE failed_at IS NULL OR error IS NULL', found: 0 },
    },
  ],
  campaigns: [
    {
      then: ["UPDATE campaigns SET status = 'draft', pause_reason = NULL"],
      since: ["UPDATE campaigns SET status = 'running', next_position = 900 WHERE id = 'both'"],
      read: "SELECT status || ' ' || pause_reason || ' ' || next_position FROM campaigns WHERE id = 'both'",
      found: 'paused restored 900',
    },
    {
      then: ["UPDATE campaigns SET status = 'running', pause_reason = NULL"],
      since: ["UPDATE campaigns SET status = 'canceled' WHERE id = 'both'"],
      ...{ read: "SELECT status FROM campaigns WHERE id = 'both'", found: 'canceled' },
    },
    {
      then: [`UPDATE campaigns SET status = 'scheduled', pause_reason = NULL, scheduled_at = ${NOW_MS + 1}`],
      since: [`UPDATE campaigns SET scheduled_at = ${NOW_MS + 2} WHERE id = 'both'`],
      ...{ read: "SELECT group_concat(status, ',' ORDER BY id) FROM campaigns", found: 'paused,scheduled' },
    },
  ],
  campaign_recipients: [
    {
      then: [
        "UPDATE campaigns SET status = 'running', pause_reason = NULL",
        "UPDATE campaign_recipients SET status = 'pending', claimed_at = NULL",
      ],
      since: [
        "UPDATE campaign_recipients SET status = 'sending', claimed_at = 5",
        "UPDATE campaign_recipients SET status = 'sent', message_id = 'msg_1' WHERE position = 1",
      ],
      ...{ read: "SELECT group_concat(status, ',' ORDER BY position) FROM campaign_recipients", found: 'sent,unknown' },
    },
  ],
  campaign_counts: [
    {
      then: ["UPDATE campaign_recipients SET status = 'pending', replied_at = NULL, opted_out_at = NULL"],
      since: ["UPDATE campaign_recipients SET status = 'sent', variation = 1 WHERE position = 1"],
      read: "SELECT group_concat(pending || ' ' || sent, ',' ORDER BY variation) FROM campaign_counts WHERE campaign_id = 'both'",
      found: '1 0,0 1',
    },
  ],
  billing_orders: [
    {
      since: ["UPDATE billing_orders SET status = 'paid', payment_id = 'pi_9' WHERE id = 'both'"],
      ...{ read: "SELECT status || payment_id FROM billing_orders WHERE id = 'both'", found: 'paidpi_9' },
    },
    {
      since: addedTo('billing_orders', "id = 'since', seq = 9, checkout_id = NULL"),
      ...{ read: "SELECT seq FROM billing_orders WHERE id = 'since'", found: 9 },
    },
  ],
  entitlement_grants: [
    {
      since: ["DELETE FROM entitlement_grants WHERE source = 'then'", 'UPDATE entitlement_grants SET slots = 77'],
      ...{ read: 'SELECT group_concat(slots) FROM entitlement_grants', found: '77' },
    },
  ],
  billing_callbacks: [
    {
      since: ["INSERT INTO billing_callbacks VALUES ('evt', '', x'01', 1, 2)"],
      ...{ read: "SELECT processed_at FROM billing_callbacks WHERE event_id = 'evt'", found: 2 },
    },
  ],
  billing_clients: [
    {
      since: ["UPDATE billing_clients SET subscription_id = 'sub_9'"],
      ...{ read: 'SELECT subscription_id FROM billing_clients', found: 'sub_9' },
    },
  ],
}
