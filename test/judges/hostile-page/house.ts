import { until, type Api } from '../../support/service-process.ts'
import { Objection } from '../court.ts'
import { parseYaml } from '../yaml.ts'
import type { Shot } from './techniques.ts'

/** A service that has something of everything, and every request that could touch it. */
export interface House {
  readonly url: string
  readonly key: string
  readonly shots: readonly Shot[]
  /** All that the API shows, to be compared with itself. */
  snapshot(): Promise<Record<string, string>>
  /** Proves that the requests were worth refusing: an honest caller makes some of them, and they work. */
  tryInEarnest(): Promise<void>
}

interface Entry {
  readonly operationId: string
  readonly requestBody?: { content: { 'application/json'?: { example?: unknown } } }
}

const LINE = '12025550100'
const PHONE = '12025550177'
/** They show a clock, count by the hour, or start something. */
const NOT_COMPARED = new Set([
  ...['getInstanceHealth', 'getInstanceQr', 'getInstanceSafety', 'getMedia', 'getSandboxBillingClock'],
])

const COMPARED_AT_LEAST = 12

const MCP_CALL = {
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'create_instance', arguments: { name: 'Made by a page' } },
}

export async function furnish(url: string, key: string, api: Api): Promise<House> {
  const ids = await furniture(api)
  const document = parseYaml(await (await fetch(`${url}/openapi.yaml`)).text()) as {
    paths: Record<string, Record<string, Entry>>
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => {
      const example = requestBody?.content['application/json']?.example
      const body = requestBody === undefined ? null : JSON.stringify(example ?? {})
      return { id: operationId, method: method.toUpperCase(), path: ids.fill(path), body }
    }),
  )
  const others = otherShots(ids.onboarding)
  const shots = [
    ...operations.map(({ method, path, body }) => ({ method, path: `${path}?confirm=true`, body })),
    ...others,
  ]
  const compared = operations.filter(({ id, method }) => method === 'GET' && !NOT_COMPARED.has(id))
  return {
    ...{ url, key, shots },
    async snapshot() {
      const shown: Record<string, string> = {}
      for (const { path } of compared) {
        const { status, body } = await api('GET', path)
        // A refusal has its request id in it, and nothing else that could change.
        if (status === 200) shown[path] = JSON.stringify(body)
      }
      if (Object.keys(shown).length < COMPARED_AT_LEAST) throw new Objection('The API shows too little to be compared.')
      return shown
    },
    async tryInEarnest() {
      const form = new URLSearchParams({ number: '12025550999' })
      const page = await fetch(url + ids.onboarding, { method: 'POST', body: form })
      const made = await api('POST', '/v1/instances', JSON.parse(bodyOf(operations, 'createInstance')))
      const removed = await api('DELETE', ids.fill('/v1/webhooks/{id}'))
      const statuses = [page.status, made.status, removed.status].join()
      if (statuses !== '200,201,204') throw new Objection(`In earnest, the requests are answered ${statuses}.`)
    },
  }
}

const bodyOf = (operations: readonly { id: string; body: string | null }[], id: string) =>
  operations.find((operation) => operation.id === id)?.body ?? ''

/** What is no operation: pages, documents, MCP, and paths where nothing is. */
function otherShots(onboarding: string): Shot[] {
  const get = [
    ...[
      '/openapi.yaml',
      '/healthz',
      '/metrics',
      '/mcp',
      '/mcp/readonly',
      onboarding,
      '/onboard/none',
      '/',
      '/nowhere',
      '/v1',
    ],
    ...['/v1/nowhere', '/console/', '/panel/v1/instances', '/link/x', '/widget/x', '/files/rec/x', '/callbacks/x'],
    ...['/sandbox/x', '/%', '/v1/../openapi.yaml', '//openapi.yaml'],
  ]
  const post = ['/mcp', '/mcp?toolsets=all', '/mcp/readonly', onboarding, '/onboard/none', '/', '/nowhere', '/healthz']
  return [
    ...get.map((path) => ({ method: 'GET', path, body: null })),
    ...post.map((path) => ({ method: 'POST', path, body: JSON.stringify(MCP_CALL) })),
  ]
}

