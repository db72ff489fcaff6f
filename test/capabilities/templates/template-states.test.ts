import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { sql } from '../../../main/kernel/sql.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'
import { clientOf, type Client } from '../agency/agency-world.ts'

const BODY = { type: 'BODY', text: 'The garden is open again.' }
/** Meta rejects it, because it begins with a variable. */
const BAD_BODY = { type: 'BODY', text: '{{1}}, your table is ready.', example: { body_text: [['Ana']] } }

let w: World
let graph: GraphSimulator
let client: Client
let line: OfficialNumber
let templates: string
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
  client = await clientOf(w, { name: 'Bakery Luz' })
  const theirs = { ...w, api: client.api } as World
  line = await officialNumber(theirs, '12025550491')
  templates = `/v1/instances/${line.id}/templates`
})
afterAll(() => w.close())

async function make(name: string, body: object = BODY): Promise<string> {
  const wish = { name, language: 'en', category: 'UTILITY', components: [body] }
  const made = await client.api('POST', templates, wish)
  expect(made.status, made.text).toBe(201)
  return made.body.id
}
const stored = () => w.rows<{ name: string; state: string }>('SELECT name, state FROM official_template_states')
const linesOf = async (account?: string) => {
  const as = account === undefined ? asConsole(w) : asConsole(w, { accountId: account as AccountId })
  const { data } = (await as('GET', '/v1/overview/attention')).body
  return data.filter(({ room }: { room: string }) => room === 'templates')
}

test('a template that Meta pauses is an issue for its account, and for the agency with client, number and template', async () => {
  const id = await make('open_again')
  await until('approved', async () => (await client.api('GET', `${templates}/${id}`)).body.status === 'APPROVED')
  expect(await linesOf()).toEqual([])
  await graph.templates(line.phoneNumberId).pause(id, 'FIRST_PAUSE')
  await until('noted', async () => (await stored()).length > 0)
  expect(await linesOf(client.id)).toEqual([
    {
      ...{ room: 'templates', code: 'paused', severity: 'warning', count: 1, since: expect.any(String) },
      ...{ subject: { id: line.id, name: 'open_again' }, text: null, detail: null },
    },
  ])
  expect(await linesOf()).toEqual([
    {
      ...{ room: 'templates', code: 'client', severity: 'warning', count: 1, since: expect.any(String), text: null },
      subject: { id: client.id, name: 'Bakery Luz' },
      detail: { code: 'paused', params: { template: 'open_again', number: '12025550491', instance: line.id } },
    },
  ])
  const member = asConsole(w, { role: 'member' })
  const own = (await member('GET', '/v1/overview/attention')).body.data
  expect(own.filter(({ room }: { room: string }) => room === 'templates')).toEqual([])

  await graph.templates(line.phoneNumberId).endPause(id)
  await until('noted', async () => (await stored()).length === 0)
  expect([await linesOf(client.id), await linesOf()]).toEqual([[], []])
})

test('Meta’s list replaces the state after a lost callback, and removes deleted templates', async () => {
  const rejected = await make('hello_again', BAD_BODY)
  const disabled = await make('goodbye')
  const statusOf = async (id: string) => (await client.api('GET', `${templates}/${id}`)).body.status
  await until('reviewed', async () => (await statusOf(rejected)) === 'REJECTED')
  await until('reviewed', async () => (await statusOf(disabled)) === 'APPROVED')
  await graph.templates(line.phoneNumberId).disable(disabled)
  await until('disabled', async () => (await stored()).some(({ state }) => state === 'disabled'))
  expect((await linesOf(client.id)).map(({ code, count }: any) => `${count} ${code}`).toSorted()).toEqual([
    ...['1 disabled', '1 rejected'],
  ])
  expect((await linesOf())[0]).toMatchObject({ code: 'client', count: 2, detail: { code: 'several' } })

  await w.service.db.commit((tx) => tx.run(FORGET, {}))
  await w.service.db.commit((tx) => tx.run(PRETEND, { accountId: client.id }))
  await client.api('GET', templates)
  expect((await stored()).map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
    ...['goodbye disabled', 'hello_again rejected'],
  ])
})

test('a category change that Meta announces is an issue for the agency too', async () => {
  const id = await make('garden_hours')
  await until('approved', async () => (await client.api('GET', `${templates}/${id}`)).body.status === 'APPROVED')
  await graph.templates(line.phoneNumberId).announceCategory(id, 'MARKETING')
  const told = async () => (await client.api('GET', `${templates}/${id}`)).body.category_change !== null
  await until('told', told)
  const lines = await linesOf()
  expect(lines.filter(({ code }: { code: string }) => code.startsWith('category_changes'))).toEqual([
    {
      ...{ room: 'templates', code: 'category_changes_client', severity: 'warning', count: 1, since: null, text: null },
      subject: { id: client.id, name: 'Bakery Luz' },
      detail: {
        code: 'MARKETING',
        params: { at: expect.any(String), template: 'garden_hours', number: '12025550491', instance: line.id },
      },
    },
  ])
})

test('a suspended client needs no issue, because nothing of it is sent', async () => {
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  expect(await linesOf()).toEqual([])
})

const FORGET = sql<object>(`DELETE FROM official_template_states WHERE state = 'rejected'`)
const PRETEND = sql<{ accountId: string }>(
  `INSERT INTO official_template_states (account_id, waba_id, template_id, name, language, state, since)
   SELECT :accountId, waba_id, '1', 'gone', 'en', 'paused', 1 FROM official_template_states LIMIT 1`,
)
