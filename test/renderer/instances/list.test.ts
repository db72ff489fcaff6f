import { describe, expect, it } from 'vitest'
import {
  NO_FILTER,
  isFiltered,
  filterInstances,
  filterOfQuery,
  queryOfFilter,
  sortInstances,
} from '../../../renderer/rooms/instances/filter.ts'
import { loadNumberFormats, numberText } from '../../../renderer/parts/number-text.ts'
import { connectStep, listUnpaired, nextStep, toStateView } from '../../../renderer/rooms/instances/status.ts'
import { record } from './records.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const NOW = Date.parse('2026-03-02T00:00:00.000Z')
/** A temporary ban that is over. */
const ENDED = {
  status: 'auth_failed',
  last_disconnect_reason: 'temporary_ban',
  banned_until: '2026-03-01T08:00:00.000Z',
} as const
const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id)

describe('finding instances', () => {
  const records = [
    record('a', { name: 'Farmácia São João', phone_number: '5511987654321', status: 'connected' }),
    record('b', { name: 'Acme', external_ref: 'customer-42', engine: 'official', metadata: { city: 'Lisbon' } }),
    record('c', { name: 'Acme support', network: 'live' }),
  ]

  it.each([
    ['sao joao', ['a']],
    ['SÃO', ['a']],
    ['acme', ['b', 'c']],
    ['support acme', ['c']],
    ['customer-42', ['b']],
    ['lisbon', ['b']],
    ['+55 (11) 98765-4321', ['a']],
    ['98765', ['a']],
    ['nobody', []],
    ['  ', ['a', 'b', 'c']],
  ])('finds by %j', (text, found) => {
    expect(ids(filterInstances(records, { ...NO_FILTER, text }))).toEqual(found)
  })

  it('matches an id only by a longer part of it', () => {
    const id = '01a1e3f4-0000-7c51-9d2b-000000000019'
    const one = [record(id, { name: 'Shop', instance_name: 'shop' })]
    expect(filterInstances(one, { ...NO_FILTER, text: '19' })).toEqual([])
    expect(filterInstances(one, { ...NO_FILTER, text: id })).toEqual(one)
    expect(filterInstances(one, { ...NO_FILTER, text: id.slice(0, 8) })).toEqual(one)
  })

  it('filters by what an overview tile counts', () => {
    const all = [
      record('new', { status: 'created', last_connected_at: null }),
      record('on', { status: 'connected', last_connected_at: '2026-03-01T08:00:00.000Z' }),
      record('lost', { status: 'disconnected', last_connected_at: '2026-03-01T08:00:00.000Z' }),
    ]
    const of = (status: 'waiting' | 'troubled' | 'connected') => ids(filterInstances(all, { ...NO_FILTER, status }))
    expect([of('waiting'), of('troubled'), of('connected')]).toEqual([['new'], ['lost'], ['on']])
  })

  it('is in the URL of the list, and ignores invalid values', () => {
    const filter = { text: 'são', status: 'troubled', engine: 'smv2' } as const
    expect(queryOfFilter(filter)).toEqual({ q: 'são', status: 'troubled', engine: 'smv2' })
    expect(filterOfQuery(queryOfFilter(filter))).toEqual(filter)
    expect(filterOfQuery({ q: ['a', 'b'], status: 'nothing', engine: 'x' })).toEqual(NO_FILTER)
    expect(Object.values(queryOfFilter(NO_FILTER)).every((value) => value === undefined)).toBe(true)
  })

  it('filters by state and engine', () => {
    expect(ids(filterInstances(records, { ...NO_FILTER, status: 'connected' }))).toEqual(['a'])
    expect(ids(filterInstances(records, { ...NO_FILTER, engine: 'official' }))).toEqual(['b'])
    expect(isFiltered(NO_FILTER)).toBe(false)
    expect(isFiltered({ ...NO_FILTER, text: ' ' })).toBe(false)
    expect(isFiltered({ ...NO_FILTER, engine: 'smv2' })).toBe(true)
  })

  it('distinguishes banned and signed-out numbers', () => {
    const ended = { status: 'auth_failed', last_connected_at: '2026-03-01T09:30:00.000Z' } as const
    const both = [
      record('banned', { ...ended, last_disconnect_reason: 'banned' }),
      record('removed', { ...ended, last_disconnect_reason: 'logged_out' }),
    ]
    expect(ids(filterInstances(both, { ...NO_FILTER, status: 'banned' }))).toEqual(['banned'])
    expect(ids(filterInstances(both, { ...NO_FILTER, status: 'auth_failed' }))).toEqual(['removed'])
  })

  it('sorts by age, change or name, stably', () => {
    const three = [
      record('1', { name: 'Éva', created_at: '2026-01-01', updated_at: '2026-01-09' }),
      record('2', { name: 'bea', created_at: '2026-01-02', updated_at: '2026-01-08' }),
      record('3', { name: 'Fay', created_at: '2026-01-02', updated_at: '2026-01-07' }),
    ]
    expect(ids(sortInstances(three, 'newest'))).toEqual(['3', '2', '1'])
    expect(ids(sortInstances(three, 'changed'))).toEqual(['1', '2', '3'])
    expect(ids(sortInstances(three, 'name'))).toEqual(['2', '1', '3'])
  })

  it('filters and sorts 10,000 instances within two frames', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => record(String(n), { name: `Customer ${n}` }))
    filterInstances(many, { ...NO_FILTER, text: 'warm' })
    const find = () => sortInstances(filterInstances(many, { ...NO_FILTER, text: '99' }), 'newest')
    expect(find().length).toBeGreaterThan(0)
    expect(await cpuTime(find)).toBeLessThan(150)
  })
})