async function furniture(api: Api) {
  const make = async (path: string, body: unknown) => {
    const answer = await api('POST', path, body)
    if (answer.status >= 300)
      throw new Objection(`POST ${path} answers ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const webhook = await make('/v1/webhooks', { url: 'https://catcher.sandbox/house', events: ['*'] })
  const line = await make('/v1/instances', { name: 'Front desk', metadata: { secret: 'of a client' } })
  const official = await make('/v1/instances', { name: 'Official', engine: 'official' })
  const { body: view } = await api('GET', `/v1/instances/${line.id}/qr`)
  await make(`/v1/sandbox/phones/${LINE}/scan`, { pairing_code: view.pairing_code })
  await until('the instance connects', async () => (await api('GET', `/v1/instances/${line.id}`)).body.connected)
  await make('/v1/sandbox/phones', { number: PHONE })
  const spoken = await make(`/v1/sandbox/phones/${PHONE}/messages`, { to: LINE, text: 'A secret' })
  const sent = await make(`/v1/instances/${line.id}/messages`, { to: PHONE, text: 'Another secret' })
  const messageAt = `/v1/instances/${line.id}/messages/${sent.message_id}`
  await until('the message is read', async () => (await api('GET', messageAt)).body.status === 'read')
  const { body: deliveries } = await until('all are delivered', async () => {
    const answer = await api('GET', '/v1/webhooks/deliveries')
    const isDone = answer.body.data.every(({ status }: { status: string }) => status === 'delivered')
    return isDone ? answer : undefined
  })
  const delivery = deliveries.data[0]
  const campaign = await make('/v1/campaigns', { name: 'Spring offer', instance_ids: [line.id] })
  await make('/v1/contacts', { phone: PHONE, name: 'A secret' })
  await make('/v1/opt-outs', { phone: PHONE })
  const ai = `/v1/instances/${line.id}/ai`
  const agent = await make(`${ai}/agents`, { name: 'A secret', provider: 'builtin' })
  const stage = await make(`${ai}/agents/${agent.id}/stages`, { name: 'A secret', objective: 'A secret' })
  const faq = await make(`${ai}/faq`, { question: 'A secret?', answer: 'A secret' })
  const origins = { name: 'A secret', allowed_origins: ['https://www.example.com'] }
  const widget = await make(`/v1/instances/${line.id}/voice/widgets`, origins)
  const client = await make('/v1/agency/accounts', { name: 'A secret' })
  const check = await make(`/v1/instances/${line.id}/number-checks`, { numbers: [PHONE] })
  const IDS: readonly (readonly [RegExp, string])[] = [
    [/^(\/v1\/instances\/)\{id\}(?=\/(engine\/official|templates))/, official.id],
    [/^(\/v1\/sandbox\/instances\/)\{id\}(?=\/onboard)/, official.id],
    [/^(\/v1\/(?:sandbox\/)?instances\/)\{id\}/, line.id],
    [/^(\/v1\/webhooks\/deliveries\/)\{id\}/, delivery.id],
    [/^(\/v1\/webhooks\/)\{id\}/, webhook.id],
    [/^(\/v1\/campaigns\/)\{id\}/, campaign.campaign_id],
    [/^(\/v1\/(?:contacts|opt-outs)\/)\{phone\}/, PHONE],
    [/^(\/v1\/events\/)\{event_id\}/, delivery.event_id],
    [/^(\/v1\/sandbox\/phones\/)\{number\}/, PHONE],
    [/(\/(?:messages|polls|thread|opt-out-questions)\/)\{message_id\}/, sent.message_id],
    [/(\/messages\/)\{id\}/, spoken.id ?? spoken.message_id],
    [/(\/engine\/smv2\/)\{group\}\/\{action\}/, 'send/text'],
    [/(\/catcher\/)\{name\}/, 'house'],
    [/(\/media\/)\{media_id\}/, 'none'],
    [/(\/templates\/)\{template_id\}/, 'none'],
    [/(\/graph\/numbers\/)\{phone_number_id\}/, '100000000000001'],
    [/(\/agents\/)\{agent_id\}/, agent.id],
    [/(\/stages\/)\{stage_id\}/, stage.id],
    [/(\/faq\/)\{faq_id\}/, faq.id],
    [/(\/widgets\/)\{widget_id\}/, widget.id],
    [/(\/accounts\/)\{account_id\}/, client.id],
    [/^(\/v1\/agency\/instances\/)\{id\}/, line.id],
    [/(\/conversations\/)\{phone\}/, PHONE],
    [/(\/number-checks\/)\{check_id\}/, check.check_id],
    [/(\/blocked\/)\{phone\}/, PHONE],
    [/(\/chats\/)\{chat\}/, PHONE],
    [/(\/groups\/)\{group\}/, '120363041234567890@g.us'],
    [/(\/provider-keys\/)\{provider\}/, 'openai'],
    // What takes a while to come to be; what is there is asked for by its list.
    [/^(\/v1\/sandbox\/ghl\/\w+\/)\{id\}/, 'none'],
    [/(\/)\{(?:call|recording|purchase|checkout|link|key|document|question|conversation|contact)_id\}/, 'none'],
  ]
  const fill = (path: string) => {
    const filled = IDS.reduce((text, [place, id]) => text.replace(place, `$1${id}`), path)
    if (filled.includes('{')) throw new Objection(`The judge has nothing to put into ${filled}.`)
    return filled
  }
  return { fill, onboarding: new URL(official.onboarding_url as string).pathname }
}
