import { describe, expect, test } from 'vitest'
import { createCallDescriber, redactSecrets } from '../../main/faces/mcp/call-description.ts'
import type { Principal } from '../../main/kernel/access.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { aiContract } from '../../main/capabilities/ai/contract.ts'
import { campaignsContract } from '../../main/capabilities/campaigns/contract.ts'
import { instancesContract } from '../../main/capabilities/instances/contract.ts'
import { voiceContract } from '../../main/capabilities/voice/contract.ts'
import { webhooksContract } from '../../main/capabilities/webhooks/contract.ts'
import { hooksContract, INSTANCE_ID, linesContract, OTHER_ID } from './sample.ts'

const principal: Principal = {
  kind: 'console',
  role: 'operator',
  accountId: 'account' as AccountId,
  accountName: 'My agency',
  key: null,
  scopes: [],
  allowedInstanceIds: null,
  ratePerMinute: 600,
  source: 'mcp',
}

const known: Record<string, object> = {
  [`/v1/instances/${INSTANCE_ID}`]: { name: 'Berlin shop' },
  [`/v1/instances/${OTHER_ID}`]: { name: 'x'.repeat(500) },
}
const describer = createCallDescriber({
  operations: [linesContract, hooksContract],
  call: async (_who, { path }) => ({ status: path in known ? 200 : 404, headers: {}, body: known[path] }),
})
const sentenceOf = async (...call: Parameters<typeof describer.describeCall>) =>
  (await describer.describeCall(...call)).sentence

describe('the sentence that describes a call', () => {
  test('contains the name of the resource and the other arguments', async () => {
    const given = { instance_id: INSTANCE_ID, to: '12025550123', text: 'Hello', idempotency_key: 'k', confirm: true }
    expect(await sentenceOf(linesContract.sendWords, given, principal)).toBe(
      `Send words: “Berlin shop” (${INSTANCE_ID}), to: “12025550123”, text: “Hello”.`,
    )
  })

  test('contains the id of a resource without a name, and shortens a long name', async () => {
    expect(await sentenceOf(linesContract.deleteLine, { instance_id: 'nothing' }, principal)).toBe(
      'Delete a line: nothing.',
    )
    const long = await sentenceOf(linesContract.deleteLine, { instance_id: OTHER_ID }, principal)
    expect(long).toBe(`Delete a line: “${'x'.repeat(120)}…” (${OTHER_ID}).`)
  })

  test('names every instance that the call affects', async () => {
    const ids = [INSTANCE_ID, ...Array.from({ length: 7 }, (_, i) => `line-${i}`)]
    expect(await sentenceOf(hooksContract.createHook, { instance_ids: ids }, principal)).toBe(
      `Create a webhook: “Berlin shop” (${INSTANCE_ID}), ${ids.slice(1).join(', ')}.`,
    )
  })

  test.each(['participants', 'numbers', 'mentions', 'recipients'])('lists every one of ten %s', async (field) => {
    const phones = Array.from({ length: 10 }, (_, i) => `1202555010${i}`)
    const value = field === 'recipients' ? phones.map((phone) => ({ phone })) : phones
    const sentence = await sentenceOf(hooksContract.createHook, { [field]: value }, principal)
    for (const phone of phones) expect(sentence).toContain(phone)
    expect(sentence).not.toContain('more')
  })

  test('gives the exact count of a list that is too long to read, and stays short enough to read', async () => {
    const phones = Array.from({ length: 5_000 }, (_, i) => String(12025550000 + i))
    for (const value of [phones, phones.map((phone) => ({ phone }))]) {
      const sentence = await sentenceOf(hooksContract.createHook, { recipients: value }, principal)
      const [, more = '', total = ''] = /and (\d+) more, (\d+) in all/.exec(sentence) ?? []
      expect(Number(total)).toBe(5_000)
      expect(sentence.match(/“\d+”/g)).toHaveLength(5_000 - Number(more))
      expect(sentence.length).toBeLessThan(1_700)
    }
  })

  test('contains the whole URL to which data is sent', async () => {
    const url = `https://example.com/${'a'.repeat(300)}/end`
    expect(await sentenceOf(hooksContract.createHook, { url }, principal)).toContain(`“${url}”`)
  })

  test('contains no credentials, at any depth', async () => {
    const given = { url: 'https://example.com', secret: 'whsec_1', deep: { api_key: 'sk-1', list: [{ token: 't-1' }] } }
    expect(JSON.stringify(redactSecrets(given))).not.toMatch(/whsec_1|sk-1|t-1/)
    const sentence = await sentenceOf(hooksContract.createHook, given, principal)
    expect(sentence).toContain('https://example.com')
    expect(sentence).not.toMatch(/whsec_1|sk-1|t-1/)
  })
})

