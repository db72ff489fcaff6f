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
  updateOfficialSettings: async (w) => ({ path: `/v1/instances/${(await w.official()).id}/official-settings` }),
  updateLineSettings: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/line-settings` }),
  updateHistoryImport: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/history-import` }),
  updateNumberCheck: async (w) => {
    const path = `/v1/instances/${(await w.pair()).id}/number-checks`
    const { body } = await w.api('POST', path, { numbers: ['12025550123'] })
    await w.quiet()
    return { path: `${path}/${body.check_id}` }
  },
  updateCampaign: async (w) => {
    const wish = { instance_ids: [(await w.instance()).id], name: 'Offer' }
    const { body } = await w.api('POST', '/v1/campaigns', wish)
    return { path: `/v1/campaigns/${body.campaign_id}`, read: '' }
  },
  updateContact: async (w) => {
    await w.api('POST', '/v1/contacts', { phone: '12025550123', name: 'Ada' })
    return { path: '/v1/contacts/12025550123' }
  },
  updateTemplate: async (w) => {
    const at = `/v1/instances/${(await w.official()).id}/templates`
    const components = [{ type: 'BODY', text: 'Hello.' }]
    const { body } = await w.api('POST', at, { name: 'hello', language: 'en', category: 'UTILITY', components })
    return { path: `${at}/${body.id}` }
  },
  updateGroupChat: async (w) => {
    const at = `/v1/instances/${(await w.pair()).id}/groups`
    const { body } = await w.api('POST', at, { subject: 'Team' })
    return { path: `${at}/${body.group}` }
  },
  updateGhl: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/ghl` }),
  updateCrmWebhook: async (w) => {
    const path = `/v1/instances/${(await w.instance()).id}/crm-webhook`
    await w.api('PUT', path, { url: 'https://catcher.sandbox/crm' })
    return { path }
  },
  updateSandboxGhlContact: async (w) => {
    const { body } = await w.api('POST', '/v1/sandbox/ghl/contacts', { phone: '+12025550123' })
    return { path: `/v1/sandbox/ghl/contacts/${body.id}`, read: '' }
  },
  updateVoiceSettings: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/voice/settings`, read: '' }),
  updateVoiceWidget: async (w) => {
    const at = `/v1/instances/${(await w.instance()).id}/voice/widgets`
    const { body } = await w.api('POST', at, { name: 'Page', allowed_origins: ['https://www.example.com'] })
    return { path: `${at}/${body.id}` }
  },
  updateOptOutSettings: async () => ({ path: '/v1/opt-out-settings' }),
  updateBranding: async () => ({ path: '/v1/agency/branding', read: '' }),
  updateSubAccount: async (w) => {
    const { body } = await w.api('POST', '/v1/agency/accounts', { name: 'Client' })
    return { path: `/v1/agency/accounts/${body.id}` }
  },
  updateAccountAiSettings: async () => ({ path: '/v1/ai-settings' }),
  updateAiSettings: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/ai/settings` }),
  updateFollowUp: async (w) => ({ path: `/v1/instances/${(await w.instance()).id}/ai/follow-up` }),
  updateAgent: async (w) => ({ path: (await agentOf(w)).path }),
  updateStage: async (w) => {
    const { path } = await agentOf(w)
    const { body } = await w.api('POST', `${path}/stages`, { name: 'Qualify', objective: 'Ask' })
    return { path: `${path}/stages/${body.id}` }
  },
  updateHttpTool: async (w) => {
    const { path } = await agentOf(w)
    const tool = { name: 'orders', description: 'x', method: 'GET', url: 'https://catcher.sandbox/a', secret: 'abc' }
    const { body } = await asConsole(w)('POST', `${path}/http-tools`, tool)
    return { path: `${path}/http-tools/${body.id}`, read: '' }
  },
  updateFaq: async (w) => {
    const { ai } = await agentOf(w)
    const { body } = await w.api('POST', `${ai}/faq`, { question: 'Open?', answer: 'Yes' })
    return { path: `${ai}/faq/${body.id}` }
  },
  updateEvaluation: async (w) => {
    const { ai } = await agentOf(w)
    const cases = [{ question: 'Open?', expects: 'answer', facts: [] }]
    const { body } = await asConsole(w)('POST', `${ai}/evaluations`, { name: 'A', cases })
    return { path: `${ai}/evaluations/${body.id}`, read: '' }
  },
  updateAccount: async () => ({ path: '/v1/account', read: '' }),
  updateSubscription: async () => ({ path: '/v1/billing/renewal', read: '/v1/billing/subscription' }),
  updateAgencyBilling: async () => ({ path: '/v1/agency/billing' }),
  updateBillingProvider: async () => ({ path: '/v1/billing/provider' }),
  updateSettings: async () => ({ path: '/v1/service/settings' }),
}

async function agentOf(w: World): Promise<{ ai: string; path: string }> {
  const ai = `/v1/instances/${(await w.instance()).id}/ai`
  const { body } = await w.api('POST', `${ai}/agents`, { name: 'A', provider: 'builtin' })
  return { ai, path: `${ai}/agents/${body.id}` }
}

const patches = CONTRACTS.flatMap(({ operations }) => Object.values(operations))
  .filter(({ method }) => method === 'PATCH')
  .map(({ id }) => id)

test.each(patches)(
  '%s with an empty body answers 200 with the unchanged record, and publishes no event',
  async (id) => {
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
  },
)
