import { expect } from 'vitest'
import { until } from '../capabilities/voice/calls.ts'
import type { Reply, World } from '../support/world.ts'

/** An instance with something of everything that can be named under it. */
export interface Line {
  readonly id: string
  readonly number: string
  /** Sent through it, with `key` as its Idempotency-Key. */
  readonly message: string
  /** Empty on official, which has none. */
  readonly poll: string
  readonly key: string
  /** Received by it, with a file. */
  readonly heard: string
  readonly media: string
  /** A group its number is in; only smv2 lists groups. */
  readonly group: string
  /** Its agent, with a stage, and an FAQ entry. */
  readonly agent: string
  readonly stage: string
  readonly faq: string
  /** An access link to it. */
  readonly link: string
  /** A call that was made and recorded, and a widget; only smv2 has them here. */
  readonly call: string
  readonly recording: string
  readonly widget: string
  /** A message template; '' where there are none. */
  readonly template: string
}

/** What one owner has: things of every kind that a request can name. */
export interface Side {
  readonly name: string
  /** A key with every scope in this account. */
  readonly owner: string
  readonly smv2: Line
  readonly official: Line
  /** Instances of both engines that are gone: DELETE still answers for them. */
  readonly deleted: { readonly smv2: string; readonly official: string }
  readonly webhook: string
  readonly delivery: string
  readonly event: string
  readonly phone: string
  /** What that phone said last, by the network's id. */
  readonly spoken: string
  readonly catcher: string
  /** At the simulated Meta, by its id there. */
  readonly graphNumber: string
  /** Numbers of a contact and of an opt-out. */
  readonly contact: string
  readonly optOut: string
  /** Somebody who may have asked smv2 for no more campaigns, and the message in which they did. */
  readonly asker: string
  readonly question: string
  /** Of the numbers that smv2 was asked about. */
  readonly numberCheck: string
  /** Leads into another group of smv2. */
  readonly invite: string
  /** A contact at the simulated GoHighLevel, its conversation, and the location it is in. */
  readonly lead: string
  readonly conversation: string
  readonly location: string
  /** A file to send. */
  readonly upload: string
  /** A sub-account, with a key of its own, and the account itself. */
  readonly client: string
  readonly clientKey: string
  readonly account: string
  /** What it bought, and a checkout that nobody has paid; '' in a sub-account, whose agency pays. */
  readonly purchase: string
  readonly checkout: string
  /** A draft that sends from the smv2 line. */
  readonly campaign: string
  /** Shown by two instances that wait to be paired. */
  readonly code: string
  readonly qr: string
  /** Words that appear only in this side. No caller without access to it may see one. */
  readonly words: readonly string[]
}

