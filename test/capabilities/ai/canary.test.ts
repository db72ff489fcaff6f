import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Log } from '../../../main/kernel/log.ts'
import { logThrough } from '../../../main/kernel/log.ts'
import { asConsole } from '../../support/console.ts'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { worldOfTest } from '../../support/world.ts'
import { lineIn } from './ai-world.ts'

const CANARIES = { key: 'sk-canary-5e1f0a97', secret: 'canary-secret-77d0', prompt: 'CANARY-PROMPT-31c8' }

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const found = statSync(path)
    return found.isDirectory() ? filesIn(path) : found.isFile() ? [path] : []
  })
}

test('no key or secret is in any answer, log, event or file of the home, and no prompt in what people or webhooks get', async () => {
  const lines: string[] = []
  const log: Log = logThrough((_level, fields) => void lines.push(JSON.stringify(fields)))
  const w = await worldOfTest({ log })
  const line = await lineIn(w, { agent: { name: 'B', provider: 'builtin', system_prompt: CANARIES.prompt } })
  await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/canary', events: ['*'] })
  for (const provider of ['openai', 'anthropic', 'google', 'openrouter'])
    await line.ai('PUT', `provider-keys/${provider}`, { api_key: CANARIES.key })
  await w.api('PUT', `/v1/instances/${line.instanceId}/ai/provider-keys/custom`, {
    ...{ api_key: CANARIES.key, base_url: 'https://model.sandbox/v1' },
  })
  const [{ id }] = (await line.ai('GET', 'agents')).data
  await line.inWindow('POST', `agents/${id}/http-tools`, {
    ...{
      name: 'orders',
      description: 'x',
      method: 'GET',
      url: 'https://catcher.sandbox/canary',
      secret: `Bearer ${CANARIES.secret}`,
    },
  })
  await line.ask('qual o horário?')
  await line.ask('vocês fazem tatuagem de henna?')
  const heard = await line.heard()

  const said: string[] = []
  for (const operation of CONTRACTS.flatMap(({ operations }) => Object.values(operations)).filter(
    ({ method }) => method === 'GET',
  )) {
    const path = operation.path
      .replace('{id}', operation.path.startsWith('/v1/instances/') ? line.instanceId : 'unknown')
      .replace('{agent_id}', id)
      .replace('{phone}', line.person)
      .replaceAll(/\{\w+\}/g, 'unknown')
    const { body, headers } = await asConsole(w)('GET', path)
    said.push(JSON.stringify([body, headers]))
  }
  const caught = await w.caught('canary')
  const events = await w.events()
  const everywhere = [...said, ...lines, ...heard, JSON.stringify([caught, events])].join('\n')
  expect(said.length).toBeGreaterThan(60)
  for (const word of [CANARIES.key, CANARIES.secret, CANARIES.key.slice(-6)]) expect(everywhere).not.toContain(word)
  expect([...lines, ...heard, JSON.stringify([caught, events])].join('\n')).not.toContain(CANARIES.prompt)
  for (const file of filesIn(w.home)) {
    const bytes = readFileSync(file).toString('latin1')
    for (const word of [CANARIES.key, CANARIES.secret]) expect(bytes.includes(word), file).toBe(false)
  }
})