describe('ids in the arguments', () => {
  const AGENT = '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e99'
  const HOOK = 'whk_01JQ5Z8T9V3X7K2M4N6P8R0S1T'
  const things: Record<string, object> = {
    [`/v1/instances/${INSTANCE_ID}`]: { name: 'Berlin shop', phone_number: '12025550100' },
    [`/v1/instances/${INSTANCE_ID}/ai/agents/${AGENT}`]: { name: 'Reception' },
    [`/v1/webhooks/${HOOK}`]: { url: 'https://example.com/hook' },
  }
  const { describeCall, nameIds } = createCallDescriber({
    operations: [instancesContract, webhooksContract, aiContract, voiceContract],
    call: async (_who, { path }) => ({ status: path in things ? 200 : 404, headers: {}, body: things[path] }),
  })
  const label = `“Reception” (${AGENT})`

  test('are named for the person, at any depth, and not for the assistant', async () => {
    const given = { instance_id: INSTANCE_ID, receive_agent_id: AGENT, deep: [{ webhook_id: HOOK, note: 'x' }] }
    const { parts, sentence } = await describeCall(voiceContract.updateVoiceSettings, given, principal)
    expect(parts.filter(({ kind }) => kind === 'named').map(({ values }) => values)).toEqual([
      [AGENT, label],
      [HOOK, `“https://example.com/hook” (${HOOK})`],
    ])
    expect(sentence).not.toContain('Reception')
  })

  test('are left out if they have no name, an unknown kind or a deleted target', async () => {
    const gone = '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e98'
    const value = { agent_id: gone, message_id: HOOK, other: AGENT, weights: { [INSTANCE_ID]: 2 } }
    expect(await nameIds(value, { instance_id: INSTANCE_ID }, principal)).toEqual([
      {
        ...{ kind: 'named', name: null, total: 1 },
        values: [INSTANCE_ID, `“Berlin shop” (12025550100, ${INSTANCE_ID})`],
      },
    ])
  })

  test('are looked up a few at a time', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7${String(n).padStart(3, '0')}`)
    let reads = 0
    const { nameIds: names } = createCallDescriber({
      operations: [instancesContract],
      call: async () => ({ status: 200, headers: {}, body: { name: `Line ${++reads}` } }),
    })
    expect(await names({ instance_ids: ids }, {}, principal)).toHaveLength(20)
    expect(reads).toBe(20)
  })
})

describe('a campaign', () => {
  const numbers: Record<string, object> = {
    '/v1/instances/a': { name: 'Shop', engine: 'smv2', phone_number: '12025550100' },
    '/v1/instances/b': { name: 'Desk', engine: 'official', phone_number: '12025550101' },
    '/v1/campaigns/cmp_1': {
      ...{ name: 'March', instance_ids: ['a', 'b'], counts: { pending: 1_200 } },
      messages: [{ text: 'Hi {{name}}' }, { text: 'Hello' }, { text: 'Good day' }],
    },
    '/v1/campaigns/cmp_2': {
      ...{ name: 'Templates', instance_ids: ['b'], counts: { pending: 1 } },
      messages: [{ cloud_api: { type: 'template', template: { name: 'spring_sale' } } }],
    },
  }
  const { describeCall } = createCallDescriber({
    operations: [campaignsContract, instancesContract],
    call: async (_who, { path }) => ({ status: path in numbers ? 200 : 404, headers: {}, body: numbers[path] }),
  })

  test('is described by its audience, its sending numbers and its cost', async () => {
    expect(await describeCall(campaignsContract.startCampaign, { campaign_id: 'cmp_1' }, principal)).toHaveProperty(
      'sentence',
      'Start a campaign: “March” (cmp_1), recipients: 1200 people, message: “Hi {{name}}” and 2 other variations, from “Shop” (12025550100, a), “Desk” (12025550101, b), ' +
        'cost: Meta charges for each message of an official number.',
    )
    expect(await describeCall(campaignsContract.resumeCampaign, { campaign_id: 'cmp_2' }, principal)).toHaveProperty(
      'sentence',
      'Resume a campaign: “Templates” (cmp_2), recipients: 1 person, message: template “spring_sale”, ' +
        'from “Desk” (12025550101, b), cost: Meta charges for each message of an official number.',
    )
    const given = {
      instance_ids: ['a'],
      name: 'April',
      recipients: [{ phone: '12025550199' }, { phone: '12025550198' }],
    }
    expect(await describeCall(campaignsContract.createCampaign, given, principal)).toHaveProperty(
      'sentence',
      'Create a campaign: recipients: 2 people (“12025550199”, “12025550198”), “Shop” (12025550100, a), name: “April”, ' +
        'cost: none from WhatsApp.',
    )
  })

  test('is described fact by fact, so that a client can translate it', async () => {
    const { parts } = await describeCall(campaignsContract.startCampaign, { campaign_id: 'cmp_1' }, principal)
    expect(parts).toEqual([
      { kind: 'subject', name: null, values: ['“March” (cmp_1)'], total: 1 },
      { kind: 'campaign_people', name: null, values: ['1200'], total: 1 },
      { kind: 'campaign_message', name: null, values: ['“Hi {{name}}”'], total: 3 },
      {
        ...{ kind: 'campaign_numbers', name: null, total: 2 },
        values: ['“Shop” (12025550100, a)', '“Desk” (12025550101, b)'],
      },
      { kind: 'cost_of_meta', name: null, values: [], total: 1 },
    ])
  })

  describe('whose preview includes a cost', () => {
    const costs = [{ currency: 'usd', amount_micros: 4_080_001 }]
    const cost = { messages: 1_200, free: 0, allowance: 0, billable: 1_200, unpriced: 0, costs, estimated: true }
    const campaigns = Object.fromEntries(
      ['cmp_1', 'cmp_2'].map((id) => [`/v1/campaigns/${id}`, { ...numbers[`/v1/campaigns/${id}`], campaign_id: id }]),
    )
    const describedWith = (more: object) =>
      createCallDescriber({
        operations: [campaignsContract, instancesContract],
        async call(_who, { path }) {
          const known: Record<string, object> = {
            ...{ ...numbers, ...campaigns, '/v1/campaigns/preview': { cost: { ...cost, ...more } } },
          }
          return { status: path in known ? 200 : 404, headers: {}, body: known[path] }
        },
      }).describeCall(campaignsContract.startCampaign, { campaign_id: 'cmp_1' }, principal)

    test.each([
      [{}, 'cost: about 4.09 USD to Meta.'],
      [{ unpriced: 12 }, 'cost: about 4.09 USD to Meta, cost: unknown for 12 messages.'],
      [{ unpriced: 1, costs: [] }, 'cost: unknown for 1 message.'],
      [{ billable: 0, free: 1_200, costs: [] }, 'cost: free at Meta this month.'],
    ])('%j: %s', async (more, words) => {
      expect((await describedWith(more)).sentence.endsWith(words)).toBe(true)
    })

    test('remains the same request when only the estimate has changed', async () => {
      const [before, after] = [await describedWith({}), await describedWith({ unpriced: 3 })]
      expect(after.basis).toBe(before.basis)
    })
  })

  test('is not described as sent to everybody when only one test message is sent', async () => {
    const given = { campaign_id: 'cmp_1', to: '12025550177' }
    const { sentence } = await describeCall(campaignsContract.testCampaign, given, principal)
    expect(sentence).toContain('to: “12025550177”')
    expect(sentence).not.toContain('1200')
  })
})
