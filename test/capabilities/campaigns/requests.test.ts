import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../main/contract/scopes.ts'
import { world, type World } from '../../support/world.ts'
import { campaign, expectCountsRight, phonesFrom } from './campaign-world.ts'

let w: World
let a: any
let live: any
beforeAll(async () => {
  w = await world()
  a = await w.pair()
  live = await w.instance({ network: 'live' })
})
afterAll(() => w.close())

const [PHONE = '', OTHER = ''] = phonesFrom(2)
const body = (more: object = {}) => ({
  instance_ids: [a.id],
  name: 'Offer',
  messages: [{ text: 'Hello {{name|there}}' }],
  recipients: [{ phone: PHONE }],
  config: { minDelay: 0, maxDelay: 0 },
  ...more,
})
const create = (more: object = {}, headers: Record<string, string> = {}) =>
  w.api('POST', '/v1/campaigns', body(more), { headers })
const campaigns = () => w.rows<{ id: string }>('SELECT id FROM campaigns')

describe('an invalid request', () => {
  const DAY = { start: '08:00', end: '20:00' }
  test.each<[string, () => object, number, RegExp]>([
    ['an unknown instance', () => ({ instance_ids: ['0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'] }), 404, /instance_ids/],
    ['two networks', () => ({ instance_ids: [a.id, live.id] }), 400, /sandbox and live/],
    ['the same instance twice', () => ({ instance_ids: [a.id, a.id] }), 400, /instance_ids/],
    ['no instance', () => ({ instance_ids: [] }), 400, /instance_ids/],
    [
      'a live smv2 number without a delay',
      () => ({ instance_ids: [live.id], config: { minDelay: 1, maxDelay: 5 } }),
      400,
      /minDelay/,
    ],
    ['a shortest delay above the longest', () => ({ config: { minDelay: 9, maxDelay: 5 } }), 400, /minDelay is 9/],
    ['a delay of more than an hour', () => ({ config: { minDelay: 0, maxDelay: 3_601 } }), 400, /maxDelay/],
    ['a pause that ends before it begins', () => ({ config: { pauseFor: [9, 3] } }), 400, /pauseFor/],
    [
      'hours that never begin',
      () => ({ config: { window: { ...DAY, end: '08:00' } } }),
      400,
      /starts and ends at 08:00/,
    ],
    ['hours without a day', () => ({ config: { window: { ...DAY, days: [] } } }), 400, /days/],
    ['an unknown time zone', () => ({ config: { window: { ...DAY, timezone: 'Mars/Olympus' } } }), 400, /Mars/],
    ['a weight of another instance', () => ({ config: { weights: { [live.id]: 2 } } }), 400, /weights/],
    ['an unknown field of config', () => ({ config: { speed: 9 } }), 400, /speed/],
    ['an empty message', () => ({ messages: [{}] }), 400, /messages 1 is empty/],
    ['a message of spaces', () => ({ messages: [{ text: ' \n ' }] }), 400, /messages 1 is empty/],
    ['no message', () => ({ messages: [] }), 400, /messages/],
    [
      'two kinds in one message',
      () => ({ messages: [{ text: 'a' }, { text: 'a', media_url: 'https://a.example/b' }] }),
      400,
      /messages 2/,
    ],
    ['a file without a type', () => ({ messages: [{ media_url: 'https://a.example/b.png' }] }), 400, /media_type/],
    ['a caption without a file', () => ({ messages: [{ text: 'a', caption: 'b' }] }), 400, /caption/],
    [
      'a file that is no web address',
      () => ({ messages: [{ media_url: 'ftp://a.example/b', media_type: 'image' }] }),
      400,
      /media_url/,
    ],
    ['a template on a phone', () => ({ messages: [{ cloud_api: { type: 'template' } }] }), 400, /official/],
    [
      'options in options without end',
      () => ({ messages: [{ text: `${'{a|'.repeat(11)}b${'}'.repeat(11)}` }] }),
      400,
      /10 levels/,
    ],
    [
      'a file nobody uploaded',
      () => ({ messages: [{ media_id: 'fil_x', media_type: 'image' }] }),
      400,
      /messages 1: media_id/,
    ],
    ['a brace that is not closed', () => ({ messages: [{ text: '{Hi|Hello there' }] }), 400, /\{Hi/],
    [
      'an unknown variable, when it starts',
      () => ({ messages: [{ text: '{{city}}' }], start: true }),
      400,
      /\{\{city\}\}/,
    ],
    ['nobody, when it starts', () => ({ recipients: undefined, start: true }), 400, /no recipients/],
    ['nobody who can be reached', () => ({ recipients: [{ phone: '12' }, { phone: 'x' }] }), 400, /None of the 2/],
    ['a time that has passed', () => ({ scheduled_at: '2020-01-01T00:00:00.000Z' }), 400, /scheduled_at/],
    ['a time in two years', () => ({ scheduled_at: '2028-01-01T00:00:00.000Z' }), 400, /365 days/],
  ])('%s is refused with a sentence, and nothing is stored', async (_name, more, status, words) => {
    const before = await campaigns()
    const answer = await create(more())
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringMatching(words)])
    expect(await campaigns()).toEqual(before)
  })

  test('an instance of another account is unknown, like one that does not exist', async () => {
    const { key } = await w.stranger()
    const answer = await w.api('POST', '/v1/campaigns', body(), { key })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    expect(answer.body.error.message).toContain('instance_ids')
  })
})

