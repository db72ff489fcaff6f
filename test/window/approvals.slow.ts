import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

let w: ConsoleWindow
beforeAll(async () => {
  w = await openConsole()
})
afterAll(() => w.remove())

/** An assistant whose key asks before it sends. Only the window makes such keys. */
async function assistant(): Promise<Client> {
  const key = await w.page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch('/panel/v1/keys', { method: 'POST', headers, body })
      return ((await answer.json()) as { key: string }).key
    },
    JSON.stringify({
      name: 'Assistant',
      scopes: ['dispatch:manage', 'messages:send', 'voice:manage'],
      approval: 'sending',
    }),
  )
  const client = new Client({ name: 'window-test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${w.url}/mcp`), { requestInit }))
  return client
}

test('a campaign that changed after the request is shown in its current state, and starts only after a second review', async () => {
  const { page, api } = w
  const line = await pairedInstance(api, '12025550170', 'Florist')
  const draft = { instance_ids: [line], name: 'Offer', messages: [{ text: 'One text' }] }
  const people = [{ phone: '12025554107' }, { phone: '12025554108' }]
  const { campaign_id: id } = (await api('POST', '/v1/campaigns', { ...draft, recipients: people.slice(1) })).body
  const status = async () => (await api('GET', `/v1/campaigns/${id}`)).body.status
  const client = await assistant()
  await client.callTool({ name: 'start_campaign', arguments: { campaign_id: id } })

  await w.open('/assistants/approvals')
  const card = page.getByRole('article')
  await card.getByText('“One text”').waitFor()
  await api('PATCH', `/v1/campaigns/${id}`, { messages: [{ text: 'Another text' }], recipients: people })
  await card.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('has changed since the assistant asked').first().waitFor()
  await card.getByText('“Another text”').waitFor()
  await card.getByText('2 people').waitFor()
  expect(await status()).toBe('draft')

  await card.getByRole('button', { name: 'Approve' }).click()
  await card.getByText('Approved').waitFor()
  await expect.poll(status).not.toBe('draft')
  await client.close()
})

test('an approval describes the tool call and its result in plain words, with names instead of IDs', async () => {
  const { page, api } = w
  const line = await pairedInstance(api, '12025550173', 'Optician')
  const agent = (await api('POST', `/v1/instances/${line}/ai/agents`, { name: 'Reception', provider: 'builtin' })).body
    .id
  const client = await assistant()
  const asked = {
    ...{ instance_id: line, receive_enabled: true, receive_agent_id: agent, keep_recordings_days: null },
    calling_hours: { start: '09:00', end: '18:00', timezone: 'UTC', days: [1, 2] },
  }
  await client.callTool({ name: 'update_voice_settings', arguments: asked })
  await page.setViewportSize({ width: 1280, height: 900 })
  await w.open('/assistants/approvals')
  const card = page.getByRole('article').filter({ hasText: 'Optician' })
  const facts = card.locator('dl')
  await facts.getByText('“Reception”', { exact: false }).waitFor()
  expect(await facts.innerText()).toMatch(/Answer calls\s+Yes/)
  expect(await facts.innerText()).toMatch(/Keep recordings, in days\s+none/)
  expect(await facts.innerText()).not.toContain(agent)
  await card.getByRole('button', { name: 'Approve' }).click()
  const result = card.getByRole('group', { name: 'Result' })
  await result.waitFor()
  expect(await result.innerText()).toMatch(/Answered by: “Reception”/)
  expect(await result.innerText()).toContain('Answer calls: Yes')
  expect(await result.innerText()).not.toMatch(/[{}"]|_|[0-9a-f]{8}-/)
  await client.close()
})

test('on a phone, the description of a tool call uses the full width of the card', async () => {
  const { page, api } = w
  const number = { engine: 'official', name: 'Bakery Luz, the shop in the old town' }
  const line = (await api('POST', '/v1/instances', number)).body.id
  await api('POST', `/v1/sandbox/instances/${line}/onboard`, { number: '12025550172' })
  const client = await assistant()
  const cloud_api = { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }
  await client.callTool({ name: 'send_message', arguments: { instance_id: line, to: '12025554107', cloud_api } })
  await page.setViewportSize({ width: 390, height: 900 })
  const widthOf = async (what: ReturnType<typeof page.locator>) => (await what.boundingBox())?.width ?? 0
  for (const language of ['en', 'es', 'pt-BR']) {
    await page.evaluate((chosen) => localStorage.setItem('switchboard.language', chosen), language)
    await page.reload()
    await w.open('/assistants/approvals')
    const card = page.getByRole('article').filter({ hasText: 'hello_world' })
    await card.waitFor()
    const facts = await card.locator('dd').all()
    expect(facts).toHaveLength(3)
    for (const fact of facts) expect(await widthOf(fact)).toBeGreaterThan(0.75 * (await widthOf(card)))
  }
  await client.close()
})