/** Two digits in every number of a side, so that no two sides share one. */
export async function sideOf(w: World, owner: string, name: string, digits: string): Promise<Side> {
  const must = mustFor(w, owner)
  const phone = `120255${digits}999`
  const catcher = `${name}-catcher`
  const webhook = (await must('POST', '/v1/webhooks', { url: `https://catcher.sandbox/${catcher}`, events: ['*'] })).id
  // The same number on both engines, so that the two can be fused.
  const line = { w, must, name, phone, number: `120255${digits}100` }
  const smv2 = await lineOf({ ...line, engine: 'smv2' })
  const official = await lineOf({ ...line, engine: 'official' })
  const deleted = { smv2: await goneOf(must, name, 'smv2'), official: await goneOf(must, name, 'official') }
  const [code, qr] = [(await waitingOf(must, name)).pairing_code, (await waitingOf(must, name)).qr]
  const { id: spoken } = await must('POST', `/v1/sandbox/phones/${phone}/messages`, { to: smv2.number, text: 'Bye' })
  const { phone_number_id: graphNumber } = await must('POST', '/v1/sandbox/graph/numbers', {
    number: `120255${digits}500`,
  })
  const { media_id: upload } = await must('POST', '/v1/media', Buffer.from(`${name}-file`), {
    'content-type': 'image/png',
  })
  const { campaign_id: campaign } = await must('POST', '/v1/campaigns', {
    ...{ instance_ids: [smv2.id], name: `${name}-campaign`, messages: [{ text: `${name}-offer` }] },
    recipients: [{ phone }],
  })
  const { check_id: numberCheck } = await must('POST', `/v1/instances/${smv2.id}/number-checks`, { numbers: [phone] })
  const open = await groupOf(must, `/v1/instances/${smv2.id}`, `${name}-open`, phone)
  const invited = await must('POST', `/v1/instances/${smv2.id}/engine/smv2/group/invitelink`, { group_id: open })
  const { client, clientKey } = await clientOf(w, owner, name)
  const account = (await must('GET', '/v1/me')).account.id
  const { purchase, checkout } = await boughtBy(w, owner)
  const [contact, optOut, asker] = [`120255${digits}700`, `120255${digits}800`, `120255${digits}300`]
  await must('POST', `/v1/sandbox/phones/${asker}/messages`, { to: smv2.number, text: 'Cancelar' })
  await must('POST', '/v1/contacts', { phone: contact, name: `${name}-contact`, tags: [`${name}-tag`] })
  await must('POST', '/v1/opt-outs', { phone: optOut, scope: smv2.id, note: `${name}-note` })
  const {
    id: lead,
    conversation_id: conversation,
    location_id: location,
  } = await must('POST', '/v1/sandbox/ghl/contacts', { phone: `+120255${digits}600`, name: `${name}-lead` })
  await w.quiet()
  const questions: any[] = (await must('GET', '/v1/opt-out-questions')).data
  const { message_id: question } = questions.find(({ instance_id: id }) => id === smv2.id)
  const [delivery] = (await must('GET', '/v1/webhooks/deliveries?limit=1')).data
  const [event] = (await must('GET', '/v1/events?limit=1')).data
  const made = {
    name,
    owner,
    smv2,
    official,
    deleted,
    webhook,
    phone,
    spoken,
    catcher,
    graphNumber,
    lead,
    conversation,
    location,
    upload,
    client,
    clientKey,
    purchase,
    checkout,
    campaign,
    contact,
    ...{ asker, question, numberCheck, invite: invited.result.link },
    optOut,
    code,
    qr,
  }
  const ids = { delivery: delivery.id, event: event.event_id }
  const words = [...wordsOf({ ...made, ...ids }), name.toLowerCase()].filter(
    (word) => ![official.template, ''].includes(word),
  )
  // Two sides of one account share it.
  return { ...made, ...ids, account, words }
}

/** A sub-account with a key; '' in a sub-account, which has none. */
async function clientOf(w: World, owner: string, name: string): Promise<{ client: string; clientKey: string }> {
  const must = mustFor(w, owner)
  const wish = { name: `${name}-client`, external_ref: `${name}-client-ref` }
  const made = await w.api('POST', '/v1/agency/accounts', wish, { key: owner })
  if (made.status === 409) return { client: '', clientKey: '' }
  const { id: client } = made.body
  await must('PATCH', '/v1/agency/billing', { enabled: true })
  await must('PUT', `/v1/agency/accounts/${client}/billing`, {
    ...{ amount_cents: 100, currency: 'usd', interval: 'month', email: `${name}@client.example` },
  })
  const key = { name: `${name}-client-key`, scopes: ['instances:read'] }
  const { id: clientKey } = await must('POST', `/v1/agency/accounts/${client}/keys`, key)
  return { client, clientKey }
}

/** A purchase and a checkout; '' in a sub-account, whose agency pays. */
async function boughtBy(w: World, owner: string): Promise<{ purchase: string; checkout: string }> {
  const must = mustFor(w, owner)
  await must('PUT', '/v1/sandbox/billing/card', { number: '4242424242424242' })
  const made = await w.api('POST', '/v1/billing/purchases', { product: 'setup' }, { key: owner })
  if (made.status === 409) return { purchase: '', checkout: '' }
  const { checkout_id: checkout } = await must('POST', '/v1/billing/checkouts', { product: 'setup' })
  return { purchase: made.body.id, checkout }
}

