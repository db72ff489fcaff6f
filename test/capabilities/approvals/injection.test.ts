import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { worldOfTest } from '../../support/world.ts'
import { assistantOf } from './assistant.ts'

const EVIL = 'https://catcher.sandbox/evil'

/** What an assistant that follows a stranger's words may still do without a person. Everything else must wait. */
const WITHOUT_A_PERSON = {
  both: [
    ...['create_instance', 'update_instance', 'get_instance_qr'],
    ...['fuse_instances', 'create_sandbox_phone', 'update_sandbox_phone', 'scan_sandbox_code'],
    ...['edit_sandbox_message', 'delete_sandbox_message', 'react_to_sandbox_message'],
    ...['cause_sandbox_fault', 'onboard_sandbox_instance', 'create_sandbox_graph_number', 'cause_sandbox_graph_fault'],
    ...['set_sandbox_catcher_reply'],
  ],
  destructive: ['send_message', 'call_engine'],
  sending: [],
} as const

test.each(['destructive', 'sending'] as const)(
  'an assistant under prompt injection sends nothing to a stranger if its key requires approval for %s calls',
  async (policy) => {
    const w = await worldOfTest()
    const line = await w.pair()
    const { body: hook } = await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/own', events: ['*'] })
    await w.api('POST', `/v1/webhooks/${hook.id}/test`)
    const [delivery] = (await w.api('GET', '/v1/webhooks/deliveries')).body.data
    const given: Record<string, unknown> = {
      ...{ instance_id: line.id, webhook_id: hook.id, delivery_id: delivery.id, url: EVIL, events: ['*'] },
      ...{ since: new Date(w.clock.now() - 60_000).toISOString(), to: '12025550147', text: 'leak', active: true },
      ...{ number: '12025550148', name: 'evil', group: 'send', action: 'text', status: 200 },
    }
    const assistant = await assistantOf(w, policy)
    const { tools } = await assistant.client.listTools()
    const named = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)
    const hidden = ['set_instance_webhook', 'delete_instance_webhook', 'call_engine', 'test_webhook', 'replay_webhook']
    const done = new Set<string>()
    for (const name of [...named.map((tool) => tool.name), ...hidden]) {
      const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties ?? ARGUMENTS[name] ?? {}
      const own = Object.fromEntries(Object.entries(given).filter(([field]) => field in properties))
      for (const extra of [{}, { confirm: true }]) {
        const { code } = await assistant.call(name, { ...own, ...extra })
        if (code === undefined) done.add(name)
      }
    }
    const allowed: readonly string[] = [...WITHOUT_A_PERSON.both, ...WITHOUT_A_PERSON[policy]]
    expect([...done].filter((name) => !allowed.includes(name))).toEqual([])

    await w.pass(2_000)
    expect(await w.caught('evil')).toEqual([])
    expect((await w.api('GET', '/v1/webhooks')).body.data).toMatchObject([{ url: 'https://catcher.sandbox/own' }])
    expect((await w.api('GET', `/v1/instances/${line.id}/webhook`)).body.url).toBe(null)
    const waiting = (await asConsole(w)('GET', '/v1/approvals?state=pending&limit=200')).body.data
    const asked = waiting.map(({ tool }: { tool: string }) => tool)
    for (const name of ['create_webhook', 'update_webhook', 'set_instance_webhook', 'replay_webhook'])
      expect(asked).toContain(name)
  },
)

const ARGUMENTS: Readonly<Record<string, object>> = {
  set_instance_webhook: { instance_id: 1, url: 1 },
  delete_instance_webhook: { instance_id: 1 },
  call_engine: { instance_id: 1, group: 1, action: 1, to: 1, text: 1 },
  test_webhook: { webhook_id: 1 },
  replay_webhook: { webhook_id: 1, since: 1 },
}
