import { until, type Api } from '../support/service-process.ts'
import { recordedCall } from '../support/recorded-call.ts'
import { pairedInstance } from '../support/sandbox.ts'
import type { OpenWindow } from '../support/window.ts'
import type { Holdings } from './places.ts'

const OURS = '12025550100'
const PERSON = '12025550101'
/** Wrote, and nobody has read it. */
const OTHER = '12025550103'
/** Its account asks for a passkey. */
const ASKED = '12025550102'

/** Has a phone scan the instance's code, if its passkey is not asked for: that is over after ten minutes. */
export async function askForPasskey(api: Api, confirming: string): Promise<void> {
  const at = `/v1/instances/${confirming}/qr`
  const { state } = (await api('GET', at)).body
  if (state === 'passkey_required') return
  if (state === 'expired') await api('POST', `${at}/refresh`)
  const { pairing_code } = (await api('GET', at)).body
  await api('POST', `/v1/sandbox/phones/${ASKED}/scan`, { pairing_code })
}

/** Gives a home something of everything: what a screen never shows is never judged. */
export async function liveThroughADay({ api, page }: Pick<OpenWindow, 'api' | 'page'>): Promise<Holdings> {
  const post = async (path: string, body: object) => (await api('POST', `/v1${path}`, body)).body
  await post('/sandbox/phones', { number: PERSON, name: 'Ana Souza' })
  const webhook = (await post('/webhooks', { url: 'https://catcher.sandbox/window', events: ['*'] })).id
  const picked = { url: 'https://catcher.sandbox/picked', events: ['message.received'] }
  const selective = (await post('/webhooks', picked)).id
  const instance = await pairedInstance(api, OURS, 'Bakery Luz')
  const unpaired = (await post('/instances', { name: 'Casa Verde Imóveis', external_ref: 'client-42' })).id
  const confirming = (await post('/instances', { name: 'Mercado Sol' })).id
  await post('/sandbox/phones', { number: ASKED, passkey: true })
  await askForPasskey(api, confirming)
  const live = (await post('/instances', { name: 'Padaria Norte', network: 'live' })).id
  const official = (await post('/instances', { name: 'Studio Norte', engine: 'official' })).id
  const linkable = (await post('/instances', { name: 'Bakery Luz, official', engine: 'official' })).id
  await post(`/sandbox/instances/${linkable}/onboard`, { number: OURS })
  await post(`/sandbox/phones/${PERSON}/messages`, { to: OURS, text: 'Do you still have the rye bread?' })
  await post(`/sandbox/phones/${PERSON}/messages`, { to: OURS, media_type: 'image' })
  const place = {
    latitude: -23.55052,
    longitude: -46.63331,
    name: 'Praça da Sé',
    address: null,
    url: null,
    live: false,
  }
  const poll = { type: 'poll', question: 'When do you come by?', options: ['Today', 'Tomorrow'], max_choices: 1 }
  const contents = [
    { type: 'location', ...place },
    { type: 'contacts', contacts: [{ name: 'Ben', numbers: ['12025550102'], vcard: null }] },
    { type: 'unavailable', reason: 'view_once', kind: null },
  ]
  for (const content of contents) await post(`/sandbox/phones/${PERSON}/messages`, { to: OURS, content })
  const asked = (await post(`/sandbox/phones/${PERSON}/messages`, { to: OURS, content: poll })).id
  await post(`/sandbox/phones/${PERSON}/messages/${asked}/vote`, { options: ['Today'] })
  let answer = ''
  for (const text of ['Yes, until six.', 'Shall I keep one for you?'])
    answer = (await post(`/instances/${instance}/messages`, { to: PERSON, text })).message_id
  await post(`/sandbox/phones/${PERSON}/messages`, { to: OURS, text: 'Yes, please!', quoted_message_id: answer })
  await post('/sandbox/phones', { number: OTHER, name: 'Ben' })
  for (const text of ['Good morning', 'Are you open?'])
    await post(`/sandbox/phones/${OTHER}/messages`, { to: OURS, text })
  await post(`/instances/${instance}/messages`, { to: '12025550404', text: 'Nobody is there.' })
  await post('/contacts', { phone: PERSON, tags: ['customer', 'bread'] })
  await post('/contacts', { phone: '12025550111', name: 'Bruno Lima', tags: ['customer'], opted_out: true })
  // Not for programs: only the window asks for a backup, or invites somebody.
  const headers = { 'content-type': 'application/json' }
  await page.evaluate(async (sent) => {
    const member = JSON.stringify({ name: 'Ana Souza', email: 'ana@bakery.example' })
    // Read whole: for a browser, an answer that nobody reads is one that is still coming.
    await (await fetch('/panel/v1/service/backups', { method: 'POST', headers: sent, body: '{}' })).text()
    await (await fetch('/panel/v1/members', { method: 'POST', headers: sent, body: member })).text()
  }, headers)
  await until('deliveries', async () => {
    const { data } = (await api('GET', '/v1/webhooks/deliveries?status=delivered')).body
    return data.length > 5
  })
  const group = await groupOf(post, api, instance)
  const agents = await agentOf(post, api)
  const { id: client } = await post('/agency/accounts', {
    name: 'North bakery',
    slots_allocated: 5,
    external_ref: 'crm-481',
  })
  await post(`/agency/accounts/${client}/keys`, { name: 'Their CRM', scopes: ['instances:read'] })
  await post(`/instances/${instance}/access-links`, {})
  await joinCrms(api, instance)
  await payFor(api, client)
  const { campaign, draft, scheduled } = await campaignsOf(post, instance, linkable)
  return {
    ...{ instance, unpaired, confirming, live, official, linkable, webhook, selective, chat: PERSON, number: PERSON },
    ...{ group, agents, client, campaign, draft, scheduled },
    ...(await recordedCall(api, agents)),
  }
}

