import { describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { needsApproval } from '../../main/contract/approval.ts'
import type { Operation } from '../../main/contract/operation.ts'

const operations = CONTRACTS.flatMap((room) =>
  Object.values<Operation>(room.operations).map((operation) => ({ room: room.room, operation })),
)

/** Names of fields that say where data goes, who gets it, or what opens something. */
const SENSITIVE =
  /(^|_)(urls?|uri|link|host|hosts|domain|origins?|endpoint|callback|address|to|recipients?|participants|phone|numbers?|emails?|keys?|secret|token|password|passphrase|scopes|credentials?)$/

/** They take such a field, and still nothing leaves the service and nobody gets in. Each says why. */
const HARMLESS: Readonly<Record<string, string>> = {
  createSandboxPhone: 'the number of a simulated phone',
  updateSandboxPhone: 'the number of a simulated phone',
  scanSandboxCode: 'the number of a simulated phone',
  speakFromSandboxPhone: 'simulated phones write to instances of this account; media_url takes sample files only',
  editSandboxMessage: 'the number of a simulated phone',
  deleteSandboxMessage: 'the number of a simulated phone',
  reactToSandboxMessage: 'the number of a simulated phone',
  callFromSandboxPhone: 'the numbers of simulated phones',
  voteInSandboxPoll: 'the number of a simulated phone',
  onboardSandboxInstance: 'the number of a simulated phone',
  createSandboxGraphNumber: 'a number of the simulated Graph',
  createSandboxGhlContact: 'a number of the simulated GoHighLevel',
  previewCampaign: 'shows what would be sent, and sends and stores nothing',
}

/** Their scope can reach people, and they do not. Each says why. */
const REACHES_NOBODY: Readonly<Record<string, string>> = {
  previewCampaign: 'shows what would be sent, and sends and stores nothing',
  pauseCampaign: 'only stops sending; to resume needs approval',
}

function fieldNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(fieldNames)
  return Object.entries(schema).flatMap(([keyword, value]) => [
    ...(keyword === 'properties' ? Object.keys(value as object) : []),
    ...fieldNames(value),
  ])
}

const sensitiveFields = ({ path, body, query }: Operation): string[] =>
  [...fieldNames(body), ...fieldNames(query), ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)].filter(
    (name) => SENSITIVE.test(name),
  )

const isDeclared = ({ approval, destructive, confirm }: Operation) =>
  approval !== undefined || destructive === true || confirm !== undefined

const changing = operations.filter(({ operation }) => operation.method !== 'GET')

describe.each(changing)('operation $operation.id', ({ operation }) => {
  test('declares why it needs approval if it takes an address, a recipient or a credential', () => {
    const fields = sensitiveFields(operation)
    if (fields.length === 0 || operation.id in HARMLESS) return
    expect(isDeclared(operation), `${operation.id} takes ${fields.join(', ')}`).toBe(true)
  })

  test('declares why it needs approval if it can reach people or spend money', () => {
    const scopes = [
      'messages:send',
      'dispatch:manage',
      'voice:manage',
      'billing:purchase',
      'links:generate',
      'ghl:manage',
    ]
    if (!scopes.includes(operation.scope ?? '') || operation.id in REACHES_NOBODY) return
    expect(isDeclared(operation)).toBe(true)
    expect(needsApproval('sending', operation)).toBe(true)
  })
})

test('the list of harmless operations names none that is gone, declared anyway or takes no such field', () => {
  for (const id of Object.keys(HARMLESS)) {
    const found = changing.find(({ operation }) => operation.id === id)?.operation
    expect(found, id).toBeDefined()
    expect(found && sensitiveFields(found), id).not.toEqual([])
    expect(found && isDeclared(found), id).toBe(false)
  }
})

test('the list of operations that reach nobody names none that is gone or declared anyway', () => {
  for (const id of Object.keys(REACHES_NOBODY)) {
    const found = changing.find(({ operation }) => operation.id === id)?.operation
    expect(found, id).toBeDefined()
    expect(found && isDeclared(found), id).toBe(false)
  }
})

test('both kinds of asking keys ask before a destination is set, data is sent again or somebody gets in', () => {
  const ids = ['createWebhook', 'updateWebhook', 'setInstanceWebhook', 'postInstanceWebhook', 'replayWebhook']
  for (const id of [...ids, 'testWebhook', 'retryDelivery', 'rotateWebhookSecret', 'createApiKey']) {
    const found = changing.find(({ operation }) => operation.id === id)?.operation
    for (const policy of ['destructive', 'sending'] as const)
      expect(found && needsApproval(policy, found), `${id} under ${policy}`).toBe(true)
  }
})

test('a call that spends money waits for a person, whatever the key', () => {
  const spending = changing.filter(({ operation }) => operation.approval === 'money')
  expect(spending.map(({ operation }) => operation.id)).toEqual(
    expect.arrayContaining(['createPurchase', 'createCheckout', 'setClientBilling']),
  )
  for (const { operation } of spending) {
    for (const policy of ['none', 'destructive', 'sending'] as const)
      expect(needsApproval(policy, operation), `${operation.id} under ${policy}`).toBe(true)
  }
  const delivery = changing.find(({ operation }) => operation.id === 'retryDelivery')?.operation
  expect(delivery && needsApproval('none', delivery)).toBe(false)
})

test('a direct engine call is judged by its action', () => {
  const call = changing.find(({ operation }) => operation.id === 'callEngine')?.operation
  if (call === undefined) throw new Error('callEngine is gone')
  const asked = (policy: 'destructive' | 'sending', name: string) => {
    const [group, action] = name.split('/')
    return needsApproval(policy, call, { group, action })
  }
  for (const name of [
    'group/invitelink',
    'group/participant',
    'group/create',
    'group/leave',
    'message/delete',
    'user/block',
  ])
    expect([asked('destructive', name), asked('sending', name)], name).toEqual([true, true])
  for (const name of ['send/text', 'send/media', 'message/edit', 'message/react', 'constructor/x', 'something/new'])
    expect([asked('destructive', name), asked('sending', name)], name).toEqual([false, true])
  for (const name of ['user/check', 'group/list', 'message/markread'])
    expect([asked('destructive', name), asked('sending', name)], name).toEqual([false, false])
})
