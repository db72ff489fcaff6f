import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LinkSignal } from '../../../main/capabilities/instances/index.ts'
import {
  HEALTH_ISSUES,
  lineOfIssue,
  type HealthIssueCode,
  type ListedIssueCode,
} from '../../../main/contract/health-issue-codes.ts'
import { WORDS_OF_HOLD } from '../../../main/engines/official/errors.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'
import { sql } from '../../../main/kernel/sql.ts'
import { HEALTHY } from '../../support/engine.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom
beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const addClient = sql<{ id: string; parent: string }>(
  `INSERT INTO accounts (id, name, change_at, created_at, parent_account_id) VALUES (:id, 'North bakery', 1, 1, :parent)`,
)
const giveTo = sql<{ id: string; accountId: string }>('UPDATE instances SET account_id = :accountId WHERE id = :id')

const codes = Object.keys(HEALTH_ISSUES) as HealthIssueCode[]
const listed = codes.filter((code) => typeof HEALTH_ISSUES[code] === 'string') as ListedIssueCode[]
const lines = (accountId = room.accountId, role: 'operator' | 'member' = 'operator') =>
  room.instances.attention({ accountId, role, network: null })
const lineCodes = async () => (await lines()).map(({ code }) => code).toSorted()
const says = (id: InstanceId, code: HealthIssueCode, facts = {}) =>
  room.official.script.evidenceOf.set(id, { issues: [{ code, message: 'What to do.', sinceMs: 1_000, facts }] })
const official = (number: string, name = 'Front desk') => room.connected(number, { engine: 'official', name })

test.each(listed)('%s has its own line in the overview, with the number and the known facts', async (code) => {
  const { id } = await official('12025550123')
  says(id, code, { untilMs: 5_000 })
  expect(await lines()).toEqual([
    {
      ...{ code, severity: HEALTH_ISSUES[code], count: 1, ids: [id], sinceMs: 1_000, text: null },
      ...{ subject: { id, name: 'Front desk' }, facts: { untilMs: 5_000 } },
    },
  ])
})

test.each(codes.filter((code) => !listed.includes(code as ListedIssueCode)))(
  '%s is counted in another line, or in none for a documented reason',
  (code) => {
    const place: unknown = HEALTH_ISSUES[code]
    const known = ['banned', 'signed_out', 'lost', 'passkey'].map((line) => `instances.${line}`)
    const others = ['safety.restricted', 'official-settings.version_ends', 'messages.queue_stuck']
    const line = lineOfIssue(code)
    if (line !== null) expect([...known, ...others, 'instance-webhook.failing']).toContain(line)
    else expect(place).toEqual({ unlisted: expect.stringMatching(/\w+ .*\.$/) })
  },
)

test.each(Object.keys(WORDS_OF_HOLD))('a hold for %s has its own line in the overview', (reason) => {
  expect(listed).toContain(`held_${reason}`)
})

test('300 numbers with the same issue share one line, which contains the facts they have in common', async () => {
  for (let at = 0; at < 300; at++) {
    const { id } = await official(String(12_025_551_000 + at), `Number ${at}`)
    says(id, 'held_payment', { untilMs: null, kind: 'SAME', count: at + 1 })
  }
  const found = await lines()
  expect(found).toMatchObject([{ code: 'held_payment', count: 300, subject: null, facts: { kind: 'SAME' } }])
  expect(found[0]?.facts).not.toHaveProperty('count')
  expect(new Set(found[0]?.ids).size).toBe(300)
})

test('a revoked token is not reported separately if Meta says why it removed the account', async () => {
  const { id } = await official('12025550123')
  await room.instances.onSignal(id, { kind: 'auth_failed', reason: 'token_revoked', code: 190, untilMs: null })
  expect(await lineCodes()).toEqual(['token_revoked'])
  says(id, 'removed_primary_inactivity')
  expect(await lineCodes()).toEqual(['removed_primary_inactivity'])
})

test('a restriction on replies is shown as an error of the number', async () => {
  const { id } = await official('12025550123')
  const untilMs = room.clock.now() + 60_000
  const restriction = {
    kind: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING',
    sinceMs: 1_000,
    untilMs,
    stops: 'replies',
  } as const
  room.official.script.evidenceOf.set(id, { restriction })
  expect(await lines()).toMatchObject([{ code: 'restricted_replies', severity: 'error', facts: { untilMs } }])
  await room.clock.advance(60_000)
  expect(await lines()).toEqual([])
})