describe('the main button of an instance', () => {
  it.each([
    [{ status: 'created' }, 'pair'],
    [{ status: 'qr' }, 'pair'],
    [{ status: 'connecting' }, 'pair'],
    [{ status: 'connecting', logged_in: true }, undefined],
    [{ status: 'connecting', last_connected_at: 'then' }, 'pair'],
    [{ status: 'connected' }, undefined],
    [{ status: 'recreating' }, undefined],
    [{ status: 'passkey_required' }, 'pair'],
    [{ status: 'auth_failed', last_disconnect_reason: 'logged_out' }, 'pair'],
    [{ status: 'auth_failed', last_disconnect_reason: 'temporary_ban' }, 'details'],
    [{ status: 'auth_failed', last_disconnect_reason: 'banned' }, 'details'],
    [{ status: 'disconnected', last_disconnect_reason: 'banned' }, 'details'],
    [{ status: 'qr', last_disconnect_reason: 'banned' }, 'pair'],
    [{ ...ENDED }, 'reconnect'],
    [{ status: 'disconnected', logged_in: true, last_disconnect_reason: 'user' }, 'reconnect'],
    [{ status: 'disconnected', last_connected_at: 'then', last_disconnect_reason: 'logout' }, 'pair'],
    [{ status: 'disconnected', last_disconnect_reason: 'qr_expired' }, 'pair'],
    [{ status: 'created', engine: 'official', onboarding_url: 'http://127.0.0.1/onboard/x' }, 'onboard'],
    [{ status: 'connected', engine: 'official' }, undefined],
  ] as const)('of %j is %s', (facts, step) => {
    expect(nextStep(record('a', facts), NOW)).toBe(step)
  })

  it('of a banned number differs from its menu', () => {
    const banned = record('a', { status: 'auth_failed', last_disconnect_reason: 'banned' })
    expect([nextStep(banned, NOW), connectStep(banned)]).toEqual(['details', 'pair'])
    const paused = { ...banned, last_disconnect_reason: 'temporary_ban' }
    expect([nextStep(paused, NOW), connectStep(paused)]).toEqual(['details', 'reconnect'])
  })

  it.each([
    [{ status: 'connected' }, 'connected'],
    [{ status: 'qr' }, 'qr'],
    [{ status: 'auth_failed', last_disconnect_reason: 'banned' }, 'banned'],
    [{ status: 'auth_failed', last_disconnect_reason: 'temporary_ban' }, 'temporaryBan'],
    [{ status: 'auth_failed', last_disconnect_reason: 'logged_out' }, 'signedOut'],
    [{ status: 'auth_failed', last_disconnect_reason: 'token_revoked' }, 'tokenRevoked'],
    [{ status: 'disconnected', last_disconnect_reason: 'banned' }, 'banned'],
    [{ status: 'qr', last_disconnect_reason: 'banned' }, 'qr'],
    [{ ...ENDED }, 'banEnded'],
    [{ status: 'disconnected', logged_in: true, last_disconnect_reason: 'link_lost' }, 'lost'],
    [{ status: 'connecting', logged_in: true, last_disconnect_reason: 'link_lost' }, 'reconnecting'],
    [{ status: 'connecting' }, 'connecting'],
    [{ status: 'disconnected', logged_in: true, last_disconnect_reason: 'user' }, 'disconnected'],
    [{ status: 'disconnected', last_connected_at: 'then', last_disconnect_reason: 'logout' }, 'signedOut'],
    [{ status: 'disconnected', last_disconnect_reason: 'qr_expired' }, 'codeExpired'],
    [{ status: 'disconnected', logged_in: true, last_disconnect_reason: 'replaced' }, 'replaced'],
    [{ status: 'disconnected', logged_in: true, last_disconnect_reason: 'client_outdated' }, 'outdated'],
    [{ status: 'disconnected', logged_in: true, last_disconnect_reason: 'moved' }, 'moved'],
  ] as const)('the state of %j is shown as %s', (facts, name) => {
    expect(toStateView(record('a', facts), NOW).name).toBe(name)
  })

  it('calls an official number not connected, because only phones are paired', () => {
    expect(toStateView(record('a', { status: 'created', engine: 'official' }), NOW).name).toBe('notConnected')
    expect(toStateView(record('a', { status: 'created' }), NOW).name).toBe('created')
  })

  it('dates a lost connection by its status change', () => {
    const lost = record('a', { status: 'disconnected', logged_in: true, last_disconnect_reason: 'link_silent' })
    const at = '2026-03-01T23:55:00.000Z'
    expect(toStateView({ ...lost, status_since: at }, NOW).lostAt).toBe(at)
  })

  it('shows when a temporary ban ends, if known', () => {
    const paused = record('a', { status: 'auth_failed', last_disconnect_reason: 'temporary_ban' })
    const end = '2026-03-02T08:00:00.000Z'
    expect(toStateView({ ...paused, banned_until: end }, NOW).until).toBe(end)
    expect(toStateView(paused, NOW)).not.toHaveProperty('until')
  })

  it('lists unpaired numbers by creation, without banned ones, and signed-out ones only if chosen', () => {
    const records = [
      record('c', { created_at: '2026-01-03' }),
      record('a', { created_at: '2026-01-01' }),
      record('b', { status: 'connected' }),
      record('d', { status: 'auth_failed', last_disconnect_reason: 'banned' }),
      record('e', { status: 'auth_failed', last_disconnect_reason: 'logged_out', created_at: '2026-01-04' }),
    ]
    expect(ids(listUnpaired(records, { withSignedOut: true, nowMs: NOW }))).toEqual(['a', 'c', 'e'])
    expect(ids(listUnpaired(records, { withSignedOut: false, nowMs: NOW }))).toEqual(['a', 'c'])
  })

  it.each([
    ['12025550147', '+1 202 555 0147'],
    ['5511987654321', '+55 11 98765-4321'],
    ['551133334444', '+55 11 3333-4444'],
    ['4915112345678', '+4915112345678'],
  ])('writes %s as %s', (digits, text) => {
    expect(numberText(digits)).toBe(text)
  })

  it('writes foreign numbers in their format once the formats are loaded', async () => {
    await loadNumberFormats()
    expect(['4915112345678', '525512345678', '5491123456789', '5511987654321', '12'].map(numberText)).toEqual([
      ...['+49 1511 2345678', '+52 55 1234 5678', '+54 9 11 2345 6789', '+55 11 98765-4321', '+12'],
    ])
  })
})
