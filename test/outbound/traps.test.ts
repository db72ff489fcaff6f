import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Config } from '../../main/config.ts'
import type { ConsoleRole } from '../../main/contract/operation.ts'
import { testAgents } from '../support/voice.ts'
import { worldOfTest, type World } from '../support/world.ts'

/** Every field that takes an address, as everybody who may fill it in, with a listener inside that must not hear of it. */

type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>

const asRole =
  ({ service, account }: World, role: ConsoleRole): Ask =>
  (method, path, body) =>
    service.door.call(
      {
        ...{ kind: 'console', role, accountId: account.id, accountName: account.name, key: null, scopes: [] },
        ...{ allowedInstanceIds: null, ratePerMinute: 1_000_000, source: 'console' },
      },
      { method, path, ...(body && { body }) },
    )

async function trap() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

async function setUp(settings: Partial<Config> = {}) {
  const inside = await trap()
  const w = await worldOfTest({
    settings,
    voiceAgents: testAgents(),
    resolve: async (host) => (host === 'inside.example' ? ['127.0.0.1'] : []),
    dial: (address, port) => ({ address, port }),
  })
  const { id } = await w.instance()
  const callers = {
    key: (method: string, path: string, body?: object) => w.api(method, path, body),
    member: asRole(w, 'member'),
    operator: asRole(w, 'operator'),
  } satisfies Record<string, Ask>
  return { w, id, inside, callers }
}

const hostsOf = (port: number) =>
  ['127.0.0.1', '127.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'inside.example'].map(
    (host) => `${host}:${port}`,
  )

test('X-09 no internal address is reached, whichever caller saves, checks and uses it', async () => {
  const { w, id, inside, callers } = await setUp()
  const agent = (
    await w.api('POST', `/v1/instances/${id}/ai/agents`, { name: 'Ana', provider: 'builtin', model: 'rules' })
  ).body
  const of = `/v1/instances/${id}`
  for (const [caller, ask] of Object.entries(callers))
    for (const host of hostsOf(inside.port)) {
      const refused = async (method: string, path: string, body: object) => {
        const { status, body: answer } = await ask(method, path, body)
        expect(status, `${caller}: ${method} ${path} ${JSON.stringify(body)} ${JSON.stringify(answer)}`).toBe(400)
      }
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}/v1`
        await refused('PUT', `${of}/ai/provider-keys/openai`, { api_key: 'sk-test', base_url: url })
        // The operator may use a server of models on this computer.
        if (caller !== 'operator') await refused('PUT', `${of}/ai/provider-keys/custom`, { base_url: url })
        await refused('POST', '/v1/webhooks', { name: 'a', url, events: ['*'] })
        await refused('PUT', `${of}/crm-webhook`, { url })
      }
      if (caller === 'key') continue
      for (const url of [
        `http://${host}/{p}`,
        `https://${host}/{p}`,
        'https://{p}.example/',
        ' https://{p}/',
        'https://8.8.8.8/ ',
      ])
        await refused('POST', `${of}/ai/agents/${agent.id}/http-tools`, {
          ...{ name: 'look', description: 'Looks.', method: 'GET', url },
          parameters: [{ name: 'p', type: 'string', description: 'x', required: true }],
        })
      const ws = host.replace(/^/, 'wss://')
      await refused('PUT', '/v1/voice/speech', {
        brain: 'pipeline',
        stt_url: `http://${host}`,
        tts_url: `https://${host}`,
      })
      await refused('PUT', '/v1/voice/speech', {
        brain: 'pipeline',
        stt_url: `https://${host}`,
        tts_url: `https://${host}`,
      })
      await refused('PUT', '/v1/voice/speech', { brain: 'realtime', realtime_url: ws })
      await refused('PUT', '/v1/voice/speech', { brain: 'realtime', realtime_url: ws.replace('wss', 'ws') })
      const name = host.replace(/:\d+$/, '').replaceAll(/[[\]]/g, '')
      for (const transport of ['tcp', 'tls', 'wss'])
        await refused('PUT', `${of}/voice/trunk`, {
          ...{ host: name, port: inside.port, transport, username: '1001', password: 'right' },
        })
    }
  await callers.member('POST', `${of}/voice/check`)
  expect(inside.connections()).toBe(0)
})

test('only the operator may use a trusted range for speech, and the key is not reused for another host', async () => {
  const { id, inside, callers } = await setUp({ trustedRanges: ['127.0.0.0/8'] })
  const { member, operator, key } = callers
  const check = (ask: Ask) => ask('POST', `/v1/instances/${id}/voice/check`)
  const url = `http://127.0.0.1:${inside.port}/v1`
  const speech = { brain: 'pipeline', stt_url: url, tts_url: url }

  expect((await member('PUT', '/v1/voice/speech', speech)).body.error.code).toBe('invalid_url')
  expect((await key('PUT', `/v1/instances/${id}/ai/provider-keys/custom`, { base_url: url })).status).toBe(400)
  expect((await member('PUT', `/v1/instances/${id}/ai/provider-keys/custom`, { base_url: url })).status).toBe(400)
  expect(inside.connections()).toBe(0)

  expect((await operator('PUT', '/v1/voice/speech', { ...speech, api_key: 'sk-secret' })).status).toBe(200)
  const checked = (await check(operator)).body.checks.find(({ code }: any) => code === 'speech')
  expect(checked).toMatchObject({ status: 'error', reason: 'pipeline_failed' })
  expect(inside.connections()).toBeGreaterThan(0)

  const kept = await member('PUT', '/v1/voice/speech', { ...speech, tts_voice: 'nova' })
  expect(kept.body).toMatchObject({ tts_url: url, tts_voice: 'nova', key_configured: true })
  const elsewhere = { ...speech, tts_url: 'https://8.8.8.8/v1', stt_url: 'https://8.8.8.8/v1' }
  const moved = await operator('PUT', '/v1/voice/speech', elsewhere)
  expect(moved.body.error).toMatchObject({ code: 'validation_error', message: expect.stringContaining('api_key') })
  expect((await member('PUT', '/v1/voice/speech', elsewhere)).status).toBe(400)
  expect((await member('PUT', '/v1/voice/speech', { ...elsewhere, api_key: null })).body.key_configured).toBe(false)
})

test('only the operator may set a trunk in a trusted range, and its password is not reused for another host', async () => {
  const { id, callers } = await setUp({ trustedRanges: ['127.0.0.0/8'] })
  const { member, operator } = callers
  const path = `/v1/instances/${id}/voice/trunk`
  const trunk = { host: '127.0.0.1', port: 5061, transport: 'tls', username: '1001' }
  const password = 'right'

  expect((await member('PUT', path, { ...trunk, password })).body.error.code).toBe('invalid_url')
  expect((await operator('PUT', path, { ...trunk, password })).body.trunk).toMatchObject({ password_configured: true })
  expect((await member('PUT', path, { ...trunk, caller_id: '12025550100' })).status).toBe(200)
  for (const change of [{ host: '8.8.8.8' }, { port: 5060 }, { transport: 'tcp' }]) {
    const { error } = (await operator('PUT', path, { ...trunk, ...change })).body
    expect(error).toMatchObject({ code: 'validation_error', message: expect.stringContaining('password') })
  }
  expect((await member('PUT', path, { ...trunk, port: 5060, password })).body.error.code).toBe('invalid_url')
  expect((await operator('PUT', path, { ...trunk, host: '8.8.8.8', password })).status).toBe(200)
})
