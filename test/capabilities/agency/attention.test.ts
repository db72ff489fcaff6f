import { join } from 'node:path'
import Database from 'better-sqlite3'
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

test('a suspended client sees an issue, and an active one does not', async () => {
  const client = await clientOf(w, { name: 'Bakery' })
  const inClient = () => asConsole(w, { accountId: client.id as AccountId })('GET', PATH)
  expect((await inClient()).body.data).toEqual([])
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  expect((await inClient()).body.data).toMatchObject([{ room: 'agency', code: 'suspended', severity: 'error' }])
  const rights = await asConsole(w, { accountId: client.id as AccountId })('GET', '/v1/entitlements')
  expect(rights.body).toMatchObject({ suspended: true, frozen: false, client: true })
  expect((await asConsole(w)('GET', '/v1/entitlements')).body).toMatchObject({ suspended: false, client: false })
})

test('an agency sees which clients have numbers with issues, and how many others there are', async () => {
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

const codesOf = async (room: string) =>
  (await ofAgency())
    .filter((line: any) => line.room === room)
    .map(({ code, count, subject }: any) => [code, count, subject?.name])
const troubleOf = async (name: string) =>
  (await asConsole(w)('GET', '/v1/agency/clients?limit=50')).body.data.find((client: any) => client.name === name)
    .trouble
const NO_TROUBLE = { offline: 0, signed_out: 0, numbers: 0, chats: 0, webhooks: 0, overdue: 0 }

/** What takes hours, or a network that is silent, is written by hand. */
async function write(text: string): Promise<void> {
  const raw = new Database(join(w.home, 'switchboard.db'))
  raw.exec(text)
  raw.close()
  // The service reads its own last commit.
  await w.api('PATCH', '/v1/agency/branding', { display_name: `Agency ${text.length}` })
}

test('an agency sees clients with stuck messages or failing webhooks, in its overview and in its list of clients', async () => {
  const client = await clientOf(w, { name: 'River bakery' })
  const { id } = await pairedIn(w, client, '12025550151')
  expect(await troubleOf('River bakery')).toEqual(NO_TROUBLE)
  for (const room of ['messages', 'instance-webhook', 'webhooks']) expect(await codesOf(room)).toEqual([])

  await client.api('POST', `/v1/instances/${id}/messages`, { to: '12025550152', text: 'Hi' })
  await w.quiet()
  await write(`UPDATE messages SET status = 'queued', created_at = created_at - 90000 WHERE instance_id = '${id}'`)
  expect(await codesOf('messages')).toEqual([['client', 1, 'River bakery']])
  expect(await troubleOf('River bakery')).toEqual({ ...NO_TROUBLE, numbers: 1 })

  await write(`INSERT INTO instance_webhook_calls (event_seq, instance_id, name, tries, next_try_at, created_at)
    SELECT max(seq), '${id}', 'message', 1, ${w.clock.now() + 600_000}, ${w.clock.now()} FROM events`)
  expect(await codesOf('instance-webhook')).toEqual([['client', 1, 'River bakery']])
  expect(await troubleOf('River bakery')).toEqual({ ...NO_TROUBLE, numbers: 1 })

  await client.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/river', events: ['*'] })
  await write(
    `UPDATE webhooks SET state = 'deactivated', disabled_reason = 'too_many_failures' WHERE account_id = '${client.id}'`,
  )
  expect(await codesOf('webhooks')).toEqual([['client', 1, 'River bakery']])
  expect(await troubleOf('River bakery')).toEqual({ ...NO_TROUBLE, numbers: 1, webhooks: 1 })

  // Nothing is sent or delivered for it then.
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  for (const room of ['messages', 'instance-webhook', 'webhooks']) expect(await codesOf(room)).toEqual([])
})

test('the list of clients counts a number that waits for a passkey', async () => {
  const client = await clientOf(w, { name: 'Lake bakery', features: ['ai'] })
  const { id } = (await client.api('POST', '/v1/instances', { name: 'Lake' })).body
  await client.api('POST', '/v1/sandbox/phones', { number: '12025550161', passkey: true })
  const { pairing_code } = (await client.api('GET', `/v1/instances/${id}/qr`)).body
  await client.api('POST', '/v1/sandbox/phones/12025550161/scan', { pairing_code })
  await w.quiet()
  expect(await troubleOf('Lake bakery')).toEqual({ ...NO_TROUBLE, numbers: 1 })
})

test('an agency sees clients whose running campaigns have nearly used up their budget', async () => {
  const client = await clientOf(w, { name: 'Hill bakery' })
  const { id } = await pairedIn(w, client, '12025550171')
  const wish = {
    instance_ids: [id],
    name: 'Spring offer',
    messages: [{ text: 'Hi' }],
    recipients: [{ phone: '12025550172' }],
  }
  const made = await client.api('POST', '/v1/campaigns', wish)
  expect(made.status, made.text).toBe(201)
  const ofCampaigns = async () =>
    (await ofAgency())
      .filter(({ subject }: any) => subject?.name === 'Hill bakery')
      .map(({ code, count }: any) => [code, count])
  await w.quiet()
  await write("UPDATE campaigns SET status = 'running' WHERE name = 'Spring offer'")
  expect(await ofCampaigns()).toEqual([])
  await write("UPDATE campaigns SET budget_warned_at = 1700000000000 WHERE name = 'Spring offer'")
  expect(await ofCampaigns()).toEqual([['near_budget_client', 1]])
})
