import { expect, test } from 'vitest'
import { LIMITS } from '../../main/contract/limits.ts'
import { jsonShape } from '../../main/kernel/json-shape.ts'
import { worldOfTest } from '../support/world.ts'

test.each(['{"metadata":{"__proto__":"x"}}', '{"metadata":{"constructor":{"prototype":"x"}}}'])(
  'a key that could reach a prototype is refused by name, not as broken JSON: %s',
  async (body) => {
    const { api } = await worldOfTest()
    const { status, body: answer } = await api('POST', '/v1/instances', body)
    expect(status).toBe(400)
    expect(answer.error).toMatchObject({ code: 'validation_error', message: expect.stringContaining('__proto__') })
  },
)

test('a truncated body is broken JSON', async () => {
  const { api } = await worldOfTest()
  const { body } = await api('POST', '/v1/instances', '{"name":')
  expect(body.error.code).toBe('invalid_json')
})

const listOf = (count: number) => `[${'{},'.repeat(count / 2 - 1)}{}]`
const objectOf = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 1])))

test.each([
  ['values', `{"metadata":${listOf(200_000)}}`, 'more than 100000 values. Split it'],
  ['fields of one object', `{"metadata":${objectOf(1_001)}}`, 'more than 1000 fields'],
  ['levels', `{"metadata":${'['.repeat(101)}${']'.repeat(101)}}`, 'deeper than 100 levels'],
])(
  'a body with too many %s is refused before it is parsed, and the error says what is too many',
  async (_name, text, said) => {
    const { api } = await worldOfTest()
    const { status, body } = await api('POST', '/v1/instances', text)
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    expect(body.error.message).toContain(said)
  },
)

test('ten thousand recipients with half a dozen variables each are within the limit', () => {
  const variables = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`v${at}`, 'some']))
  const recipients = Array.from({ length: LIMITS.campaignRecipients }, () => ({ phone: '12025550123', variables }))
  const limits = { values: LIMITS.bodyValues, depth: 100 }
  expect(jsonShape(Buffer.from(JSON.stringify({ recipients })), limits).values).toBeLessThan(LIMITS.bodyValues)
})
