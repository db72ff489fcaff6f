import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { worldOfTest } from '../../support/world.ts'
import { campaignOf } from './campaign-world.ts'

const DAY_MS = 24 * 3_600_000

test('campaigns that stopped unexpectedly need attention, and no others', async () => {
  const w = await worldOfTest()
  const number = await w.pair()
  const make = () => campaignOf(w, { instances: [number], phones: ['12025560001'], start: false })
  const set = (id: string, status: string, reason: string | null, atMs = w.clock.now()) =>
    w.service.db.commit((tx) =>
      tx.run(
        {
          text: `UPDATE campaigns SET status = '${status}', pause_reason = ${reason === null ? 'NULL' : `'${reason}'`},
             updated_at = ${atMs} WHERE id = '${id}'`,
        },
        {},
      ),
    )
  const lines = async (network = '') =>
    (await asConsole(w)('GET', `/v1/overview/attention${network}`)).body.data.filter(
      ({ room }: { room: string }) => room === 'campaigns',
    )

  const [byPerson, byHours, draft] = [await make(), await make(), await make()]
  await set(byPerson, 'paused', 'user')
  await set(byHours, 'paused', 'outside_window')
  expect(await lines()).toEqual([])

  const stopped = await make()
  await set(stopped, 'paused', 'no_instance')
  expect(await lines()).toMatchObject([
    { code: 'paused', severity: 'warning', count: 1, subject: { id: stopped, name: 'Offer' } },
  ])
  expect(await lines('?network=live')).toEqual([])
  await set(byHours, 'paused', 'error_threshold')
  await set(draft, 'failed', null)
  expect(await lines()).toMatchObject([
    { code: 'failed', severity: 'error', count: 1, subject: { id: draft } },
    { code: 'paused', count: 2, subject: null },
  ])
  // A campaign stays failed; nobody wants to read it for ever.
  await set(draft, 'failed', null, w.clock.now() - 3 * DAY_MS - 1)
  expect((await lines()).map(({ code }: { code: string }) => code)).toEqual(['paused'])
})

test('an agency sees which clients have stopped campaigns; a suspended client has none', async () => {
  const w = await worldOfTest()
  const { body: client } = await w.api('POST', '/v1/agency/accounts', { name: 'North bakery', slots_allocated: 1 })
  const number = await w.pair()
  const lines = async () =>
    (await asConsole(w)('GET', '/v1/overview/attention')).body.data.filter(
      ({ room }: { room: string }) => room === 'campaigns',
    )
  const stop = async (reason: string) => {
    const id = await campaignOf(w, { instances: [number], phones: ['12025560001'], start: false })
    const text = `UPDATE campaigns SET status = 'paused', pause_reason = '${reason}', account_id = '${client.id}'
      WHERE id = '${id}'`
    await w.service.db.commit((tx) => tx.run({ text }, {}))
  }
  await stop('user')
  expect(await lines()).toEqual([])
  await stop('no_instance')
  await stop('error_threshold')
  const subject = { id: client.id, name: 'North bakery' }
  expect(await lines()).toMatchObject([{ code: 'client', severity: 'warning', count: 2, subject }])
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  expect(await lines()).toEqual([])
})
