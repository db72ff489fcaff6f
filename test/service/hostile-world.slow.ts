import { createHmac } from 'node:crypto'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { receivedBy, campaign } from '../capabilities/campaigns/campaign-world.ts'
import { world, type World } from '../support/world.ts'

/**
 * People of thirty countries, written in ten ways each, through every way in: each is one person, gets a campaign once,
 * and gets nothing after a stop, whatever spelling it was said in.
 */

/** Mobile numbers as they are dialled today. */
const NUMBERS = [
  ...['5511961233141', '522221233141', '5491123453141', '2290195123141', '2250707123141', '12015553141'],
  ...['15062343141', '447400123141', '4915123453141', '33612343141', '393123453141', '34612343141'],
  ...['351912343141', '31612343141', '43664123141', '41781233141', '48512343141', '905012343141'],
  ...['79123453141', '380501233141', '918123453141', '62812343141', '639051233141', '61412343141'],
  ...['27711233141', '2348021233141', '254712123141', '201001233141', '966512343141', '573211233141'],
]

/** Spellings that people and networks still have from before a numbering plan changed. */
const EARLIER: readonly (readonly [RegExp, string])[] = [
  [/^(5511)9/, '$1'],
  [/^52/, '521'],
  [/^549/, '54'],
  [/^22901/, '229'],
  [/^22507/, '225'],
]
/** Calling codes behind which people of the country write the zero that they dial at home. */
const TRUNK_ZERO = new Set(['55', '54', '44', '49', '33', '31', '43', '41', '90', '380', '91', '62', '63', '61'])

interface Person {
  readonly number: string
  readonly spellings: readonly string[]
  /** As a network may name them when they write. */
  readonly ofNetwork: string
}

function personOf(number: string): Person {
  const parsed = parsePhoneNumberFromString(`+${number}`)
  if (parsed?.isValid() !== true) throw new Error(`${number} is the number of nobody`)
  const [code, pretty] = [parsed.countryCallingCode, parsed.formatInternational()]
  const national = number.slice(code.length)
  const earlier = EARLIER.find(([pattern]) => pattern.test(number))
  const ofNetwork = earlier === undefined ? number : number.replace(...earlier)
  return {
    ...{ number, ofNetwork },
    spellings: [
      number,
      `+${number}`,
      pretty,
      `00${number}`,
      `tel:+${number.slice(0, -4)}-${number.slice(-4)}`,
      `="${number}"`,
      `\u202A${pretty}\u202C`,
      pretty.replaceAll(' ', '\u00A0').replaceAll('-', '\u2011'),
      TRUNK_ZERO.has(code) ? `+${code} (0) ${national}` : `011 ${number}`,
      ofNetwork === number ? `+${code}.${national.slice(0, 3)}.${national.slice(3)}\u200E` : `+${ofNetwork}`,
    ],
  }
}

const people = NUMBERS.map(personOf)
const stopped = people.filter((_, at) => at % 3 === 0)
const reached = people.filter((_, at) => at % 3 !== 0)
const spelled = ({ spellings }: Person, nth: number) => spellings[nth % spellings.length] ?? ''
const csv = (rows: readonly string[]) =>
  Buffer.from(['phone', ...rows.map((row) => `"${row.replaceAll('"', '""')}"`)].join('\n'))
const CSV = { headers: { 'content-type': 'text/csv' } }

let w: World
let line: any
beforeAll(async () => {
  w = await world()
  line = await w.pair('12025550199')
})
afterAll(() => w.close())

