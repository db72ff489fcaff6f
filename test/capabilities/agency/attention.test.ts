import { afterAll, beforeAll, expect, test } from 'vitest'
import { consolePrincipal } from '../../../main/capabilities/account/index.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { asConsole } from '../../support/console.ts'
import { world, type World } from '../../support/world.ts'
import { clientOf, pairedIn } from './agency-world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const PATH = '/v1/overview/attention'
const ofAgency = async () => (await asConsole(w)('GET', PATH)).body.data

test('a suspended client is told, and an active one is not', async () => {
  const client = await clientOf(w, { name: 'Bakery' })
  const inClient = () => asConsole(w, { accountId: client.id as AccountId })('GET', PATH)
  expect((await inClient()).body.data).toEqual([])
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  expect((await inClient()).body.data).toMatchObject([{ room: 'agency', code: 'suspended', severity: 'error' }])
  const rights = await asConsole(w, { accountId: client.id as AccountId })('GET', '/v1/entitlements')
  expect(rights.body).toMatchObject({ suspended: true, frozen: false, client: true })
  expect((await asConsole(w)('GET', '/v1/entitlements')).body).toMatchObject({ suspended: false, client: false })
})

test('an agency sees which clients have numbers that need a person, and the number of the others', async () => {
  expect(await ofAgency()).toEqual([])
  for (let n = 1; n <= 7; n++) {
    const client = await clientOf(w, { name: `Client ${n}` })
    const { id } = await pairedIn(w, client, `1202555010${n}`)
    await client.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'ban', times: 1 })
    await w.pass(1_000)
  }
  const lines = await ofAgency()
  expect(lines.map(({ code, count, subject }: any) => [code, count, subject?.name])).toEqual([
    ...[1, 2, 3, 4, 5].map((n) => ['client', 1, `Client ${n}`]),
    ['more_clients', 2, undefined],
  ])
  // Clients are for operators: a member cannot open them.
  const member = await w.service.door.call(consolePrincipal(w.account, 'member'), { method: 'GET', path: PATH })
  expect(member).toMatchObject({ status: 200, body: { data: [] } })
})
