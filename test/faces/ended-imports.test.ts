import { expect, test, vi } from 'vitest'
import { clientOf, type Client } from '../capabilities/agency/agency-world.ts'
import { browserOf, builtConsole, signedIn, type Browser } from '../support/panel.ts'
import { worldOfTest, type World } from '../support/world.ts'

/** Far more rows than are stored while somebody is removed. */
const ROWS = 40_000
const numbers = Array.from({ length: ROWS }, (_, at) => String(12_025_000_000 + at * 7))
const people = Buffer.from(['phone', ...numbers].join('\n'))
const questions = Buffer.from(
  ['question,answer', ...numbers.slice(0, 5_000).map((n) => `What is ${n}?,A number.`)].join('\n'),
)
const codeIn = (url: string) => /#code=([\w-]+)$/.exec(url)?.[1] ?? ''

interface House {
  readonly w: World
  readonly operator: Browser
  readonly client: Client
  readonly instanceId: string
  readonly campaignId: string
}

async function house(): Promise<House> {
  const w = await worldOfTest({ consoleFolder: builtConsole() })
  const operator = await signedIn(w)
  const client = await clientOf(w, { features: ['campaigns', 'ai'] })
  const { id: instanceId } = (await client.api('POST', '/v1/instances', {})).body
  const draft = { instance_ids: [instanceId], name: 'Offer', messages: [{ text: 'Hi' }] }
  const made = await client.api('POST', '/v1/campaigns', draft)
  expect(made.status, made.text).toBe(201)
  return { w, operator, client, instanceId, campaignId: made.body.campaign_id }
}

const IMPORTS: readonly (readonly [string, string, Buffer<ArrayBuffer>, (at: House) => string])[] = [
  ['contacts', 'contacts', people, () => '/v1/contact-imports'],
  ['opt-outs', 'opt_outs', people, () => '/v1/opt-out-imports'],
  ['recipients', 'campaign_recipients', people, (at) => `/v1/campaigns/${at.campaignId}/recipients/import`],
  ['an FAQ', 'ai_faq', questions, (at) => `/v1/instances/${at.instanceId}/ai/faq-imports`],
]

async function storedIn({ w }: House, table: string): Promise<number> {
  const [row] = await w.rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)
  return row?.n ?? 0
}

/** Over a connection of its own: what is injected has none that could end. */
async function post(w: World, path: string, body: Buffer<ArrayBuffer>, headers: Record<string, string>) {
  const own = { origin: w.service.url, 'sec-fetch-site': 'same-origin', 'content-type': 'text/csv' }
  const answer = await fetch(`${w.service.url}${path}`, { method: 'POST', headers: { ...own, ...headers }, body })
  return { status: answer.status, body: await answer.json() }
}

const inside = ({ client }: House, path: string) => `/panel/accounts/${client.id}${path}`

test.each(IMPORTS)(
  'an import of %s stops when the member who started it is removed',
  async (_, table, file, pathOf) => {
    const at = await house()
    const members = inside(at, '/v1/members')
    const invited = await at.operator.ask('POST', members, { name: 'Ana', email: 'ana@example.com' })
    const ana = browserOf(at.w)
    await ana.signIn({ code: codeIn(invited.body.url) })
    const importing = post(at.w, `/panel${pathOf(at)}`, file, { cookie: ana.cookie })
    await vi.waitFor(async () => expect(await storedIn(at, table)).toBeGreaterThan(0), { timeout: 60_000, interval: 5 })
    expect((await at.operator.ask('DELETE', `${members}/${invited.body.member.id}`)).status).toBeLessThan(300)
    const left = await storedIn(at, table)
    const answer = await importing
    expect([answer.status, answer.body.error?.code], JSON.stringify(answer.body)).toEqual([401, 'unauthorized'])
    // At most what was being committed.
    expect((await storedIn(at, table)) - left).toBeLessThanOrEqual(1_000)
    expect(left).toBeLessThan(table === 'ai_faq' ? 5_000 : ROWS)
  },
)

test('an import stops when its key is revoked, and the import of another key continues', async () => {
  const at = await house()
  const made = await at.operator.ask('POST', inside(at, '/v1/keys'), { name: 'Leaked', scopes: ['dispatch:manage'] })
  expect(made.status, made.text).toBe(201)
  const half = Buffer.from(['phone', ...numbers.slice(0, 4_000).map((n) => `4${n}`)].join('\n'))
  const by = (key: string, file: Buffer<ArrayBuffer>) =>
    post(at.w, '/v1/contact-imports', file, { authorization: `Bearer ${key}` })
  const [leaked, other] = [by(made.body.key, people), by(at.client.key, half)]
  await vi.waitFor(async () => expect(await storedIn(at, 'contacts')).toBeGreaterThan(400), {
    timeout: 60_000,
    interval: 5,
  })
  expect((await at.operator.ask('DELETE', inside(at, `/v1/keys/${made.body.id}`))).status).toBeLessThan(300)
  expect((await leaked).status).toBe(401)
  const rest = await other
  expect([rest.status, rest.body.rows]).toEqual([200, 4_000])
})
