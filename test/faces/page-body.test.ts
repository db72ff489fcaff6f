import { expect, test } from 'vitest'
import { worldOfTest } from '../support/world.ts'

test('a page of several rows is one whole JSON document, with the other lists beside its rows', async () => {
  const w = await worldOfTest()
  const since = '2020-01-01T00:00:00.000Z'
  for (const name of ['One', 'Two']) await w.api('POST', '/v1/instances', { name })
  const read = async () => {
    const { status, text } = await w.api('GET', `/v1/instances?updated_since=${since}`)
    expect(status, text).toBe(200)
    return JSON.parse(text) as { data: { id: string; name: string }[]; deleted: { id: string }[]; has_more: boolean }
  }
  const { data, deleted, has_more: hasMore } = await read()
  expect([data.map(({ name }) => name).toSorted(), deleted, hasMore]).toEqual([['One', 'Two'], [], false])
  await w.api('POST', '/v1/instances', { name: 'Three' })
  await w.api('DELETE', `/v1/instances/${data[0]?.id}?confirm=true`)
  const after = await read()
  expect([after.data.length, after.deleted.map(({ id }) => id)]).toEqual([2, [data[0]?.id]])
})
