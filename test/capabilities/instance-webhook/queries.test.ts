import { expect, test } from 'vitest'
import * as store from '../../../main/capabilities/instance-webhook/store.ts'
import { testDatabase } from '../../support/database.ts'
import { queryPlan } from '../../support/query-plan.ts'

const statements = Object.entries(store).flatMap(([name, value]) =>
  typeof value === 'object' && 'text' in value ? [[name, value.text] as const] : [],
)

test('every query uses an index and sorts nothing', async () => {
  const { raw, close } = await testDatabase()
  try {
    expect(statements.length).toBeGreaterThan(12)
    for (const [name, text] of statements.filter(([, each]) => !each.startsWith('INSERT'))) {
      const plan = queryPlan(raw, { text })
      for (const step of plan) {
        expect(step, name).not.toContain('TEMP B-TREE')
        // The oldest rows by key, and a list the statement itself made, are read from their beginning.
        if (name !== 'dropOld') expect(step, name).not.toMatch(/SCAN (instance_webhook\w*|c|n|e|events)\b(?! USING)/)
      }
      expect(
        plan.some((step) => step.includes('SEARCH')),
        `${name}: ${plan.join('; ')}`,
      ).toBe(true)
    }
  } finally {
    await close()
  }
})
