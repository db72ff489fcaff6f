import { describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { APPROVAL_POLICIES } from '../../main/contract/approval.ts'
import {
  EFFECTS,
  effectsOf,
  isClosedWhenFrozen,
  isClosedWhenSuspended,
  isDestructive,
  isOpenWorld,
  needsApproval,
} from '../../main/contract/effects.ts'
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
  editSandboxMessage: 'the number of a simulated phone',
  deleteSandboxMessage: 'the number of a simulated phone',
  reactToSandboxMessage: 'the number of a simulated phone',
  answerSandboxCall: 'the number of a simulated phone; whoever made the call was asked',
  hangUpSandboxCall: 'the number of a simulated phone',
  voteInSandboxPoll: 'the number of a simulated phone',
  tapSandboxMessage: 'the number of a simulated phone',
  joinGroupFromSandboxPhone: 'a group of simulated phones',
  onboardSandboxInstance: 'the number of a simulated phone',
  createSandboxGraphNumber: 'a number of the simulated Graph',
  createSandboxGhlContact: 'a number of the simulated GoHighLevel',
  previewCampaign: 'shows what would be sent, and sends and stores nothing',
  startNumberCheck: 'asks the network who has an account; the people hear nothing of it',
}

/** Their scope can reach people, and they do not. Each says why. */
const REACHES_NOBODY: Readonly<Record<string, string>> = {
  previewCampaign: 'shows what would be sent, and sends and stores nothing',
  startNumberCheck: 'asks the network who has an account; the people hear nothing of it',
  pauseCampaign: 'only stops sending; to resume needs approval',
  uploadMedia: 'stores a file, which reaches nobody until it is sent',
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

const isDeclared = (operation: Operation) => effectsOf(operation).length > 0

const changing = operations.filter(({ operation }) => operation.method !== 'GET')

describe.each(changing)('operation $operation.id', ({ operation }) => {
  test('declares an effect if it takes an address, a recipient or a credential', () => {
    const fields = sensitiveFields(operation)
    if (fields.length === 0 || operation.id in HARMLESS) return
    expect(isDeclared(operation), `${operation.id} takes ${fields.join(', ')}`).toBe(true)
  })

  test('declares an effect if its scope can reach people or spend money', () => {
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

test('the list of harmless operations names only existing ones that need the exception', () => {
  for (const id of Object.keys(HARMLESS)) {
    const found = changing.find(({ operation }) => operation.id === id)?.operation
    expect(found, id).toBeDefined()
    expect(found && sensitiveFields(found), id).not.toEqual([])
    expect(found && isDeclared(found), id).toBe(false)
  }
})

test('the list of operations that reach nobody names only existing ones that need the exception', () => {
  for (const id of Object.keys(REACHES_NOBODY)) {
    const found = changing.find(({ operation }) => operation.id === id)?.operation
    expect(found, id).toBeDefined()
    expect(found && isDeclared(found), id).toBe(false)
  }
})

test('the consequences of each effect', () => {
  const rules = Object.entries(EFFECTS).map(([name, rule]) => [
    name,
    rule.asksUnder,
    rule.closedWhenSuspended,
    rule.closedWhenFrozen,
    rule.openWorld,
  ])
  expect(rules).toEqual([
    ['people', 'sending', true, true, true],
    ['people_later', 'sending', false, false, false],
    ['outbound', 'destructive', true, false, true],
    ['simulated_people', 'destructive', false, false, true],
    ['destination', 'destructive', false, false, true],
    ['access', 'destructive', false, false, false],
    ['invitation', 'destructive', true, false, false],
    ['connection', 'destructive', false, false, true],
    ['money', 'always', false, false, true],
    ['removal', 'destructive', false, false, false],
  ])
})

const operationOf = (wanted: string): Operation => {
  const found = operations.find(({ operation }) => operation.id === wanted)?.operation
  if (found === undefined) throw new Error(`there is no operation ${wanted}`)
  return found
}
const askedUnder = (operation: Operation, args?: Record<string, unknown>) =>
  APPROVAL_POLICIES.filter((policy) => needsApproval(policy, operation, args))

test('a call needs approval under the weakest policy of its effects', () => {
  expect(askedUnder(operationOf('sendMessage'))).toEqual(['sending'])
  expect(askedUnder(operationOf('createFaq'))).toEqual(['sending'])
  for (const id of ['createWebhook', 'replayWebhook', 'testAgent', 'createApiKey', 'createAccessLink'])
    expect(askedUnder(operationOf(id)), id).toEqual(['destructive', 'sending'])
  for (const id of ['restartInstance', 'refreshInstanceQr', 'deleteInstance'])
    expect(askedUnder(operationOf(id)), id).toEqual(['destructive', 'sending'])
  for (const id of ['createPurchase', 'createCheckout', 'setClientBilling'])
    expect(askedUnder(operationOf(id)), id).toEqual(['none', 'destructive', 'sending'])
  expect(askedUnder(operationOf('listInstances'))).toEqual([])
})

test('an argument decides if only some calls have an effect', () => {
  const create = operationOf('createInstance')
  expect(effectsOf(create, { engine: 'official' })).toEqual(['invitation'])
  expect(effectsOf(create, { engine: 'smv2' })).toEqual([])
  expect(effectsOf(create, {})).toEqual([])
  const qr = operationOf('getInstanceQr')
  expect(effectsOf(qr, {})).toEqual([])
  expect(effectsOf(qr, { phone: '12025550123' })).toEqual(['people'])
  expect(askedUnder(qr)).toEqual(['sending'])
})

test('a direct engine call has the effects of its action', () => {
  const call = operationOf('callEngine')
  const asked = (name: string) => {
    const [group, action] = name.split('/')
    return askedUnder(call, { group, action })
  }
  for (const name of [
    'group/invitelink',
    'group/participant',
    'group/create',
    'group/leave',
    'group/approve',
    'group/reject',
    'community/link',
    'community/unlink',
    'channel/unfollow',
  ])
    expect(asked(name), name).toEqual(['destructive', 'sending'])
  for (const name of ['message/delete', 'user/block', 'user/unblock', 'label/delete'])
    expect(asked(name), name).toEqual(['destructive', 'sending'])
  for (const name of ['send/text', 'send/media', 'message/edit', 'message/react', 'message/markread', 'call/reject'])
    expect(asked(name), name).toEqual(['sending'])
  for (const name of [
    'account/status',
    'channel/post',
    'group/subject',
    'chat/typing',
    'chat/disappearing',
    'constructor/x',
    'something/new',
  ])
    expect(asked(name), name).toEqual(['sending'])
  for (const name of [
    'user/check',
    'group/list',
    'group/requests',
    'community/groups',
    'channel/list',
    'channel/follow',
    'chat/pin',
    'chat/info',
  ])
    expect(asked(name), name).toEqual([])
})

test('suspended and frozen accounts read, receive, disconnect, pay, export and opt people out', () => {
  const isOpen = (id: string) => {
    const operation = operationOf(id)
    return !isClosedWhenSuspended(operation) && !isClosedWhenFrozen(operation)
  }
  // The first makes a stranger's phone ring, the second sends a provider the key.
  const reaching = ['getInstanceQr', 'listProviderModels']
  for (const { operation } of operations.filter(({ operation }) => operation.method === 'GET'))
    if (!reaching.includes(operation.id)) expect(isOpen(operation.id), operation.id).toBe(true)
  const kept = ['disconnectInstance', 'exportInstanceSession', 'deleteInstance', 'restartInstance', 'cancelVoiceCall']
  const paying = ['createPurchase', 'createCheckout', 'createPortalSession', 'createCardSetup', 'paySandboxCheckout']
  for (const id of [...kept, ...paying, 'createOptOut', 'importOptOuts', 'pauseCampaign', 'cancelCampaign'])
    expect(isOpen(id), id).toBe(true)
})

test('the hints of tools are those of their effects', () => {
  const hints = (id: string) => [isDestructive(operationOf(id)), isOpenWorld(operationOf(id))]
  expect(hints('deleteContact')).toEqual([true, false])
  expect(hints('deleteInstance')).toEqual([true, true])
  expect(hints('sendMessage')).toEqual([false, true])
  expect(hints('callEngine')).toEqual([true, true])
  expect(hints('getMessage')).toEqual([false, false])
  for (const { operation } of operations)
    if (operation.confirm !== undefined) expect(isDestructive(operation), operation.id).toBe(true)
})
