import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { LIMITS } from '../../main/contract/limits.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { rowsOf, timeToSee, type Sign } from '../support/latency.ts'
import type { OpenWindow } from '../support/window.ts'

const OURS = '12025550100'
const PERSON = '12025550101'

export interface Watched {
  readonly screen: string
  readonly at: string
  /** Makes a change in which these words are new. */
  readonly change: (words: string) => Promise<unknown>
  /** How it shows, where the words do not. */
  readonly isRow?: true
}

/** Screens that are open while a program changes what they show. @param changes as many as will be made on each. */
export async function watchedScreens(w: OpenWindow, changes: number): Promise<readonly Watched[]> {
  const { api } = w
  await api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Ana Souza' })
  const instance = await pairedInstance(api, OURS, 'Front desk')
  await api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OURS, text: 'Hello' })
  const wish = { url: 'https://catcher.sandbox/live', events: ['instance.created'] }
  const { id: webhook } = (await api('POST', '/v1/webhooks', wish)).body
  // So many calls of one key may wait.
  const assistants: Client[] = []
  while (assistants.length * LIMITS.approvalsPendingPerKey < changes) assistants.push(await assistant(w))
  let asked = 0
  const send = (text: string) => ({ instance_id: instance, to: PERSON, text, idempotency_key: text })
  return [
    // First, while its rows can be counted: those of the next screen are deliveries as well.
    {
      screen: 'delivery log',
      at: `/webhooks/${webhook}`,
      change: (name) => api('POST', '/v1/instances', { name }),
      isRow: true,
    },
    { screen: 'instances', at: '/instances', change: (name) => api('POST', '/v1/instances', { name }) },
    {
      screen: 'thread',
      at: `/messages/${instance}/${PERSON}`,
      change: (text) => api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: OURS, text }),
    },
    {
      screen: 'approvals',
      at: '/assistants/approvals',
      async change(text) {
        await assistants[asked++ % assistants.length]?.callTool({ name: 'send_message', arguments: send(text) })
      },
    },
  ]
}

async function assistant(w: OpenWindow): Promise<Client> {
  const { key } = await w.home.key('Assistant', '--ask', 'sending')
  const client = new Client({ name: 'live', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${w.url}/mcp`), { requestInit }))
  return client
}

/** Milliseconds until each of so many changes stood in the window. */
export async function timesToSee(
  w: OpenWindow,
  { screen, at, change, isRow }: Watched,
  count: number,
): Promise<number[]> {
  await w.open(at)
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const words = `${screen} ${n} ${Date.now().toString(36)}`
    const sign: Sign = isRow ? { rowsBeyond: await rowsOf(w.page) } : { words }
    times.push(await timeToSee(w.page, sign, () => change(words)))
    await w.settle()
  }
  return times
}
