/** The later part of the day that `npm run pictures` shows: an agent that answers and calls, clients, and a plan. */
type Api = (method: string, path: string, body?: object) => Promise<{ body: any }>

export interface LaterDay {
  readonly recording: string
  readonly client: string
}

const QUESTIONS = [
  ['When are you open?', 'Monday to Saturday from 6 am to 7 pm, on Sunday from 7 am to noon.'],
  ['Do you deliver?', 'Yes, within five kilometers. Delivery is free for orders over 30 dollars.'],
  ['Do you have gluten-free bread?', 'Yes: a buckwheat loaf every day, and rolls on Wednesday and Saturday.'],
  ['Can I order a cake?', 'Yes, two days ahead. Tell us the number of guests and the day.'],
  ['How can I pay?', 'By card, in cash, or with the link we send you.'],
] as const

const CLIENTS = ['Bakery Luz', 'Dr. Prado Dental', 'Casa Verde Imóveis', 'Studio Norte', 'Ótica Vista'] as const

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** @param as a caller with another key. */
export async function seedLaterDay(
  as: (key: string) => Api,
  api: Api,
  instance: string,
  number: string,
): Promise<LaterDay> {
  const agent = await agentOn(api, instance, number)
  const [recording, client] = [await callOf(api, instance, agent), await clientsOf(as, api)]
  await api('PUT', '/v1/sandbox/billing/card', { number: '4242424242424242' })
  await api('POST', '/v1/billing/purchases', { plan: 'growth' })
  await api('POST', '/v1/billing/purchases', { product: 'slots', tier: '5' })
  return { recording, client }
}

async function agentOn(api: Api, instance: string, number: string): Promise<string> {
  const under = `/v1/instances/${instance}/ai`
  const instructions =
    'You are the receptionist of Bakery Luz. Be brief and warm. Never promise what the knowledge does not say.'
  const { body: agent } = await api('POST', `${under}/agents`, {
    ...{ name: 'Reception', provider: 'builtin', system_prompt: instructions },
  })
  for (const [question, answer] of QUESTIONS) await api('POST', `${under}/faq`, { question, answer })
  await api('PATCH', `${under}/settings`, { enabled: true, timezone: 'America/New_York', debounce_seconds: 0 })
  const asked = [
    'Are you open on Sunday?',
    'Do you deliver to Back Bay?',
    'My order arrived cold and I want my money back',
  ]
  for (const [n, text] of asked.entries()) {
    const person = `1202555030${n}`
    await api('POST', '/v1/sandbox/phones', { number: person })
    await api('POST', `/v1/sandbox/phones/${person}/messages`, { to: number, text })
  }
  await pause(3_000)
  return agent.id as string
}

/** @returns the recording of a call. */
async function callOf(api: Api, instance: string, agent: string): Promise<string> {
  const under = `/v1/instances/${instance}/voice`
  await api('POST', `${under}/enable`)
  await api('PATCH', `${under}/settings`, { coach_enabled: true })
  for (const to of ['12025550486', '12025550480', '12025550177'])
    await api('POST', `${under}/calls`, { to_number: to, agent_id: agent })
  const soon = new Date(Date.now() + 26 * 3_600_000).toISOString()
  await api('POST', `${under}/calls`, { to_number: '12025550178', agent_id: agent, scheduled_at: soon })
  for (let tries = 0; tries < 120; tries++) {
    const { body } = await api('GET', `${under}/calls?status=completed`)
    if (body.data.length > 0) return body.data[0].recording_id as string
    await pause(500)
  }
  throw new Error('No call was recorded.')
}

/** @returns the first client. */
async function clientsOf(as: (key: string) => Api, api: Api): Promise<string> {
  await api('PATCH', '/v1/agency/branding', { display_name: 'Luz Agency', colors: { primary: '#0f766e' } })
  const ids: string[] = []
  for (const [n, name] of CLIENTS.entries()) {
    const client = { name, external_ref: `client-${n + 41}`, slots_allocated: n + 2 }
    const { id } = (await api('POST', '/v1/agency/accounts', client)).body
    const scopes = ['instances:read', 'instances:write', 'messages:send']
    const { key } = (await api('POST', `/v1/agency/accounts/${id}/keys`, { name: 'Shop', scopes })).body
    for (let line = 0; line <= n % 3; line++) await lineOf(as(key), `1202555${6_000 + n * 10 + line}`, line !== 1)
    ids.push(id as string)
  }
  return ids[0] ?? ''
}

async function lineOf(api: Api, number: string, isPaired: boolean): Promise<void> {
  const { id } = (await api('POST', '/v1/instances', { name: `Line ${number.slice(-2)}` })).body
  if (!isPaired) return
  await api('POST', '/v1/sandbox/phones', { number })
  const { pairing_code: code } = (await api('GET', `/v1/instances/${id}/qr`)).body
  await api('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code: code })
  await pause(400)
  for (let sent = 0; sent < 3; sent++)
    await api('POST', `/v1/instances/${id}/messages`, { to: '12025550199', text: 'Hello' })
}
