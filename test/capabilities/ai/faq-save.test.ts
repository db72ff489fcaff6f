import { expect, test } from 'vitest'
import { createFaq, type Place } from '../../../main/capabilities/ai-knowledge/faq.ts'
import { faqCount } from '../../../main/capabilities/ai-knowledge/faq-store.ts'
import type { Tx } from '../../../main/kernel/db.ts'

test('the entries are counted once per portion, however many of it do not fit', async () => {
  let counts = 0
  const one = async (statement: unknown) => (statement === faqCount ? { count: 5_000 * ++counts } : undefined)
  const faq = createFaq({ onChange() {} } as unknown as Parameters<typeof createFaq>[0])
  const entries = Array.from({ length: 100 }, (_, i) => ({ question: `Question ${i}?`, answer: 'Yes.' }))
  const place = { instanceId: 'instance', accountId: 'account' } as Place
  expect(await faq.save({ one } as unknown as Tx, place, entries)).toEqual(entries.map(() => 'too_many'))
  expect(counts).toBe(1)
})