async function everyPage(path: string): Promise<any[]> {
  const all: any[] = []
  for (let cursor = ''; ;) {
    const { status, body, text } = await w.api('GET', `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor}`)
    expect(status, text).toBe(200)
    all.push(...body.data)
    if (!body.has_more) return all
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

test('a contact is one person, whichever spelling adds, imports or finds it', async () => {
  for (const person of people)
    for (let nth = 0; nth < 10; nth++) {
      const { status, text } = await w.api('POST', '/v1/contacts', { phone: spelled(person, nth), tags: [`t${nth}`] })
      expect(status, text).toBe(nth === 0 ? 201 : 200)
    }
  const file = csv(people.flatMap(({ spellings }) => spellings))
  const { body: imported } = await w.api('POST', '/v1/contact-imports', file, CSV)
  expect(imported).toMatchObject({ created: 0, invalid: 0 })
  const contacts = await everyPage('/v1/contacts')
  expect(contacts.map(({ phone }) => phone).toSorted()).toEqual(NUMBERS.toSorted())
  for (const [at, person] of people.entries()) {
    const path = `/v1/contacts/${encodeURIComponent(spelled(person, at))}`
    expect((await w.api('GET', path)).body.phone).toBe(person.number)
  }
})

test('a chat is one person, who writes under one spelling and is written to under another', async () => {
  const before = await w.rows('SELECT seq FROM messages')
  for (const [at, { ofNetwork }] of people.entries())
    if (at % 2 === 0)
      await w.api('POST', `/v1/sandbox/phones/${ofNetwork}/messages`, { to: line.phone_number, text: 'Hello' })
  await w.quiet()
  // A send takes digits only: those of today, and those of before.
  for (const { number, ofNetwork } of people)
    for (const to of [ofNetwork, number, ofNetwork]) {
      const sent = await w.api('POST', `/v1/instances/${line.id}/messages`, { to, text: 'Hi' })
      expect(sent.status, `${to}: ${sent.text}`).toBe(201)
    }
  for (const [at, { ofNetwork }] of people.entries())
    if (at % 2 === 1)
      await w.api('POST', `/v1/sandbox/phones/${ofNetwork}/messages`, { to: line.phone_number, text: 'Hello' })
  await w.pass(5_000)
  const [chats] = await w.rows<{ n: number }>('SELECT count(DISTINCT chat) AS n FROM messages')
  expect(chats?.n).toBe(people.length)
  const after = await w.rows('SELECT seq FROM messages')
  expect(after.length - before.length).toBe(people.length * 4)
  expect(await everyPage('/v1/contacts')).toHaveLength(people.length)
})

test('a stop in one spelling is one in all, by API, file, CRM or the person, and a campaign reaches everybody else once', async () => {
  const crm = (await w.api('PUT', `/v1/instances/${line.id}/crm-webhook`, { url: 'https://catcher.sandbox/crm' })).body
  const stops = [
    async (phone: string) => w.api('POST', '/v1/opt-outs', { phone }),
    async (phone: string) => w.api('POST', '/v1/opt-out-imports', csv([phone]), CSV),
    async (phone: string) => w.api('POST', '/v1/contacts', { phone, opted_out: true }),
    async (_phone: string, { ofNetwork: phone }: Person) =>
      postAsCrm(crm, { id: `stop-${phone}`, type: 'opt_out', phone, opted_out: true }),
  ]
  for (const [at, person] of stopped.entries()) {
    const stop = stops[at % (stops.length + 1)]
    const answer =
      stop === undefined
        ? await w.api('POST', `/v1/sandbox/phones/${person.ofNetwork}/messages`, {
            to: line.phone_number,
            text: 'STOP',
          })
        : await stop(spelled(person, at + 2), person)
    expect(answer.status, `${at} ${answer.text}`).toBeLessThan(300)
  }
  await w.pass(5_000)
  expect((await everyPage('/v1/opt-outs')).map(({ phone }) => phone)).toHaveLength(stopped.length)

  const before = await receivedBy(w)
  const wish = {
    ...{ instance_ids: [line.id], name: 'Offer', messages: [{ text: 'Offer' }] },
    config: { minDelay: 0, maxDelay: 0, checkNumbers: false },
  }
  const { campaign_id: id } = (await w.api('POST', '/v1/campaigns', wish)).body
  const rows = Array.from({ length: 10 }, (_, nth) => people.map((person) => spelled(person, nth))).flat()
  const added = await w.api('POST', `/v1/campaigns/${id}/recipients/import`, csv(rows), CSV)
  expect(added.body.recipients, added.text).toEqual({
    ...{ accepted: reached.length, duplicates: people.length * 9, invalid: 0, opted_out: stopped.length },
  })
  expect((await w.api('POST', `/v1/campaigns/${id}/start`)).status).toBe(200)
  for (let minutes = 0; (await campaign(w, id)).status !== 'completed'; minutes++) {
    expect(minutes).toBeLessThan(60)
    await w.pass(60_000)
  }
  const after = await receivedBy(w)
  const got = [...after].map(([number, count]) => [number, count - (before.get(number) ?? 0)] as const)
  expect(got.filter(([, count]) => count > 0).every(([, count]) => count === 1)).toBe(true)
  expect(got.filter(([, count]) => count > 0)).toHaveLength(reached.length)
  for (const { number, ofNetwork } of stopped) {
    expect(new Map(got).get(number) ?? 0, number).toBe(0)
    expect(new Map(got).get(ofNetwork) ?? 0, ofNetwork).toBe(0)
  }
})

/** As a CRM posts it, signed. */
function postAsCrm({ secret, inbound_url: url }: any, body: object) {
  const text = JSON.stringify(body)
  const at = Math.floor(w.clock.now() / 1_000)
  const signature = `sha256=${createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')}`
  const headers = {
    'content-type': 'application/json',
    'x-service-timestamp': String(at),
    'x-service-signature': signature,
  }
  return w.api('POST', new URL(url).pathname, Buffer.from(text), { key: null, headers })
}
