import { expect, test } from 'vitest'
import { limitOperations } from '../../main/faces/operation-route.ts'
import type { AccountId } from '../../main/kernel/ids.ts'

test('an account with too many requests in progress is refused more, and other accounts are answered', async () => {
  const limit = limitOperations({ inAll: 10, perAccount: 2 })
  const slow = Promise.withResolvers<string>()
  const [busy, other] = ['busy', 'other'] as AccountId[]
  const answers = [limit(busy!, () => slow.promise), limit(busy!, () => slow.promise)]

  await expect(limit(busy!, () => Promise.resolve('third'))).rejects.toMatchObject({
    code: 'service_unavailable',
    message:
      'Too many requests of this account are in progress (up to 2, fewer while others need them). Repeat the call in a second.',
    headers: { 'retry-after': '1' },
  })
  expect(await limit(other!, () => Promise.resolve('answered'))).toBe('answered')
  slow.resolve('slow')
  expect(await Promise.all(answers)).toEqual(['slow', 'slow'])
  expect(await limit(busy!, () => Promise.resolve('third'))).toBe('third')
})