describe('a list of people', () => {
  test('of 10,000 with 300 bad ones is accepted, and the bad ones are named', async () => {
    const phones = phonesFrom(9_700, 13_105_550_000)
    const bad = Array.from({ length: 300 }, (_each, i) => ({ phone: ['12', 'nobody', '', '1'.repeat(20)][i % 4] }))
    const recipients = phones
      .map((phone, i) => ({ phone, name: `Person ${i}` }))
      .flatMap((each, i) => (i < 300 ? [bad[i], each] : [each]))
    const answer = await create({ recipients })
    expect(answer.status).toBe(201)
    expect(answer.body.recipients).toEqual({ accepted: 9_700, duplicates: 0, invalid: 300, opted_out: 0 })
    expect(answer.body.problems).toHaveLength(300)
    expect(answer.body.problems.slice(0, 3)).toEqual([
      { line: 1, phone: '12', reason: 'too_short' },
      { line: 3, phone: 'nobody', reason: 'not_a_number' },
      { line: 5, phone: '', reason: 'missing' },
    ])
    await expectCountsRight(w, answer.body.campaign_id)
  })

  test('contains everybody once, however the number is written', async () => {
    const spelled = [
      ...['+55 11 98765-4321', '5511987654321', '551187654321', '+55 (0)11 98765-4321', 'tel:+5511987654321'],
      ...['+52 1 55 1234 5678', '525512345678', '="5215512345678"'],
    ]
    const answer = await create({ recipients: spelled.map((phone) => ({ phone })) })
    expect(answer.body.recipients).toMatchObject({ accepted: 2, duplicates: 6, invalid: 0 })
  })

  test('contains no number outside every numbering plan, in the sandbox too', async () => {
    const answer = await create({ recipients: [{ phone: PHONE }, { phone: '551112345678' }] })
    expect(answer.body.recipients).toMatchObject({ accepted: 1, invalid: 1 })
    expect(answer.body.problems).toMatchObject([{ line: 2, phone: '551112345678' }])
  })

  test('reads national numbers with the country of the request', async () => {
    const answer = await create({ recipients: [{ phone: '(11) 91234-5678' }], country: 'BR' })
    const list = await w.api('GET', `/v1/campaigns/${answer.body.campaign_id}/recipients`)
    expect(list.body.data[0].phone).toBe('5511912345678')
  })

  test('leaves out people who opted out', async () => {
    await w.api('POST', '/v1/opt-outs', { phone: OTHER })
    const answer = await create({ recipients: [{ phone: PHONE }, { phone: OTHER }] })
    expect(answer.body.recipients).toEqual({ accepted: 1, duplicates: 0, invalid: 0, opted_out: 1 })
    expect(answer.body.problems).toEqual([{ line: 2, phone: OTHER, reason: 'opted_out' }])
    await w.api('DELETE', `/v1/opt-outs/${OTHER}`)
  })

  test('can come from a tag', async () => {
    await w.api('POST', '/v1/contacts', { phone: '12025550188', name: 'Ana', tags: ['vip'] })
    const answer = await create({ recipients: undefined, recipients_tag: 'vip' })
    expect(answer.body.recipients.accepted).toBe(1)
  })
})

