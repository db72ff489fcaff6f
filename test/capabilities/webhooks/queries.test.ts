import { afterAll, beforeAll, expect, test } from 'vitest'
import { allOfAccount, filters } from '../../../main/capabilities/webhooks/deliveries.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { queryPlan } from '../../support/query-plan.ts'

let data: TestDatabase
beforeAll(async () => {
  data = await testDatabase()
})
afterAll(() => data.close())

/** What is done with deliveries; of everything else a page reads single rows by their keys. */
const stepsOf = (statement: { text: string }) =>
  queryPlan(data.raw, statement).filter((step) => /^(SEARCH|SCAN) d |TEMP B-TREE/.test(step))

const span = 'seq>? AND seq<?'
const INDEXES = {
  status: `deliveries_by_status (account_seq=? AND status=? AND ${span})`,
  type: `deliveries_by_type (account_seq=? AND event_type=? AND ${span})`,
  instance: `deliveries_of_instance (instance_seq=? AND ${span})`,
  webhook: `deliveries_of_webhook (webhook_seq=? AND ${span})`,
} as const
const names = Object.keys(INDEXES) as (keyof typeof INDEXES)[]

test.each(names)('deliveries by %s are found in their order through its index', (name) => {
  expect(stepsOf(filters[name].page)).toEqual([`SEARCH d USING INDEX ${INDEXES[name]}`])
})

test('all deliveries of an account are those of its four states, merged in their order', () => {
  const step = `SEARCH d USING INDEX ${INDEXES.status}`
  expect(stepsOf(allOfAccount)).toEqual([step, step, step, step])
  expect(queryPlan(data.raw, allOfAccount)).toContain('MERGE (UNION ALL)')
})

test.each(names)('how far deliveries by %s reach is read from their index alone', (name) => {
  expect(stepsOf(filters[name].boundary)).toEqual([`SEARCH d USING COVERING INDEX ${INDEXES[name]}`])
})
