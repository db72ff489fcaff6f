import { expect, onTestFinished, test } from 'vitest'
import { systemResolve } from '../../../main/outbound/outbound.ts'
import { asConsole } from '../../support/console.ts'
import { startProxy } from '../../support/proxy.ts'
import { until } from '../../support/service-process.ts'
import { startWhatsApp } from '../../support/whatsapp/index.ts'
import { worldOfTest } from '../../support/world.ts'
import { clientOf } from './agency-world.ts'

/** Settings of an instance whose address is checked before they are stored. */
const SETTINGS = [
  {
    table: 'instance_line_settings',
    method: 'PATCH',
    path: 'line-settings',
    body: (port: number) => ({ proxy: { type: 'socks5', host: 'slow.example', port } }),
  },
  {
    table: 'instance_webhooks',
    method: 'PUT',
    path: 'webhook',
    body: () => ({ url: 'https://slow.example/hook', events: ['MESSAGE'] }),
  },
  {
    table: 'ai_provider_keys',
    method: 'PUT',
    path: 'ai/provider-keys/custom',
    body: () => ({ base_url: 'https://slow.example/v1' }),
  },
  { table: 'crm_links', method: 'PUT', path: 'crm-webhook', body: () => ({ url: 'https://slow.example/crm' }) },
  {
    table: 'ai_http_tools',
    method: 'POST',
    path: 'ai/agents/{agent}/http-tools',
    body: () => ({ name: 'orders', description: 'Looks up an order.', method: 'GET', url: 'https://slow.example/' }),
  },
  {
    table: 'voice_trunks',
    method: 'PUT',
    path: 'voice/trunk',
    body: () => ({ host: 'slow.example', port: 5061, transport: 'tls', username: '1001', password: 'example' }),
  },
] as const

const CASES = SETTINGS.flatMap((setting) => (['transferred', 'deleted'] as const).map((how) => ({ ...setting, how })))

test.each(CASES)(
  'a change of $path that waits for a check is refused if the number was $how meanwhile',
  async (one) => {
    const { table, method, path, body, how } = one
    const whatsapp = await startWhatsApp()
    whatsapp.takeRoute()
    onTestFinished(() => whatsapp.close())
    const server = await startProxy('socks5', { to: whatsapp.route.port })
    onTestFinished(() => server.close())
    const { promise: address, resolve: letGo } = Promise.withResolvers<string[]>()
    let isAsked = false
    const w = await worldOfTest({
      resolve: (name) => {
        if (name !== 'slow.example') return systemResolve(name)
        isAsked = true
        return address
      },
      dial: (to, port) => ({ address: to, port: port === server.port ? port : 9 }),
      settings: { trustedRanges: ['127.0.0.1/32'] },
    })
    const to = await clientOf(w)
    const { id } = await w.instance({ network: 'live' })
    const agent = await w.api('POST', `/v1/instances/${id}/ai/agents`, { name: 'Agent', provider: 'builtin' })
    const at = `/v1/instances/${id}/${path.replace('{agent}', agent.body.id)}`
    const changing = asConsole(w)(method, at, body(server.port))
    await until('the check', () => isAsked)
    const ended =
      how === 'transferred'
        ? await w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: to.id })
        : await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
    expect(ended.status, ended.text).toBe(200)
    letGo(['127.0.0.1'])
    const { status, body: answer } = await changing
    expect([status, answer.error?.code], JSON.stringify(answer)).toEqual([404, 'not_found'])
    expect(await w.rows(`SELECT 1 FROM ${table} WHERE instance_id = :id`, { id })).toEqual([])
  },
)