describe('Idempotency-Key', () => {
  test('makes one campaign of any number of repeats', async () => {
    const key = { 'idempotency-key': 'march' }
    const first = await create({ name: 'Once' }, key)
    const again = await create({ name: 'Once' }, key)
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true'])
    const other = await create({ name: 'Twice' }, key)
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  test('can be used again after a refusal', async () => {
    const key = { 'idempotency-key': 'april' }
    expect((await create({ messages: [{}] }, key)).status).toBe(400)
    expect((await create({}, key)).status).toBe(201)
  })
})

describe('a restricted key', () => {
  test('sees and creates only campaigns of its instances', async () => {
    const b = await w.pair()
    const { key } = await w.key({ instances: [a.id] })
    const own = (await create()).body.campaign_id
    const mixed = (await create({ instance_ids: [a.id, b.id] })).body.campaign_id
    expect((await w.api('GET', `/v1/campaigns/${own}`, undefined, { key })).status).toBe(200)
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/start'],
      ['GET', '/report'],
      ['DELETE', ''],
    ] as const)
      expect((await w.api(method, `/v1/campaigns/${mixed}${path}`, undefined, { key })).status, path).toBe(404)
    const list = await w.api('GET', '/v1/campaigns?limit=200', undefined, { key })
    const ids = list.body.data.map((each: any) => each.campaign_id)
    expect(ids).toContain(own)
    expect(ids).not.toContain(mixed)
    expect((await w.api('POST', '/v1/campaigns', body({ instance_ids: [b.id] }), { key })).status).toBe(404)
    const preview = await w.api('POST', '/v1/campaigns/preview', { campaign_id: mixed }, { key })
    expect(preview.status).toBe(404)
  })
})

