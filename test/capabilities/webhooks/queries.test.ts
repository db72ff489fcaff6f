import { expect, test } from 'vitest'
import '../../../main/capabilities/webhooks/index.ts'
import { declaredStatements } from '../../../main/kernel/sql.ts'
import { testDatabase } from '../../support/database.ts'

const GROWING = ['deliveries', 'delivery_attempts', 'events']

/** Doctor reads everything; its statements say so in their first words. */
const isInvariant = (text: string) => /^SELECT [dw]\.id FROM (deliveries d|webhooks w)\s/.test(text.trim())

test('every statement of the room finds its rows through an index', async () => {
  const { raw, close } = await testDatabase()
  try {
    const texts = declaredStatements()
      .map(({ text }) => text)
      .filter((text) => /\b(webhooks|deliveries|delivery_attempts)\b/.test(text) && !isInvariant(text))
    expect(texts.length).toBeGreaterThan(30)
    const sorting: string[] = []
    for (const text of texts) {
      const names = [...text.matchAll(/:([A-Za-z_]\w*)/g)].map(([, name]) => [name, 1])
      const plan = raw.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(Object.fromEntries(names))
      for (const { detail } of plan) {
        const scanned = /^SCAN (\w+)(?! USING)/.exec(detail)?.[1] ?? ''
        expect([...GROWING, 'd', 'a', 'e', 'w', 'webhooks'], text).not.toContain(scanned)
        if (detail.includes('TEMP B-TREE')) sorting.push(text)
      }
    }
    // Retries are served oldest first whatever their due time; no index can give both, so what is due is sorted.
    expect(sorting).toHaveLength(1)
    expect(sorting[0]).toContain('lane = 1')
  } finally {
    await close()
  }
})
