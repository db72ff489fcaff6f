import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '../../main/service.ts'
import { declaredStatements } from '../../main/kernel/sql.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { queryPlan } from '../support/query-plan.ts'

/** What is read without a search, or sorted, and why that stays cheap however much the home holds. */
const EXCEPTIONS: readonly { readonly step: string; readonly statement: RegExp; readonly why: string }[] = [
  {
    step: 'SCAN accounts USING INDEX sqlite_autoindex_accounts_1',
    statement: /^SELECT id, name FROM accounts ORDER BY id LIMIT 1$/,
    why: 'the first entry of the index',
  },
  {
    step: 'SCAN message_rates USING INDEX sqlite_autoindex_message_rates_1',
    statement: /^SELECT .* FROM message_rates ORDER BY country, category, valid_from$/,
    why: 'entered by hand: a few hundred countries and categories at most',
  },
  {
    step: 'SCAN approvals USING INDEX approvals_approved',
    statement: /^SELECT .* FROM approvals WHERE state = 'approved' AND boot <> :boot/,
    why: 'the index holds only calls that run, or ran when the service ended',
  },
  {
    step: 'SCAN crm_links',
    statement: /^SELECT .* FROM crm_links ORDER BY seq$/,
    why: 'once at start: a row for each number that is connected with a CRM',
  },
  {
    step: 'SCAN crm_states',
    statement: /^DELETE FROM crm_states WHERE (instance_id = :instanceId|account_id = :accountId)$/,
    why: 'it holds only the consent pages of the last minutes',
  },
  {
    step: 'SCAN crm_queues USING COVERING INDEX sqlite_autoindex_crm_queues_1',
    statement: /^SELECT id FROM crm_queues ORDER BY id$/,
    why: 'once at start: two rows for each connection with a CRM',
  },
  {
    step: 'SCAN sandbox_ghl_deliveries USING COVERING INDEX sandbox_ghl_deliveries_of_location',
    statement: /^SELECT DISTINCT location_id AS locationId FROM sandbox_ghl_deliveries/,
    why: 'once at start: what a simulator could not deliver before',
  },
  {
    step: 'SCAN instance_webhooks USING COVERING INDEX instance_webhooks_ended',
    statement: /^DELETE FROM instance_webhooks WHERE ended = 1/,
    why: 'the index holds only webhooks that were removed a moment ago',
  },
  {
    step: 'SCAN instance_webhook_calls',
    statement:
      /FROM \(SELECT event_seq, created_at, lease FROM instance_webhook_calls ORDER BY event_seq LIMIT :limit\)/,
    why: 'the oldest are the first of their table',
  },
  {
    step: 'SCAN sandbox_messages',
    statement: /FROM \(SELECT seq, sent_at FROM sandbox_messages ORDER BY seq LIMIT :limit\)/,
    why: 'the oldest are the first of their table',
  },
  {
    step: 'SCAN smv2_inbound',
    statement: /FROM \(SELECT seq, .* FROM smv2_inbound ORDER BY seq LIMIT :limit\)/,
    why: 'the oldest are the first of their table',
  },
  {
    step: 'SCAN smv2_sent',
    statement: /FROM \(SELECT seq, .* FROM smv2_sent ORDER BY seq LIMIT :limit\)/,
    why: 'the oldest are the first of their table',
  },
  {
    step: 'SCAN smv2_polls',
    statement: /FROM \(SELECT seq, .* FROM smv2_polls ORDER BY seq LIMIT :limit\)/,
    why: 'the oldest are the first of their table',
  },
  {
    step: 'SCAN smv2_waiting_votes',
    statement: /FROM \(SELECT seq, .* FROM smv2_waiting_votes ORDER BY seq LIMIT :limit\)/,
    why: 'the oldest are the first of their table',
  },
  {
    step: 'SCAN smv2_media',
    statement: /FROM \(SELECT seq, .* FROM smv2_media ORDER BY seq LIMIT :limit\)/,
    why: 'the oldest are the first of their table',
  },
  {
    step: 'SCAN voice_calls USING INDEX voice_calls_open',
    statement: /^SELECT COUNT\(\*\) AS inAll, .* FROM voice_calls/,
    why: 'the index holds only calls that run, 128 at most',
  },
  {
    step: 'USE TEMP B-TREE FOR GROUP BY',
    statement: /FROM job_lanes WHERE .* GROUP BY l\.account_id HAVING COUNT/,
    why: 'a node runs a few hundred jobs at most',
  },
  {
    step: 'USE TEMP B-TREE FOR GROUP BY',
    statement: /FROM price_sums WHERE .* GROUP BY day, country, category, kind/,
    why: 'the rows of a month or of a campaign: days, countries and categories, and no numbers',
  },
  {
    step: 'USE TEMP B-TREE FOR DISTINCT',
    statement: /^SELECT DISTINCT number_id AS numberId FROM price_counts/,
    why: 'the numbers of an account; read once a minute at most',
  },
  {
    step: 'SCAN jobs USING INDEX jobs_running',
    statement: /FROM jobs WHERE state = 'running' AND lease_owner NOT IN/,
    why: 'the index holds only running jobs',
  },
  {
    step: 'USE TEMP B-TREE FOR GROUP BY',
    statement: /FROM campaign_recipients WHERE campaign_id = :campaignId AND status = :status GROUP BY/,
    why: 'there are a dozen reasons',
  },
  {
    step: 'SCAN accounts USING COVERING INDEX accounts_suspended',
    statement: /^SELECT id FROM accounts WHERE status = 'suspended'$/,
    why: 'the index holds only suspended accounts; read once, when the service starts',
  },
  {
    step: 'SCAN accounts USING INDEX accounts_deleted',
    statement: /^SELECT id AS accountId FROM accounts WHERE deleted_at IS NOT NULL AND EXISTS/,
    why: 'the index holds only deleted accounts; read once, when the service starts',
  },
  { step: 'SCAN nodes', statement: /nodes (SET seen_at = :now )?WHERE/, why: 'one row for each node' },
  {
    step: 'SCAN sandbox_lines',
    statement: /^SELECT .* FROM sandbox_lines$/,
    why: 'read once, when the service starts',
  },
  {
    step: 'SCAN sandbox_timers',
    statement: /^SELECT .* FROM sandbox_timers$/,
    why: 'read once, when the service starts',
  },
  {
    step: 'SCAN sandbox_graph_numbers',
    statement: /^SELECT .* FROM sandbox_graph_numbers$/,
    why: 'read once, when the simulator starts',
  },
  {
    step: 'SCAN official_numbers',
    statement: /^SELECT .* FROM official_numbers$/,
    why: 'read once, when the service starts',
  },
  {
    step: 'SCAN sandbox_faults',
    statement: /^SELECT .* FROM sandbox_faults$/,
    why: 'read once, when the service starts',
  },
  {
    step: 'SCAN w USING INDEX webhooks_by_state',
    statement: /AS openCount FROM webhooks w WHERE w.deleted_at IS NULL ORDER BY w.state, w.seq$/,
    why: 'an account has ten webhooks at most',
  },
  {
    step: 'SCAN webhooks USING INDEX webhooks_by_state',
    statement: /^SELECT seq FROM webhooks WHERE deleted_at IS NULL ORDER BY state, seq$/,
    why: 'an account has ten webhooks at most',
  },
  {
    step: 'SCAN w USING INDEX webhooks_deleted',
    statement: /^SELECT w.seq FROM webhooks w WHERE w.deleted_at IS NOT NULL AND EXISTS/,
    why: 'webhooks are few, deleted ones too',
  },
  {
    step: 'USE TEMP B-TREE FOR ORDER BY',
    statement: /^SELECT seq FROM deliveries WHERE .* AND lane = 1 AND .* next_attempt_at <= :now/,
    why: 'retries are served oldest first whatever their due time, and no index gives both: what is due is sorted',
  },
  {
    step: 'SCAN approvals USING INDEX approvals_pending',
    statement:
      /^SELECT id, account_id AS accountId, expires_at AS expiresAtMs FROM approvals WHERE state = 'pending' AND expires_at > :now$/,
    why: 'the index holds only calls that wait for a person, five minutes at most',
  },
  {
    step: 'USE TEMP B-TREE FOR GROUP BY',
    statement: /^SELECT status, COUNT\(\*\) AS count FROM instances WHERE account_id = :accountId .* GROUP BY status$/,
    why: 'there are eight words to group by; the instances of the account are found by its index',
  },
  {
    step: 'SCAN CONSTANT ROW',
    statement: /^SELECT (CASE WHEN EXISTS \(SELECT 1 FROM messages m|v.chat AS chat FROM \(SELECT :value0 AS chat)/,
    why: 'reads no table: each value of a list, or the questions themselves, and each is answered by an index',
  },
  { step: 'SCAN d', statement: /^SELECT d.id FROM deliveries d /, why: 'an invariant: doctor reads everything' },
  { step: 'SCAN w', statement: /^SELECT w.id FROM webhooks w /, why: 'an invariant: doctor reads everything' },
]

const statements = declaredStatements().map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())
const searching = statements.filter((text) => !text.startsWith('INSERT'))

let data: TestDatabase
beforeAll(async () => {
  data = await testDatabase()
})
afterAll(() => data.close())

describe('every statement of every room', () => {
  test('is checked: each table that grows appears in some of them', () => {
    const tables = data.raw.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    const unread = (tables.pluck().all() as string[]).filter(
      (table) => !statements.some((text) => new RegExp(`\\b${table}\\b`).test(text)),
    )
    // Storage keeps these two by statements of its own: one row for each name, found by their primary keys.
    expect(unread).toEqual(['schema_migrations', 'counters'].filter((name) => unread.includes(name)))
    expect(searching.length).toBeGreaterThan(150)
  })

  test.each(searching)('%s', (text) => {
    const plan = queryPlan(data.raw, { text })
    expect(costly(plan).filter((step) => !exceptionFor(step, text))).toEqual([])
    expect(plan.some((step) => /^(SEARCH|SCAN) /.test(step))).toBe(true)
  })

  test.each(statements.filter((text) => text.startsWith('INSERT')))('%s', (text) => {
    expect(costly(queryPlan(data.raw, { text }))).toEqual([])
  })
})

test.each(EXCEPTIONS)('the exception is still needed: $step, $why', ({ step, statement }) => {
  const users = statements.filter(
    (text) => statement.test(text) && costly(queryPlan(data.raw, { text })).includes(step),
  )
  expect(users).not.toEqual([])
})

const exceptionFor = (step: string, text: string) =>
  EXCEPTIONS.find((each) => each.step === step && each.statement.test(text))

/** Steps that read more than they find. A list that the statement itself has made may be read to its end. */
function costly(plan: readonly string[]): string[] {
  const made = plan.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(step)?.[1] ?? [])
  return plan.filter((step) => {
    if (step.includes('TEMP B-TREE')) return true
    return step.startsWith('SCAN ') && !made.includes(step.slice('SCAN '.length))
  })
}
