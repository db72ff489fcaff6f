import { expect, test } from 'vitest'
import { world, worldOfTest, type World } from '../../support/world.ts'

const read = async (w: World, key?: string) =>
  (await w.api('GET', '/v1/sandbox/model', undefined, key === undefined ? {} : { key })).body

/** What the sandbox model answers to a program on this computer. */
async function ask({ local_url: url, api_key: key }: { local_url: string; api_key: string }, text: string) {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-1', messages: [{ role: 'user', content: text }] }),
  })
  const body = (await response.json()) as { choices?: { message: { content: string } }[] }
  return { status: response.status, text: body.choices?.[0]?.message.content }
}

test('a program calls the sandbox model with the address and key that the service provides', async () => {
  const w = await worldOfTest()
  const model = await read(w)
  expect(model).toMatchObject({
    base_url: 'https://model.sandbox/v1',
    local_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
    queued_replies: 0,
    requests: [],
  })
  expect(model.models).toContain('sandbox-1')
  expect(await ask(model, 'Hello, do you sell tractors?')).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^I do not have/),
  })
  expect((await read(w)).requests).toEqual([
    {
      at: new Date(w.clock.now()).toISOString(),
      path: '/v1/chat/completions',
      model: 'sandbox-1',
      status: 200,
      fault: null,
    },
  ])
})

test('replies and faults apply only to the account, are used once each, and end with a reset', async () => {
  const w = await worldOfTest()
  const other = await w.stranger()
  const [mine, theirs] = [await read(w), await read(w, other.key)]
  expect(mine.api_key).not.toBe(theirs.api_key)

  const replies = [{ text: 'First.' }, { text: 'Second.' }]
  expect((await w.api('POST', '/v1/sandbox/model/replies', { replies })).body).toEqual({ queued_replies: 2 })
  const fault = await w.api('POST', '/v1/sandbox/model/faults', { kind: 'rate_limited' })
  expect(fault).toMatchObject({ status: 200, body: { kind: 'rate_limited', times: 1 } })
  expect(await ask(theirs, 'Hi, is there a tractor?')).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^I do not have/),
  })
  expect(await ask(mine, 'Hi')).toMatchObject({ status: 429 })
  expect(await ask(mine, 'Hi')).toMatchObject({ status: 200, text: 'First.' })

  await w.api('POST', '/v1/sandbox/model/faults', { kind: 'server_error', times: 1_000 })
  expect((await w.api('DELETE', '/v1/sandbox/model')).status).toBe(204)
  expect(await ask(mine, 'Hi, is there a tractor?')).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^I do not have/),
  })
  expect(await read(w)).toMatchObject({ queued_replies: 0, requests: [{ status: 200 }] })
})

test('at most 1,000 replies wait', async () => {
  const w = await worldOfTest()
  const replies = Array.from({ length: 100 }, () => ({ text: 'Yes.' }))
  for (let times = 0; times < 10; times++) await w.api('POST', '/v1/sandbox/model/replies', { replies })
  const more = await w.api('POST', '/v1/sandbox/model/replies', { replies: [{ text: 'No.' }] })
  expect(more).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
  expect((await read(w)).queued_replies).toBe(1_000)
})

test('the model stops listening with the service', async () => {
  const w = await world()
  const model = await read(w)
  await w.close()
  await expect(ask(model, 'Hi')).rejects.toThrow('fetch failed')
})

test('an occupied port ends the start with advice', async () => {
  const w = await worldOfTest()
  const port = Number(new URL((await read(w)).local_url).port)
  await expect(world({ seed: 3, settings: { sandboxModelPort: port } })).rejects.toThrow(
    /The sandbox model can't listen: .*Choose another sandbox\.model_port\./,
  )
})
