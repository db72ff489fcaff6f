import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { reasonToNote } from '../../../main/engines/official/callback-catalogue.ts'
import { parseCallback } from '../../../main/engines/official/callback-parser.ts'
import { silentLog, type LogFields } from '../../../main/kernel/log.ts'
import { cloudWorld, WABA_ID, type CloudWorld } from './cloud-world.ts'
import { documented } from './documented-callbacks.ts'
import { graphWorld, soon } from './graph-world.ts'

const bodyOf = (change: object) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: WABA_ID, time: 1_767_614_400, changes: [change] }],
})
const parse = (change: object) => parseCallback(Buffer.from(JSON.stringify(bodyOf(change))), 0)?.[0]

const alert = (alert_type: string) => ({ alert_info: { alert_type } })
const REJECTED_NAME = { decision: 'REJECTED', rejection_reason: 'NAME_TOO_SHORT' }
const WRONG = { code: 131_000, title: 'Went wrong' }

describe('every documented callback is handled, or ignored for a documented reason', () => {
  test.each(documented().map(({ name, change }) => [name, change] as const))('%s', (_name, change) => {
    const { items = [], noted = [], problems } = parse(change) ?? {}
    expect(problems).toEqual([])
    if (noted.length === 0) expect(items).not.toEqual([])
    for (const name of noted) expect([name, reasonToNote(name)]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)])
  })
})

test('undocumented content is counted by its name and otherwise ignored', () => {
  const messages = [
    { from: '12025550101', id: 'wamid.1', timestamp: '1767614400', type: 'hologram' },
    { type: 'system', system: { type: 'user_moved' } },
  ]
  const statuses = [{ id: 'wamid.2', status: 'framed', timestamp: '1767614400' }]
  const found = parse({ field: 'messages', value: { messages, statuses } })
  expect(found?.noted).toEqual(['messages.messages.hologram', 'messages.system.user_moved', 'messages.statuses.framed'])
  expect(found?.items).toMatchObject([{ kind: 'message', type: 'unavailable', content: { kind: 'hologram' } }])
  expect(parse({ field: 'constructor', value: {} })).toMatchObject({ items: [], problems: [], noted: ['constructor'] })
  for (const name of ['constructor', ...(found?.noted ?? [])]) expect(reasonToNote(name)).toBeUndefined()
})

describe('the engine', () => {
  let world: CloudWorld
  let instance: EngineInstance
  const lines: LogFields[] = []
  const write = (fields: LogFields) => void lines.push(fields)
  beforeEach(async () => {
    lines.length = 0
    world = await cloudWorld({ log: { ...silentLog, info: write, warn: write } })
    instance = await world.connected()
    lines.length = 0
  })
  afterEach(() => world.close())
  const codes = () => (world.official.engine.evidence(instance).issues ?? []).map(({ code }) => code)
  const call = (field: string, value: object) => world.callBack(instance, bodyOf({ field, value }))

  test('counts ignored callbacks, and logs the first, tenth and hundredth of each kind', async () => {
    for (let i = 0; i < 12; i++) await call('flows', { event: 'FLOW_STATUS_CHANGE' })
    await call('invented', {})
    expect(world.official.notedCallbacks()).toEqual({ flows: 12, invented: 1 })
    const noted = { event: 'official.callback_noted', name: 'flows', reason: expect.stringContaining('flow') }
    expect(lines).toMatchObject([
      { ...noted, count: 1 },
      { ...noted, count: 10 },
      { event: 'official.callback_undocumented', name: 'invented', count: 1 },
    ])
    expect(codes()).toEqual([])
  })

  test('keeps a limited number of callback names', async () => {
    const changes = Array.from({ length: 300 }, (_, index) => ({ field: `invented_${index}`, value: {} }))
    await world.callBack(instance, { object: 'whatsapp_business_account', entry: [{ id: WABA_ID, changes }] })
    const counts = world.official.notedCallbacks()
    expect(Object.keys(counts)).toHaveLength(201)
    expect(counts['others']).toBe(100)
  })

  test.each([
    ['security', { event: 'PIN_CHANGED', requester: '61555' }, 'pin_changed', { requesterId: '61555' }],
    ['security', { event: 'PIN_RESET_REQUEST', requester: '61555' }, 'pin_disabled', { requesterId: '61555' }],
    ['security', { event: 'PIN_CHANGED' }, 'pin_changed', undefined],
    ['account_alerts', alert('OBA_REJECTED'), 'official_account_rejected', { reason: 'OBA_REJECTED' }],
    ['account_alerts', alert('PROFILE_PICTURE_LOST'), 'profile_picture_lost', { reason: 'PROFILE_PICTURE_LOST' }],
    ['account_alerts', alert('SOMETHING_NEW'), 'account_alert', { reason: 'SOMETHING_NEW' }],
    ['account_review_update', { decision: 'REJECTED' }, 'account_review_rejected', undefined],
    ['account_review_update', { decision: 'PENDING' }, 'account_review_pending', undefined],
    ['account_review_update', { decision: 'DEFERRED' }, 'account_review_pending', undefined],
    ['phone_number_name_update', REJECTED_NAME, 'display_name_rejected', { reason: 'NAME_TOO_SHORT' }],
    ['business_username_update', { status: 'deleted', username: 'acme' }, 'username_removed', { username: 'acme' }],
    ['messages', { errors: [WRONG] }, 'number_error', { providerCode: 131_000, providerMessage: 'Went wrong' }],
  ])('shows %s %j in health for a week', async (field, value, code, facts) => {
    await call(field, value)
    await call(field, value)
    const { issues } = world.official.engine.evidence(instance)
    expect(issues).toMatchObject([{ code, sinceMs: 1_767_614_400_000 }])
    expect(issues?.[0]?.facts).toEqual(facts)
    for (const value of Object.values(facts ?? {})) expect(issues?.[0]?.message).toContain(String(value))
    world.clock.suspend(1_767_614_400_000 + 7 * 86_400_000 - world.clock.now())
    expect(codes()).toEqual([])
  })

  test('shows an account review until Meta has decided', async () => {
    const decided = async (decision: string) => {
      await call('account_review_update', { decision })
      return codes()
    }
    expect(await decided('PENDING')).toEqual(['account_review_pending'])
    expect(await decided('REJECTED')).toEqual(['account_review_rejected'])
    expect(await decided('PENDING')).toEqual(['account_review_pending'])
    expect(await decided('APPROVED')).toEqual([])
  })

  test('ends a notice when Meta withdraws it', async () => {
    await call('account_review_update', { decision: 'REJECTED' })
    await call('phone_number_name_update', { decision: 'REJECTED' })
    await call('account_review_update', { decision: 'APPROVED' })
    await call('phone_number_name_update', { decision: 'APPROVED' })
    await world.clock.advance(1)
    expect(codes()).toEqual([])
  })
})

test('the simulator sends every documented callback, and the engine accepts each', async () => {
  const warnings: LogFields[] = []
  const world = await graphWorld({ log: { ...silentLog, warn: (fields) => void warnings.push(fields) } })
  const credentials = await world.number('12025550200')
  await world.connect(credentials)
  const all = documented(credentials.phoneNumberId)
  for (const { change } of all) await world.graph.callBack(credentials.phoneNumberId, change)
  const left = () => world.data.raw.prepare('SELECT problem FROM official_callbacks').all()
  await soon('all taken', () => left().length === 0)
  expect(world.callbacks).toHaveLength(all.length)
  const events = warnings.map(({ event }) => event)
  expect(events.filter((event) => /undocumented|not_taken|callback_kept/.test(event))).toEqual([])
  await world.close()
})