/** A name, an id or a code is told from every other; a side's own name stands in all of its names. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}

type Must = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Reply['body']>

function mustFor(w: World, key: string): Must {
  return async (method, path, body, headers = {}) => {
    const answer = await w.api(method, path, body, { key, headers })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
}

interface LineWish {
  readonly w: World
  readonly must: Must
  readonly name: string
  readonly phone: string
  readonly number: string
  readonly engine: 'smv2' | 'official'
}

async function lineOf({ w, must, name, phone, number, engine }: LineWish): Promise<Line> {
  const { id } = await must('POST', '/v1/instances', {
    ...{ engine, name: `${name}-${engine}`, external_ref: `${name}-ref-${engine}`, metadata: { of: `${name}-meta` } },
  })
  await connect(must, id, engine, number)
  await w.quiet()
  const key = `${name}-key-${engine}`
  const at = `/v1/instances/${id}`
  const asked = { to: phone, question: `${name}-poll`, options: [`${name}-option`, 'None'] }
  const poll = engine === 'smv2' ? await must('POST', `${at}/engine/smv2/send/poll`, asked) : null
  const sent = await must('POST', `${at}/messages`, { to: phone, text: `${name}-text` }, { 'idempotency-key': key })
  const mark = await w.mark()
  const file = { media_type: 'image', media_url: 'https://media.sandbox/image.png' }
  await must('POST', `/v1/sandbox/phones/${phone}/messages`, { to: number, ...file })
  const received = (await w.eventsSince(mark)).find((event) => event.instance.id === id)?.data
  const template = engine === 'official' ? (await must('POST', `${at}/templates`, templateOf(id))).id : ''
  const group = engine === 'smv2' ? await groupOf(must, at, name, phone) : ''
  const agent = await must('POST', `${at}/ai/agents`, { name: `${name}-agent`, provider: 'builtin' })
  const stage = await must('POST', `${at}/ai/agents/${agent.id}/stages`, { name: `${name}-stage`, objective: 'Sell' })
  const faq = await must('POST', `${at}/ai/faq`, { question: `${name}-question`, answer: `${name}-answer` })
  return {
    id,
    number,
    message: sent.message_id,
    poll: poll?.message_id ?? '',
    key,
    heard: received?.['message_id'],
    media: received?.['media'].id,
    ...{ group, template, agent: agent.id, stage: stage.id, faq: faq.id },
    link: (await must('POST', `${at}/access-links`, {})).id,
    ...(engine === 'smv2' ? await voiceOf(w, must, id, name, agent.id) : { call: '', recording: '', widget: '' }),
  }
}

/** Every number of an account shows the templates of all: nothing in them is a word of one side. */
const templateOf = (id: string) => ({
  ...{ name: `offer_${id.replaceAll('-', '_')}`, language: 'en', category: 'MARKETING' },
  components: [{ type: 'BODY', text: 'Everything for the garden.' }],
})

/** A call is recorded from the moment it is answered. */
async function voiceOf(w: World, must: Must, id: string, name: string, agent: string) {
  const at = `/v1/instances/${id}/voice`
  await must('POST', `${at}/enable`)
  const origins = [`https://${name.toLowerCase()}.example.com`]
  const { id: widget } = await must('POST', `${at}/widgets`, { name: `${name}-widget`, allowed_origins: origins })
  const { id: call } = await must('POST', `${at}/calls`, { to_number: '12025550123', agent_id: agent })
  const read = async (): Promise<string> => (await must('GET', `${at}/calls/${call}`)).status
  await until(w, read, (status) => status === 'in_progress', 500)
  await w.clock.advance(1_000)
  const { recording_id: recording } = await must('POST', `${at}/calls/${call}/cancel`)
  await w.quiet()
  return { call, recording, widget }
}

async function connect(must: Must, id: string, engine: string, number: string): Promise<void> {
  if (engine === 'official') await must('POST', `/v1/sandbox/instances/${id}/onboard`, { number })
  else {
    const { pairing_code } = await must('GET', `/v1/instances/${id}/qr`)
    await must('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code })
  }
}

async function groupOf(must: Must, at: string, name: string, phone: string): Promise<string> {
  const wish = { name: `${name}-group`, participants: [phone] }
  return (await must('POST', `${at}/engine/smv2/group/create`, wish)).result.group.group_id
}

async function waitingOf(must: Must, name: string): Promise<{ qr: string; pairing_code: string }> {
  const { id } = await must('POST', '/v1/instances', { name: `${name}-waiting` })
  return must('GET', `/v1/instances/${id}/qr`)
}

async function goneOf(must: Must, name: string, engine: string): Promise<string> {
  const { id } = await must('POST', '/v1/instances', { engine, name: `${name}-gone-${engine}` })
  await must('DELETE', `/v1/instances/${id}?confirm=true`)
  return id
}