describe('drafts', () => {
  test('can be changed field by field, and recipients replaced', async () => {
    const { campaign_id: id } = (await create()).body
    const patch = (more: object) => w.api('PATCH', `/v1/campaigns/${id}`, more)
    expect((await patch({ name: 'Other' })).body).toMatchObject({ name: 'Other', counts: { total: 1 } })
    const changed = await patch({ recipients: [{ phone: OTHER, variables: { City: 'Rio' } }, { phone: '1' }] })
    expect(changed.body).toMatchObject({
      ...{ recipients: { accepted: 1, invalid: 1 }, counts: { total: 1, pending: 1 }, variables: ['city'] },
    })
    expect((await patch({ messages: [{ text: '{{ City }}' }], config: { minDelay: 3 } })).body.config).toMatchObject({
      ...{ minDelay: 3, maxDelay: 25 },
    })
    expect((await patch({ recipients: [] })).body.counts.total).toBe(0)
    await expectCountsRight(w, id)
    expect((await w.api('POST', `/v1/campaigns/${id}/start`)).body.error.message).toMatch(/no recipients/)
    expect((await patch({})).status).toBe(200)
  })

  test('keep their budget when their pace is changed, and their pace when their budget is', async () => {
    const budget = { amount_micros: 5_000_000, currency: 'usd' }
    const pace = { minDelay: 3, maxDelay: 9, hourlyLimit: 40 }
    const { campaign_id: id } = (await create({ config: { ...pace, budget } })).body
    const patch = async (config: object) => (await w.api('PATCH', `/v1/campaigns/${id}`, { config })).body.config
    expect(await patch({ ...pace, minDelay: 4 })).toMatchObject({ minDelay: 4, hourlyLimit: 40, budget })
    expect(await patch({ budget: { ...budget, amount_micros: 9_000_000 } })).toMatchObject({
      ...{ minDelay: 4, maxDelay: 9, hourlyLimit: 40, budget: { amount_micros: 9_000_000 } },
    })
    expect(await patch({ minDelay: 5 })).toMatchObject({
      minDelay: 5,
      hourlyLimit: null,
      budget: { amount_micros: 9_000_000 },
    })
    expect(await patch({ budget: null })).toMatchObject({ minDelay: 5, budget: null })
  })

  test('a suspended account changes the pace of a draft that has a budget, and not the budget', async () => {
    const { id: client } = (await w.api('POST', '/v1/agency/accounts', { name: 'Bakery', features: ['campaigns'] }))
      .body
    const key = (await w.api('POST', `/v1/agency/accounts/${client}/keys`, { name: 'Theirs', scopes: SCOPES })).body.key
    const theirs = (method: string, path: string, data?: object) => w.api(method, path, data, { key })
    await w.api('PUT', `/v1/agency/accounts/${client}/slots`, { slots_allocated: 1 })
    const { id: line } = (await theirs('POST', '/v1/instances', { name: 'Line' })).body
    const budget = { amount_micros: 5_000_000, currency: 'usd' }
    const draft = body({ instance_ids: [line], config: { minDelay: 3, budget } })
    const { campaign_id: id } = (await theirs('POST', '/v1/campaigns', draft)).body
    await w.api('POST', `/v1/agency/accounts/${client}/suspend`)
    const patched = await theirs('PATCH', `/v1/campaigns/${id}`, { config: { minDelay: 4 } })
    expect(patched).toMatchObject({ status: 200, body: { config: { minDelay: 4, budget } } })
    const refused = await theirs('PATCH', `/v1/campaigns/${id}`, { config: { budget: null } })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'account_suspended' } } })
  })

  test('that start outside of their sending hours say that the first message leaves when these begin', async () => {
    const startMs = w.clock.now() + 60_000
    const opensMs = Math.ceil(startMs / 60_000) * 60_000 + 3 * 3_600_000
    const time = (ms: number) => new Date(ms).toISOString().slice(11, 16)
    const window = {
      start: time(opensMs),
      end: time(opensMs + 3_600_000),
      timezone: 'UTC',
      days: [1, 2, 3, 4, 5, 6, 7],
    }
    const made = await create({
      ...{ scheduled_at: new Date(startMs).toISOString(), recipients: [{ phone: OTHER }] },
      config: { window },
    })
    expect(made.body.status).toBe('scheduled')
    expect((await campaign(w, made.body.campaign_id)).next_send_at).toBe(new Date(opensMs).toISOString())
  })

  test('start at their time, and only the time can be changed until then', async () => {
    const at = new Date(w.clock.now() + 60_000).toISOString()
    const { campaign_id: id, status } = (await create({ scheduled_at: at, recipients: [{ phone: OTHER }] })).body
    expect(status).toBe('scheduled')
    expect((await campaign(w, id)).next_send_at).toBe(at)
    expect((await w.api('PATCH', `/v1/campaigns/${id}`, { name: 'Late' })).body.error.code).toBe('invalid_state')
    const later = new Date(w.clock.now() + 120_000).toISOString()
    expect((await w.api('PATCH', `/v1/campaigns/${id}`, { scheduled_at: later })).body.status).toBe('scheduled')
    await w.pass(65_000)
    expect((await campaign(w, id)).status).toBe('scheduled')
    await w.pass(60_000)
    expect((await campaign(w, id)).status).toBe('completed')
    const draft = (await create({ scheduled_at: new Date(w.clock.now() + 60_000).toISOString() })).body.campaign_id
    expect((await w.api('PATCH', `/v1/campaigns/${draft}`, { scheduled_at: null })).body.status).toBe('draft')
    await w.pass(65_000)
    expect((await campaign(w, draft)).status).toBe('draft')
  })
})

