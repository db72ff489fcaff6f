import { afterAll, beforeAll, expect, test } from 'vitest'
import '../../../main/engines/sandbox/graph/index.ts'
import '../../../main/engines/sandbox/index.ts'
import { declaredStatements } from '../../../main/kernel/sql.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { queryPlan } from '../../support/query-plan.ts'

let data: TestDatabase
beforeAll(async () => {
  data = await testDatabase()
})
afterAll(() => data.close())

/** What stands in for GoHighLevel and Stripe is no part of the sandbox network. */
const OTHERS = /sandbox_(ghl|stripe)_/

/** Read whole, once, when the service starts: one row for each instance, each fault that is set, and each timer of a chat. */
const READ_WHOLE = /^SELECT [\s\S]*FROM sandbox_(lines|faults|graph_numbers|timers)\s*$/

const statements = declaredStatements()
  .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())
  .filter((text) => text.includes('sandbox_') && !OTHERS.test(text) && !READ_WHOLE.test(text))

test('every table of the sandbox is used by a query', () => {
  const tables = new Set(statements.join(' ').match(/sandbox_[a-z_]+/g))
  expect([...tables].toSorted()).toEqual([
    'sandbox_blocks',
    'sandbox_catchers',
    'sandbox_caught',
    'sandbox_channel_files',
    'sandbox_channel_followers',
    'sandbox_chats',
    'sandbox_community_groups',
    'sandbox_faults',
    'sandbox_files',
    'sandbox_graph_contact_book',
    'sandbox_graph_entries',
    'sandbox_graph_marketing_stops',
    'sandbox_graph_media',
    'sandbox_graph_numbers',
    'sandbox_graph_permissions',
    'sandbox_graph_portfolios',
    'sandbox_graph_reached',
    'sandbox_graph_sent',
    'sandbox_group_members',
    'sandbox_groups',
    'sandbox_join_requests',
    'sandbox_labels',
    'sandbox_lines',
    'sandbox_marks',
    'sandbox_messages',
    'sandbox_phones',
    'sandbox_pictures',
    'sandbox_profiles',
    'sandbox_templates',
    'sandbox_timeline',
    'sandbox_timers',
  ])
})

test.each(statements)('%s uses an index', (text) => {
  const plan = queryPlan(data.raw, { text })
  // The oldest messages are the first of their table: a scan that ends after `limit` rows.
  const scans = plan.filter(
    (step) =>
      /^SCAN (?!oldest|\(subquery|CONSTANT ROW|sandbox_messages$)/.test(step) && !step.includes('COVERING INDEX'),
  )
  expect(scans).toEqual([])
  expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
})