/** A group with somebody who asks to join it, in a community, and a channel that is followed. */
async function groupOf(
  post: (path: string, body: object) => Promise<any>,
  api: OpenWindow['api'],
  instance: string,
): Promise<string> {
  const at = `/instances/${instance}`
  const { group } = await post(`${at}/groups`, { subject: 'Our street', participants: [PERSON, OTHER] })
  const changes = { join_approval: true, invite_link: 'show' }
  const { invite_link: link } = (await api('PATCH', `/v1${at}/groups/${group}`, changes)).body
  await post('/sandbox/phones/12025550112/groups', { link })
  const { result } = await post(`${at}/engine/smv2/community/create`, { name: 'Old town' })
  await post(`${at}/engine/smv2/community/link`, { community_id: result.community.group_id, group_id: group })
  await post(`${at}/groups`, { subject: 'Bakers of the town' })
  await post(`${at}/engine/smv2/channel/follow`, { link: 'https://channel.sandbox/SandboxNews' })
  return group as string
}

/** A number whose agent answered one question and handed another over. */
async function agentOf(post: (path: string, body: object) => Promise<any>, api: OpenWindow['api']): Promise<string> {
  const number = '12025550120'
  const instance = await pairedInstance(api, number, 'Ótica Vista')
  const at = `/instances/${instance}/ai`
  await post(`${at}/faq`, { question: 'When are you open?', answer: 'Monday to Friday, 8 am to 6 pm.' })
  await post(`${at}/faq`, { question: 'Where are you?', answer: '12 Harbour Street, next to the station.' })
  const { id: agent } = await post(`${at}/agents`, { name: 'Reception', provider: 'builtin' })
  await post(`${at}/agents`, {
    ...{ name: 'Sales', provider: 'custom', model: 'sandbox-model', system_prompt: 'You sell glasses.' },
  })
  for (const name of ['Greet', 'Schedule'])
    await post(`${at}/agents/${agent}/stages`, { name, objective: `${name} them.` })
  await api('PATCH', `/v1${at}/settings`, { enabled: true, debounce_seconds: 0 })
  await post('/sandbox/phones', { number: '12025550121', name: 'Carla' })
  const asks = (text: string) => post('/sandbox/phones/12025550121/messages', { to: number, text })
  await asks('When are you open?')
  await until('the agent to answer', async () => {
    const { data } = (await api('GET', '/v1/sandbox/phones/12025550121/messages')).body
    return data.length > 0
  })
  await asks('Do you repair frames of other shops?')
  await until('the agent to hand over', async () => {
    const { status, body } = await api('GET', `/v1${at}/conversations/12025550121`)
    return status === 200 && !body.ai_active
  })
  return instance
}

/** Connects a number with the simulated GoHighLevel, as a person would in the browser, and with another CRM. */
async function joinCrms(api: OpenWindow['api'], instance: string): Promise<void> {
  const { body } = await api('POST', `/v1/instances/${instance}/ghl/connect`, { mode: 'oauth' })
  const page = await (await fetch(body.authorization_url)).text()
  const location = /<option value="([^"]+)">Main office/.exec(page)?.[1] ?? ''
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await fetch(body.authorization_url, { method: 'POST', headers, body: `decision=allow&location=${location}` })
  await api('PUT', `/v1/instances/${instance}/crm-webhook`, { url: 'https://catcher.sandbox/other-crm' })
}

/** A plan paid with a test card, a product that was declined, and a client that is billed. */
async function payFor(api: OpenWindow['api'], client: string): Promise<void> {
  await api('PUT', '/v1/sandbox/billing/card', { number: '4242424242424242' })
  await api('POST', '/v1/billing/purchases', { plan: 'growth' })
  await api('POST', '/v1/billing/purchases', { product: 'slots', tier: '5' })
  await api('PUT', '/v1/sandbox/billing/card', { number: '4000000000000341' })
  await api('POST', '/v1/billing/purchases', { product: 'voice', tier: '1' })
  await api('PATCH', '/v1/agency/billing', { enabled: true })
  const terms = { amount_cents: 4_900, currency: 'brl', interval: 'month', email: 'billing@bakery.example' }
  await api('PUT', `/v1/agency/accounts/${client}/billing`, terms)
  const budget = { amount_micros: 50_000_000, currency: 'usd' }
  await api('PUT', `/v1/agency/accounts/${client}/message-budget`, budget)
}

/** A campaign that was sent, with somebody who cannot be reached, a draft, and one that begins tomorrow. */
async function campaignsOf(
  post: (path: string, body: object) => Promise<any>,
  phone: string,
  official: string,
): Promise<Pick<Holdings, 'campaign' | 'draft' | 'scheduled'>> {
  const messages = [{ text: '{Hi|Hello} {{name|there}}, fresh bread in {{city}}.' }, { text: 'Hi {{name}}!' }]
  const people = [PERSON, '12025550404', ...Array.from({ length: 8 }, (_, n) => `1202555100${n}`)]
  const recipients = people.map((number, n) => ({
    phone: number,
    name: `Person ${n + 1}`,
    variables: { city: 'Boston' },
  }))
  const config = { minDelay: 0, maxDelay: 0 }
  const sent = { instance_ids: [phone], name: 'Fresh bread', messages, recipients, config, start: true }
  const { campaign_id: campaign } = await post('/campaigns', sent)
  const open = { instance_ids: [phone, official], name: 'Spring offer', messages, recipients }
  const { campaign_id: draft } = await post('/campaigns', open)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const later = { ...open, instance_ids: [phone], name: 'Sunday brunch', scheduled_at: tomorrow }
  const { campaign_id: scheduled } = await post('/campaigns', later)
  return { campaign, draft, scheduled }
}