describe('a CSV file', () => {
  const send = (id: string, text: string, query = '') =>
    w.api('POST', `/v1/campaigns/${id}/recipients/import${query}`, Buffer.from(text), {
      headers: { 'content-type': 'text/csv' },
    })
  const draft = async () => (await create({ recipients: undefined })).body.campaign_id

  test('adds people with their variables, and names what is wrong', async () => {
    const id = await draft()
    const text =
      '\uFEFFphone;name;Cidade\r\n+1 202 555 0131;"Ana; Maria";São Paulo\r\n12;x;y\r\n12025550131;Again;Rio\r\n12025550132;;\r\n'
    const answer = await send(id, text)
    expect(answer.body).toEqual({
      ...{ campaign_id: id, status: 'draft', recipients: { accepted: 2, duplicates: 1, invalid: 1, opted_out: 0 } },
      problems: [
        { line: 3, phone: '12', reason: 'too_short' },
        { line: 4, phone: '12025550131', reason: 'duplicate' },
      ],
    })
    const list = await w.api('GET', `/v1/campaigns/${id}/recipients`)
    expect(list.body.data[0]).toMatchObject({ name: 'Ana; Maria', variables: { cidade: 'São Paulo' } })
    expect((await send(id, text)).body.recipients).toMatchObject({ accepted: 0, duplicates: 3 })
    expect((await send(id, 'phone\n12025550139\n', '?replace=true')).body.recipients.accepted).toBe(1)
    expect(await campaign(w, id)).toMatchObject({ counts: { total: 1 }, variables: [] })
  })

  test('from an old spreadsheet is parsed correctly: Windows-1252, scientific notation, neutralized formulas', async () => {
    const id = await draft()
    const text =
      "phone;name;city\r\n1,2025550131E+10;'=Jos\u00e9;S\u00e3o Paulo\r\n1,20256E+10;Lost;\r\n12025550132,0;Ana;Bogot\u00e1\r\n"
    const file = Buffer.from(text, 'latin1')
    const headers = { 'content-type': 'text/csv' }
    const { body: answer } = await w.api('POST', `/v1/campaigns/${id}/recipients/import`, file, { headers })
    expect(answer.recipients).toEqual({ accepted: 2, duplicates: 0, invalid: 1, opted_out: 0 })
    expect(answer.problems).toMatchObject([{ line: 3, phone: '1,20256E+10' }])
    const list = (await w.api('GET', `/v1/campaigns/${id}/recipients`)).body.data
    expect(list.map(({ phone, name, variables }: any) => [phone, name, variables.city])).toEqual([
      ['12025550131', '=José', 'São Paulo'],
      ['12025550132', 'Ana', 'Bogotá'],
    ])
  })

  test.each([
    ['Telefone;Nome;Cidade', { nome: 'Ana', cidade: 'Rio' }],
    ['Teléfono;Nombre completo;City', { 'nombre completo': 'Ana', city: 'Rio' }],
    ['WhatsApp Number;Full Name;City', { 'full name': 'Ana', city: 'Rio' }],
    ['Celular;name;Number', { number: 'Rio' }],
  ])('whose first line is %s is read', async (head, variables) => {
    const id = await draft()
    expect((await send(id, `${head}\n+1 202 555 0131;Ana;Rio\n`)).body.recipients.accepted).toBe(1)
    const list = await w.api('GET', `/v1/campaigns/${id}/recipients`)
    expect(list.body.data[0]).toMatchObject({ phone: '12025550131', name: 'Ana', variables })
  })

  test.each([
    ['without a column of numbers', 'order\n12025550131\n', /no column phone/],
    ['with a column twice', 'phone,city,City\n12025550131,a,b\n', /two columns/],
    ['without rows', 'phone\n', /no rows/],
    ['without one usable row', 'phone\n12\nabc\n', /None of the 2/],
    ['that is empty', '', /empty|file/],
  ])('%s is refused', async (_name, text, words) => {
    const id = await draft()
    const answer = await send(id, text)
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(words)])
    expect((await campaign(w, id)).counts.total).toBe(0)
  })

  test('for a campaign that has started is refused', async () => {
    const id = (await create({ start: true })).body.campaign_id
    expect((await send(id, 'phone\n12025550131\n')).body.error.code).toBe('invalid_state')
  })

  test('can be exported as a report, with cells that run no formula', async () => {
    const id = (await create({ recipients: [{ phone: OTHER, name: '=1+1' }], start: true })).body.campaign_id
    await w.pass(5_000)
    const csv = await w.api('GET', `/v1/campaigns/${id}/report`, undefined, { headers: { accept: 'text/csv' } })
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    const [head, line = ''] = csv.text.split('\r\n')
    expect(head).toBe(
      'phone,name,status,instance_id,variation,message_id,sent_at,delivered_at,read_at,replied_at,error_code',
    )
    expect(line).toMatch(new RegExp(`^${OTHER},'=1\\+1,read,${a.id},1,msg_`))
  })
})

