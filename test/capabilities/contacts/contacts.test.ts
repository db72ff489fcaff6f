import { connect } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { builtConsole, signedIn } from '../../support/panel.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const ADA = '12025550177'
const PATH = '/v1/contacts'

let w: World
let line: { id: string; phone_number: string }
beforeEach(async () => {
  w = await worldOfTest({ consoleFolder: builtConsole() })
  line = await w.pair()
})

const say = async (text: string, number = ADA, to = line.phone_number) => {
  await w.api('POST', `/v1/sandbox/phones/${number}/messages`, { to, text })
  await w.quiet()
}
const send = async (to: string) => {
  await w.api('POST', `/v1/instances/${line.id}/messages`, { to, text: 'Hello' })
  await w.quiet()
}
const add = (body: object) => w.api('POST', PATH, body)
const list = async (query: Record<string, string> = {}) =>
  (await w.api('GET', `${PATH}?${new URLSearchParams(query).toString()}`)).body.data
const names = async (query: Record<string, string> = {}) =>
  (await list(query)).map(({ name }: { name: string }) => name)

describe('the names of people by phone number', () => {
  const ask = async (phones: readonly string[]) =>
    asConsole(w)('GET', `/v1/contact-names?${new URLSearchParams({ phones: phones.join(',') }).toString()}`)

  test('are found for any spelling, and only for the requested numbers', async () => {
    await add({ phone: '5511987654321', name: 'Ana Souza' })
    await add({ phone: ADA })
    const { body } = await ask(['551187654321', ADA, '12025550999', 'someone@lid'])
    expect(body).toEqual({
      data: [{ phone: '551187654321', name: 'Ana Souza', number: '5511987654321', username: null }],
    })
  })

  test('are returned without a number for a person who hides it', async () => {
    const [hidden, other] = ['900000000000001', '900000000000002']
    await w.api('POST', '/v1/sandbox/phones', { number: hidden, name: 'Lia' })
    await say('Hi', hidden)
    await say('Hi', other)
    expect((await ask([hidden, other])).body.data).toEqual([
      { phone: hidden, name: 'Lia', number: null, username: null },
      { phone: other, name: expect.any(String), number: null, username: null },
    ])
  })

  test('can be read for at most a hundred numbers per request, and not with an API key', async () => {
    const phones = Array.from({ length: 101 }, (_, n) => String(12_025_550_000 + n))
    expect((await ask(phones)).body).toMatchObject({ error: { code: 'validation_error' } })
    expect((await ask(phones.slice(1))).status).toBe(200)
    expect((await w.api('GET', `/v1/contact-names?phones=${ADA}`)).status, 'not for keys').toBe(404)
  })
})

describe('messages', () => {
  test('create contacts for people who write and people who are written to', async () => {
    await w.api('POST', '/v1/sandbox/phones', { number: ADA, name: 'Ada L.' })
    await say('Hi')
    await send('12025550178')
    const [written, wrote] = await list()
    expect(wrote).toMatchObject({ phone: ADA, name: 'Ada L.', tags: [], opted_out: false, last_outbound_at: null })
    expect(wrote.instances).toEqual([
      { instance_id: line.id, last_inbound_at: wrote.last_inbound_at, last_outbound_at: null },
    ])
    expect(written).toMatchObject({ phone: '12025550178', name: null, last_inbound_at: null })
    expect(written.last_outbound_at).not.toBeNull()
  })

  test('update the times of their contact, to the minute and for each instance', async () => {
    const other = await w.pair()
    await say('Hi')
    const [before] = await list()
    await w.clock.advance(30_000)
    await say('Hi again')
    expect((await list())[0].last_inbound_at).toBe(before.last_inbound_at)
    await w.clock.advance(31_000)
    await say('Still here')
    await say('And you?', ADA, other.phone_number)
    const [after] = await list()
    expect(Date.parse(after.last_inbound_at) - Date.parse(before.last_inbound_at)).toBeGreaterThanOrEqual(61_000)
    expect(after.instances).toHaveLength(2)
  })

  test('do not replace a name given by a person', async () => {
    await add({ phone: ADA, name: 'Countess Lovelace' })
    await w.api('POST', '/v1/sandbox/phones', { number: ADA, name: 'Ada L.' })
    await say('Hi')
    expect(await names()).toEqual(['Countess Lovelace'])
    expect(await names({ q: 'ada' })).toEqual([])
    await w.api('PATCH', `${PATH}/${ADA}`, { name: null })
    expect(await names({ q: 'ada' })).toEqual(['Ada L.'])
  })

  test('in groups create no contacts', async () => {
    await w.api('POST', `/v1/sandbox/phones/${ADA}/messages`, { to: line.phone_number, text: 'Hi', group: 'friends' })
    await w.quiet()
    expect(await list()).toEqual([])
  })

  test('recreate the contact of a person who was removed', async () => {
    await say('Hi')
    expect((await w.api('DELETE', `${PATH}/${ADA}`)).status).toBe(204)
    expect(await list()).toEqual([])
    await say('Hi again')
    expect(await list()).toHaveLength(1)
  })
})

