import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, expect, test, vi } from 'vitest'
import { world } from '../support/world.ts'

afterEach(() => void vi.restoreAllMocks())

test('a large body is parsed, and its schema compiled, in different turns of the event loop', async () => {
  const w = await world()
  const { id } = await w.pair()
  const body = {
    ...{ instance_ids: [id], name: 'Offer', messages: [{ text: 'Hello' }] },
    recipients: Array.from({ length: 5_000 }, (_, at) => ({ phone: `+1202${5_550_000 + at}`, name: `Person ${at}` })),
  }

  let turn = 0
  const count = () => {
    turn++
    if (turn > 0) setImmediate(count)
  }
  setImmediate(count)
  const turns: Record<string, number> = {}
  const { parse } = JSON
  vi.spyOn(JSON, 'parse').mockImplementation((text: string, reviver?) => {
    if (text.length > 100_000) turns['parsed'] ??= turn
    return parse(text, reviver) as unknown
  })
  const compile = Ajv2020.prototype.compile
  vi.spyOn(Ajv2020.prototype, 'compile').mockImplementation(function (this: Ajv2020, ...given) {
    turns['compiled'] = turn
    return compile.apply(this, given)
  })

  const answer = await w.api('POST', '/v1/campaigns', body)
  const { parsed = 0, compiled = 0 } = turns
  turn = -Infinity
  expect(answer.status).toBe(201)
  expect(parsed).toBeGreaterThan(0)
  expect(compiled).toBeGreaterThan(parsed)
  await w.close()
})