describe('an uploaded file', () => {
  const upload = async (type: string) =>
    (await w.api('POST', '/v1/media', Buffer.from('%PDF'), { headers: { 'content-type': type } })).body.media_id
  const expiry = async (id: string) =>
    (await w.rows<{ at: number }>('SELECT expires_at AS at FROM files WHERE id = :id', { id }))[0]?.at ?? 0

  test('must be what media_type says', async () => {
    const media = await upload('application/pdf')
    const answer = await create({ messages: [{ media_id: media, media_type: 'image' }] })
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(/application\/pdf/)])
  })

  test('is kept as long as a campaign may need it', async () => {
    const media = await upload('application/pdf')
    const messages = [{ media_id: media, media_type: 'document' }]
    const before = await expiry(media)
    const { campaign_id: id } = (await create({ messages })).body
    expect(await expiry(media)).toBe(before)
    await w.api('POST', `/v1/campaigns/${id}/start`)
    expect((await expiry(media)) - before).toBeGreaterThan(80 * 86_400_000)
  })
})

test('a timeline shows events over time, without gaps', async () => {
  const people = phonesFrom(3, 12_025_570_000)
  const id = (
    await create({
      recipients: people.map((phone) => ({ phone })),
      config: { minDelay: 90, maxDelay: 90 },
      start: true,
    })
  ).body.campaign_id
  for (let i = 0; i < 6; i++) await w.pass(60_000)
  const { timeline } = (await w.api('GET', `/v1/campaigns/${id}/report?timeline=true`)).body
  expect(timeline.seconds).toBe(60)
  expect(timeline.points.map(({ sent }: any) => sent).filter(Boolean)).toEqual([1, 1, 1])
  const times = timeline.points.map(({ at }: any) => Date.parse(at))
  expect(times.slice(1).every((at: number, i: number) => at - times[i] === 60_000)).toBe(true)
  const sum = (kind: string) => timeline.points.reduce((all: number, point: any) => all + Number(point[kind]), 0)
  expect([sum('delivered'), sum('read'), sum('replied'), sum('failed')]).toEqual([3, 3, 0, 0])
  expect((await w.api('GET', `/v1/campaigns/${id}/report`)).body.timeline).toBeUndefined()
})

