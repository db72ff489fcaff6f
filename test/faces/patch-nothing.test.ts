import { expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { asConsole } from '../support/console.ts'
import { worldOfTest, type World } from '../support/world.ts'

/** A record for each operation that changes one: its path, and where it is read where that is another. */
const RECORDS: Readonly<Record<string, (w: World) => Promise<{ path: string; read?: string }>>> = {
  updateInstance: async (w) => ({ path: `/v1/instances/${(await w.instance({ external_ref: 'a' })).id}` }),
  updateWebhook: async (w) => {
    const { body } = await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/a', events: ['*'] })
    return { path: `/v1/webhooks/${body.id}` }
  },
  updateSandboxPhone: async (w) => {
    await w.api('POST', '/v1/sandbox/phones', { number: '12025550123' })
    return { path: '/v1/sandbox/phones/12025550123', read: '' }
  },
  updateCallSettings: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/call-settings` }),
  updateLineSettings: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/line-settings` }),
  updateHistoryImport: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/history-import` }),
  updateCampaign: async (w) => {
    const wish = { instance_ids: [(await w.instance()).id], name: 'Offer' }
    const { body } = await w.api('POST', '/v1/campaigns', wish)
    return { path: `/v1/campaigns/${body.campaign_id}`, read: '' }
  },
  updateContact: async (w) => {
    await w.api('POST', '/v1/contacts', { phone: '12025550123', name: 'Ada' })
    return { path: '/v1/contacts/12025550123' }
  },
  updateOptOutSettings: async () => ({ path: '/v1/opt-out-settings' }),
  updateBranding: async () => ({ path: '/v1/agency/branding', read: '' }),
  updateSubAccount: async (w) => {
    const { body } = await w.api('POST', '/v1/agency/accounts', { name: 'Client' })
    return { path: `/v1/agency/accounts/${body.id}` }
  },
  updateAccount: async () => ({ path: '/v1/account', read: '' }),
  updateSubscription: async () => ({ path: '/v1/billing/renewal', read: '/v1/billing/subscription' }),
  updateAgencyBilling: async () => ({ path: '/v1/agency/billing' }),
  updateBillingProvider: async () => ({ path: '/v1/billing/provider' }),
  updateSettings: async () => ({ path: '/v1/service/settings' }),
}

const patches = CONTRACTS.flatMap(({ operations }) => Object.values(operations))
  .filter(({ method }) => method === 'PATCH')
  .map(({ id }) => id)

test.each(patches)('%s with an empty body answers 200 with the record as it was, and no event', async (id) => {
  const w = await worldOfTest()
  const ask = asConsole(w)
  const record = await RECORDS[id]?.(w)
  if (record === undefined) throw new Error(`${id} has no record here: add one`)
  const { path, read = path } = record
  const before = read === '' ? undefined : (await ask('GET', read)).body
  const mark = await w.mark()
  const answer = await ask('PATCH', path, {})
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  if (before !== undefined) expect(answer.body).toEqual(before)
  expect(await w.typesSince(mark)).toEqual([])
})