test('an engine that throws or is not reachable has a line in the overview', async () => {
  await official('12025550123')
  room.official.script.evidence = { ...HEALTHY, reachable: false }
  expect(await lineCodes()).toEqual(['engine_unreachable'])
  room.official.script.evidence = new Error('boom')
  expect(await lineCodes()).toEqual(['engine_unknown'])
})

describe('a connection', () => {
  const ended = async (signal: LinkSignal | { readonly kind: 'session_lost' }) => {
    const { id } = await room.connected()
    if (signal.kind === 'session_lost') await room.restarted().resumeAll()
    else await room.instances.onSignal(id, signal)
    await room.clock.advance(6_000)
    return { id, health: (await room.instances.health(id)).issues.map(({ code }) => code), lines: await lineCodes() }
  }
  const lost = (reason: string): LinkSignal => ({ kind: 'link_lost', reason, code: null, nextRetryAtMs: null })

  test.each([
    ['link_lost', 'lost', lost('connection_lost')],
    ['client_outdated', 'client_outdated', lost('client_outdated')],
    ['replaced', 'replaced', lost('replaced')],
    ['bad_session', 'bad_session', { kind: 'link_ended', reason: 'bad_session', code: 500 }],
    ['session_lost', 'session_lost', { kind: 'session_lost' }],
    ['logged_out', 'signed_out', { kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null }],
    ['banned', 'banned', { kind: 'auth_failed', reason: 'banned', code: 403, untilMs: null }],
    ['temporary_ban', 'banned', { kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs: null }],
    ['token_revoked', 'token_revoked', { kind: 'auth_failed', reason: 'token_revoked', code: 190, untilMs: null }],
  ] as const)('with %s is shown as %s in the overview', async (code, line, signal) => {
    expect(await ended(signal)).toMatchObject({ health: [code], lines: [line] })
  })

  test('that was signed out stays shown as signed out while the new QR code is not scanned', async () => {
    const refused = { kind: 'auth_failed', reason: 'logged_out', code: 401, untilMs: null } as const
    const { id } = await ended(refused)
    await room.instances.restart(id)
    await room.instances.onSignal(id, { kind: 'qr', attempt: 1, expiresAtMs: 2 })
    await room.instances.onSignal(id, { kind: 'qr_expired' })
    expect((await room.instances.health(id)).issues).toMatchObject([{ code: 'qr_expired' }])
    expect(await lineCodes()).toEqual(['signed_out'])
  })

  test('that a person ended or never started is not shown in the overview', async () => {
    const { id } = await room.connected()
    await room.instances.disconnect(id, true)
    const made = await room.create()
    await room.instances.qr.read(made.id, undefined)
    await room.instances.onSignal(made.id, { kind: 'qr', attempt: 1, expiresAtMs: 2 })
    await room.instances.onSignal(made.id, { kind: 'qr_expired' })
    expect(await lines()).toEqual([])
  })

  test('attempt that takes longer than a minute is shown as lost', async () => {
    const { id } = await room.connected()
    await room.instances.disconnect(id, false)
    await room.instances.restart(id)
    expect(await lines()).toEqual([])
    await room.clock.advance(61_000)
    expect(await lineCodes()).toEqual(['lost'])
  })
})

test('an agency sees how many numbers of a client need attention; the client sees its own, and nobody else sees either', async () => {
  const { id } = await official('12025550123')
  const client = '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10' as AccountId
  await room.database.db.commit(async (tx) => {
    await tx.run(addClient, { id: client, parent: room.accountId })
    await tx.run(giveTo, { id, accountId: client })
  })
  room.official.script.evidenceOf.set(id, {
    issues: [
      { code: 'held_payment', message: '', sinceMs: 7 },
      { code: 'pin_changed', message: '', sinceMs: 5 },
    ],
  })
  expect(await lines()).toMatchObject([
    { code: 'client', count: 1, subject: { id: client, name: 'North bakery' }, sinceMs: 5 },
  ])
  expect(await lines(room.accountId, 'member')).toEqual([])
  expect((await lines(client, 'member')).map(({ code }) => code)).toEqual(['held_payment', 'pin_changed'])
})