describe('a preview', () => {
  test('counts people whom these numbers have written to lately, and says that they are skipped', async () => {
    const [one = '', two = ''] = phonesFrom(2, 12_025_580_000)
    await w.api('POST', `/v1/instances/${a.id}/messages`, { to: one, text: 'Hi' })
    const ask = (hours: number | null) =>
      preview(body({ recipients: [{ phone: one }, { phone: two }], config: { skipIfContactedHours: hours } }))
    await expect.poll(async () => (await ask(24)).body.recently_contacted).toBe(1)
    expect((await ask(24)).body.risks).toContainEqual({
      ...{ code: 'recently_contacted', severity: 'info', field: 'config.skipIfContactedHours' },
      message: expect.stringContaining('1 of 2 people'),
      params: { count: 1, total: 2, hours: 24 },
    })
    expect((await ask(null)).body).toMatchObject({ recently_contacted: 0 })
  })

  const preview = (more: object) => w.api('POST', '/v1/campaigns/preview', more)

  test('shows what would happen, and writes nothing', async () => {
    const before = await campaigns()
    const { body: shown } = await preview(
      body({
        messages: [
          { text: '{Hi|Hello} {{name|friend}} in {{city}}' },
          { text: 'Second', buttons: [{ id: 'y', text: 'Yes' }] },
        ],
        recipients: [
          ...phonesFrom(20).map((phone, i) => ({ phone, name: i ? `P${i}` : null, variables: { city: 'Rio' } })),
          { phone: '1' },
        ],
        config: { minDelay: 10, maxDelay: 20 },
      }),
    )
    expect(shown).toMatchObject({
      can_start: true,
      total: 20,
      recipients: { accepted: 20, invalid: 1 },
      variables: ['city'],
    })
    expect(shown.duration_seconds).toBe(19 * 15)
    expect(shown.per_instance).toMatchObject([{ instance_id: a.id, connected: true, recipients: 20 }])
    expect(new Set(shown.samples.map(({ variation }: any) => variation))).toEqual(new Set([1, 2]))
    for (const { text, variation } of shown.samples)
      expect(text).toMatch(variation === 1 ? /^(Hi|Hello) (friend|P\d+) in Rio$/ : /^Second\n\n1\. Yes$/)
    expect(shown.risks.map(({ code }: any) => code)).toContain('buttons_as_text')
    expect(await campaigns()).toEqual(before)
  })

  test('shows the exact texts that are sent later, and their numbers', async () => {
    const [b, c] = [await w.pair(), await w.pair()]
    const id = (
      await create({
        instance_ids: [a.id, b.id, c.id],
        config: { minDelay: 0, maxDelay: 0, weights: { [b.id]: 2 } },
        messages: [{ text: '{A|B|C|D} {E|F|G}' }],
        recipients: phonesFrom(5, 14_155_550_000).map((phone) => ({ phone })),
      })
    ).body.campaign_id
    const { body: shown } = await preview({ campaign_id: id })
    await w.api('POST', `/v1/campaigns/${id}/start`)
    await w.pass(3_000)
    const { body: sent } = await w.api('GET', `/v1/campaigns/${id}/recipients`)
    const senderOf = new Map(sent.data.map(({ phone, instance_id: by }: any) => [phone, by]))
    expect(new Set(senderOf.values()).size).toBe(3)
    for (const { phone, text, instance_id: by } of shown.samples) {
      const { body: got } = await w.api('GET', `/v1/sandbox/phones/${phone}/messages`)
      expect([got.data[0].text, senderOf.get(phone)], phone).toEqual([text, by])
    }
  })

  test('names what prevents the start', async () => {
    const { body: shown } = await preview({
      instance_ids: [live.id],
      config: { minDelay: 0 },
      messages: [{ text: '{{x}}' }, {}],
    })
    expect(shown.can_start).toBe(false)
    const errors = shown.risks
      .filter(({ severity }: any) => severity === 'error')
      .map(({ code, field }: any) => [code, field])
    expect(errors).toEqual([
      ['validation_error', 'config'],
      ['validation_error', 'messages'],
      ['no_recipients', 'recipients'],
      ['unknown_variable', 'messages'],
    ])
  })
})

describe('a test', () => {
  test('sends one variation to a number of the caller, outside of the counts, and once per key', async () => {
    const id = (await create({ messages: [{ text: 'One' }, { text: 'Two {{name}}' }] })).body.campaign_id
    const send = () =>
      w.api(
        'POST',
        `/v1/campaigns/${id}/test`,
        { to: '12025550171', variation: 2, name: 'Me' },
        { headers: { 'idempotency-key': 'try' } },
      )
    const [first, again] = [await send(), await send()]
    expect(first.body).toMatchObject({ sent: true, instance_id: a.id, variation: 2 })
    expect(again.body.message_id).toBe(first.body.message_id)
    await w.quiet()
    const { body: got } = await w.api('GET', '/v1/sandbox/phones/12025550171/messages')
    expect(got.data.map(({ text }: any) => text)).toEqual(['Two Me'])
    expect((await campaign(w, id)).counts).toMatchObject({ pending: 1, sent: 0 })
    expect((await w.api('POST', `/v1/campaigns/${id}/test`, { to: '12025550171', variation: 3 })).status).toBe(400)
  })
})
