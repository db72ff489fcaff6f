import { expect, test } from 'vitest'
import { createGraphFiles } from '../../../main/engines/sandbox/graph/files.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { seededRandom } from '../../support/random.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'

test('the URL of a file expires after five minutes', async () => {
  const clock = fakeClock()
  const data = await testDatabase(undefined, { clock })
  const network = {
    official: { media: async () => ({ mimeType: 'image/png', filename: null, content: contentOf(Buffer.from('x')) }) },
  }
  const needs = { db: data.db, clock, random: seededRandom(), network: network as never, baseUrl: () => 'http://graph' }
  const files = createGraphFiles(needs)
  const number = { phoneNumberId: '1', instanceId: 'i', accountId: 'a' } as never
  const { body } = await files.describe(number, '7')
  const { searchParams } = new URL((body as { url: string }).url)
  await clock.advance(5 * 60_000)
  expect(await files.download([number], '7', searchParams)).toMatchObject({ status: 200 })
  await clock.advance(1)
  await expect(files.download([number], '7', searchParams)).rejects.toMatchObject({ status: 404 })
  await data.close()
})
