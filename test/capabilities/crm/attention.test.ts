import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { ghlWorldOfTest } from './ghl-world.ts'

test('an agency sees which clients must reconnect their CRM, in the network that it views', async () => {
  const w = await ghlWorldOfTest()
  const { body: client } = await w.api('POST', '/v1/agency/accounts', { name: 'North bakery', slots_allocated: 1 })
  const { id } = await w.pair('12025556310')
  const made = await w.api('PUT', `/v1/instances/${id}/crm-webhook`, { url: 'https://catcher.sandbox/crm' })
  expect(made.status).toBe(201)
  const run = (text: string) => w.service.db.commit((tx) => tx.run({ text }, {}))
  await run(`UPDATE instances SET account_id = '${client.id}' WHERE id = '${id}'`)
  await run(`UPDATE crm_links SET account_id = '${client.id}'`)
  const lines = async (query = '') =>
    (await asConsole(w)('GET', `/v1/overview/attention${query}`)).body.data.filter(
      ({ room }: { room: string }) => room === 'crm',
    )
  expect(await lines()).toEqual([])
  await run("UPDATE crm_links SET state = 'reconnect_required', error_at = 5")
  const subject = { id: client.id, name: 'North bakery' }
  expect(await lines()).toMatchObject([{ code: 'client', severity: 'warning', count: 1, subject }])
  expect(await lines('?network=live')).toEqual([])
})
