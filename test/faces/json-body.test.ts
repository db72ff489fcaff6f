import { expect, test } from 'vitest'
import { worldOfTest } from '../support/world.ts'

test.each(['{"metadata":{"__proto__":"x"}}', '{"metadata":{"constructor":{"prototype":"x"}}}'])(
  'a key that could reach into a prototype is refused by name, not as broken JSON: %s',
  async (body) => {
    const { api } = await worldOfTest()
    const { status, body: answer } = await api('POST', '/v1/instances', body)
    expect(status).toBe(400)
    expect(answer.error).toMatchObject({ code: 'validation_error', message: expect.stringContaining('__proto__') })
  },
)

test('a body that breaks off is broken JSON', async () => {
  const { api } = await worldOfTest()
  const { body } = await api('POST', '/v1/instances', '{"name":')
  expect(body.error.code).toBe('invalid_json')
})