describe('a contact', () => {
  test('is created once, changed, read and deleted by its number in any spelling', async () => {
    const made = await add({ phone: '+1 202-555-0177', name: 'Ada', tags: ['vip', 'london'] })
    expect([made.status, made.body]).toMatchObject([201, { phone: ADA, name: 'Ada', tags: ['london', 'vip'] }])
    const again = await add({ phone: ADA, tags: ['vip'] })
    expect([again.status, again.body]).toMatchObject([200, { name: 'Ada', tags: ['vip'] }])
    const at = `${PATH}/${encodeURIComponent('+1 202 555 0177')}`
    expect((await w.api('PATCH', at, { name: 'Ada Lovelace' })).body.name).toBe('Ada Lovelace')
    expect((await w.api('GET', at)).body).toMatchObject({ name: 'Ada Lovelace', tags: ['vip'] })
    expect((await w.api('DELETE', at)).status).toBe(204)
    for (const method of ['GET', 'DELETE']) expect((await w.api(method, at)).status).toBe(404)
    expect((await w.api('PATCH', at, {})).status).toBe(404)
  })

  test('is the same with and without the ninth digit of a Brazilian number', async () => {
    await add({ phone: '5511981234567', name: 'Ana' })
    expect((await add({ phone: '551181234567' })).body.name).toBe('Ana')
  })

  test('shows and sets whether the person has opted out', async () => {
    const optOuts = async () => (await w.api('GET', '/v1/opt-outs')).body.data
    expect((await add({ phone: ADA, opted_out: true })).body.opted_out).toBe(true)
    expect(await optOuts()).toMatchObject([{ phone: ADA, scope: 'account', source: 'api' }])
    expect((await w.api('PATCH', `${PATH}/${ADA}`, { opted_out: false })).body.opted_out).toBe(false)
    expect(await optOuts()).toEqual([])
    await say('STOP')
    expect((await list())[0].opted_out).toBe(true)
    await w.api('DELETE', `${PATH}/${ADA}`)
    expect(await optOuts()).toHaveLength(1)
  })

  test('is refused without a number, and with an empty name or tag', async () => {
    for (const body of [
      { phone: 'Ada' },
      { phone: ADA, name: '' },
      { phone: ADA, tags: [' vip'] },
      { phone: ADA, tags: [''] },
    ])
      expect((await add(body)).body.error.code).toBe('validation_error')
    expect(await list()).toEqual([])
  })

  test('is not accessible to a key restricted to some instances', async () => {
    const { key } = await w.key({ instances: [line.id] })
    expect((await w.api('GET', PATH, undefined, { key })).body.error.code).toBe('key_restricted')
  })
})

describe('the search', () => {
  beforeEach(async () => {
    await add({ phone: '12025550101', name: 'Maria Marta Souza', tags: ['vip'] })
    await add({ phone: '12025550102', name: 'José Mariano', tags: ['vip', 'sp'] })
    await add({ phone: '5511981234567', name: 'Ána Maria' })
    await add({ phone: '34600120255', name: '山田 太郎', tags: ['sp'] })
  })

  test.each([
    ['mar', ['Maria Marta Souza', 'Ána Maria', 'José Mariano']],
    ['ana', ['Ána Maria']],
    ['souza MAR', ['Maria Marta Souza']],
    ['jose mari', ['José Mariano']],
    ['山', ['山田 太郎']],
    ['ria', []],
    ['…', []],
    ['12025', ['Maria Marta Souza', 'José Mariano']],
    ['+1 (202) 555-0101', ['Maria Marta Souza']],
    ['0255', ['山田 太郎']],
    ['11 98123-4567', []],
    ['81234567', ['Ána Maria']],
    ['5511981234567', ['Ána Maria']],
  ])('for %j finds only the matching people', async (q, found) => {
    expect((await names({ q })).toSorted()).toEqual(found.toSorted())
  })

  test('adds the country code of the country to a number without one', async () => {
    const browser = await signedIn(w)
    await browser.ask('PATCH', '/panel/v1/opt-out-settings', { country: 'BR' })
    expect(await names({ q: '11 98123-4567' })).toEqual(['Ána Maria'])
  })

  test('finds people by tag, alone and with a word', async () => {
    expect(await names({ tag: 'vip' })).toEqual(['José Mariano', 'Maria Marta Souza'])
    expect(await names({ tag: 'vip', q: 'maria' })).toEqual(['Maria Marta Souza', 'José Mariano'])
    expect(await names({ tag: 'sp', q: 'mar' })).toEqual(['José Mariano'])
    expect(await names({ tag: 'sp', q: '1202' })).toEqual(['José Mariano'])
    expect(await names({ tag: 'none' })).toEqual([])
    expect((await w.api('GET', '/v1/contact-tags')).body.data).toEqual([
      { tag: 'sp', contacts: 2 },
      { tag: 'vip', contacts: 2 },
    ])
  })

  test('continues from page to page and shows each person once', async () => {
    for (const query of ['', '&q=mar', '&q=1202', '&tag=vip', '&tag=vip&q=mar']) {
      const whole = (await w.api('GET', `${PATH}?limit=200${query}`)).body.data
      const paged: unknown[] = []
      let cursor = ''
      do {
        const page = (await w.api('GET', `${PATH}?limit=1${query}${cursor && `&cursor=${cursor}`}`)).body
        paged.push(...page.data)
        cursor = page.next_cursor
      } while (cursor)
      expect(paged, query).toEqual(whole)
      expect(whole.length, query).toBeGreaterThan(1)
    }
    const { next_cursor } = (await w.api('GET', `${PATH}?limit=1&q=mar`)).body
    expect((await w.api('GET', `${PATH}?limit=1&q=ana&cursor=${next_cursor}`)).body.error.code).toBe('invalid_cursor')
  })
})

describe('an import', () => {
  const send = (content: string | Buffer, query = '') => w.api('POST', `/v1/contact-imports${query}`, content)

  test('creates and updates contacts, and adds tags', async () => {
    await add({ phone: ADA, name: 'Ada', tags: ['old'] })
    const file =
      'Nome;Celular;Etiquetas\nAda Lovelace;12025550177;vip, london\nBob;+1 202 555 0178;\nNobody;123;x\n;12025550178;y\n'
    const { status, body } = await send(Buffer.from(file, 'latin1'), '?tag=fair')
    expect([status, body]).toEqual([
      200,
      {
        ...{ rows: 4, created: 1, updated: 1, duplicates: 1, invalid: 1 },
        problems: [{ line: 4, phone: '123', reason: 'invalid_number' }],
      },
    ])
    expect(await list()).toMatchObject([
      { name: 'Bob', tags: ['fair'] },
      { name: 'Ada Lovelace', tags: ['fair', 'london', 'old', 'vip'] },
    ])
    expect((await send(Buffer.from(file, 'latin1'), '?tag=fair')).body).toMatchObject({ created: 0, updated: 0 })
  })

  test('keeps the existing name if a row has none, and uses the given columns', async () => {
    await add({ phone: ADA, name: 'Ada' })
    expect((await send('a,b,c\n12025550177,,vip', '?phone=a&name=b&tags=%233')).body.updated).toBe(1)
    expect(await list()).toMatchObject([{ name: 'Ada', tags: ['vip'] }])
  })

  test('that is interrupted stores nothing', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `12025551${String(i).padStart(3, '0')}\n`).join('')
    expect((await send(`phone\n${rows}"1202`)).body.error.message).toContain('line 302')
    expect(await list()).toEqual([])
    const head = `POST /v1/contact-imports HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\n`
    const socket = connect(Number(w.host.split(':')[1]), '127.0.0.1')
    socket.write(`${head}phone\n12025550190\n`, () => socket.destroy())
    await new Promise((resolve) => socket.once('close', resolve))
    await w.quiet()
    expect(await list({ q: '12025550190' })).toEqual([])
  })

  test('can be previewed', async () => {
    const browser = await signedIn(w)
    const { body } = await browser.ask('POST', '/panel/v1/csv-previews', 'Nome;Fone\nAna;5511\nBob;+551\n"cut')
    expect(body).toEqual({
      delimiter: ';',
      columns: [
        { name: 'Nome', samples: ['Ana', 'Bob'] },
        { name: 'Fone', samples: ['5511', '+551'] },
      ],
    })
  })
})

test.each(['525512345678', '5215512345678', '+52 55 1234 5678', '+52 1 55 1234 5678'])(
  'only the contact with the number %s is found',
  async (phone) => {
    await add({ phone: '5215512345678', name: 'Ana', tags: ['vip'] })
    await add({ phone: '525512345679', name: 'Ben' })
    expect(await list({ phone })).toMatchObject([
      { name: 'Ana', identities: [{ kind: 'phone', value: '5215512345678' }] },
    ])
    expect(await list({ phone, tag: 'customer' })).toEqual([])
    expect(await list({ phone, q: 'an', tag: 'vip' })).toHaveLength(1)
    expect(await list({ phone, q: 'ben' })).toEqual([])
  },
)
