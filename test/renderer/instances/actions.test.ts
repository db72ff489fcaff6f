import { describe, expect, it } from 'vitest'
import { Problem } from '../../../renderer/app/problem.ts'
import { BULK_KINDS, planBulk, runAll, type BulkKind, type Outcome } from '../../../renderer/rooms/instances/bulk.ts'
import { createIntent } from '../../../renderer/rooms/instances/intent.ts'
import { findMetadataProblem, toMetadata, toPairs } from '../../../renderer/rooms/instances/metadata.ts'
import { isFinal, milestones } from '../../../renderer/rooms/instances/message-progress.ts'
import { record } from './records.ts'

describe('a bulk action', () => {
  const then = '2026-03-01T09:30:00.000Z'
  const lost = {
    status: 'disconnected',
    logged_in: true,
    last_connected_at: then,
    last_disconnect_reason: 'link_lost',
  } as const
  const many = [
    record('connected', { status: 'connected', connected: true, logged_in: true, last_connected_at: then }),
    record('lost', lost),
    record('reconnecting', { ...lost, status: 'connecting' }),
    record('stopped', { ...lost, last_disconnect_reason: 'user' }),
    record('banned', { status: 'auth_failed', last_connected_at: then, last_disconnect_reason: 'banned' }),
    record('paused', { status: 'auth_failed', last_connected_at: then, last_disconnect_reason: 'temporary_ban' }),
    record('removed', { status: 'auth_failed', last_connected_at: then, last_disconnect_reason: 'logged_out' }),
    record('new', { status: 'created' }),
    record('unscanned', { status: 'disconnected', last_disconnect_reason: 'qr_expired' }),
    record('scanning', { status: 'qr' }),
    record('resetting', { status: 'recreating' }),
    record('official', { engine: 'official', status: 'connected', connected: true }),
  ]
  const plan = (kind: BulkKind) => {
    const { included, skipped } = planBulk(kind, many, Date.parse(then))
    return {
      included: included.map(({ id }) => id),
      skipped: Object.fromEntries(skipped.map(({ reason, instances }) => [reason, instances.map(({ id }) => id)])),
    }
  }

  it('reconnects instances with a session, never banned ones, and lists the rest by reason', () => {
    expect(plan('reconnect')).toEqual({
      included: ['connected', 'lost', 'reconnecting', 'stopped'],
      skipped: {
        banned: ['banned', 'paused'],
        signedOut: ['removed'],
        notPaired: ['new', 'unscanned', 'scanning'],
        official: ['official'],
        recreating: ['resetting'],
      },
    })
  })

  it('disconnects only connected phones', () => {
    expect(plan('disconnect').included).toEqual(['connected'])
    expect(plan('disconnect').skipped['disconnected']).toEqual(['lost', 'reconnecting', 'stopped'])
  })

  it('reports every instance it leaves out', () => {
    for (const kind of BULK_KINDS) {
      const { included, skipped } = plan(kind)
      expect([...included, ...Object.values(skipped).flat()].toSorted()).toEqual(many.map(({ id }) => id).toSorted())
    }
  })

  it('runs a few at a time, reports each and continues after a failure', async () => {
    const told: Outcome[] = []
    let running = 0
    let most = 0
    await runAll({
      ids: ['a', 'b', 'c', 'd', 'e', 'f'],
      async act(id) {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        if (id === 'b') throw new Error('It is being recreated.')
      },
      onOutcome: (outcome) => told.push(outcome),
      isStopped: () => false,
      concurrency: 2,
    })
    expect(most).toBe(2)
    expect(told.filter(({ state }) => state === 'done').map(({ id }) => id)).toEqual(['a', 'c', 'd', 'e', 'f'])
    expect(told).toContainEqual({ id: 'b', state: 'failed', problem: expect.any(Problem) })
  })

  it('stops before the next instance', async () => {
    const done: string[] = []
    await runAll({
      ids: ['a', 'b', 'c'],
      act: async (id) => done.push(id),
      onOutcome: () => {},
      isStopped: () => done.length === 1,
      concurrency: 1,
    })
    expect(done).toEqual(['a'])
  })
})

describe('an intent', () => {
  it('keeps its key on a retry and gets another for a new intent', () => {
    let n = 0
    const intent = createIntent(() => `key-${++n}`)
    const first = intent.keyFor({ to: '1', text: 'a' })
    expect(intent.keyFor({ to: '1', text: 'a' })).toBe(first)
    expect(intent.keyFor({ to: '1', text: 'b' })).not.toBe(first)
    const second = intent.keyFor({ to: '1', text: 'b' })
    intent.done()
    expect(intent.keyFor({ to: '1', text: 'b' })).not.toBe(second)
  })
})

describe('metadata as rows', () => {
  it('is unchanged after viewing', () => {
    const metadata = { plan: 'gold', city: 'Lisbon' }
    expect(toMetadata(toPairs(metadata))).toEqual(metadata)
    expect(toMetadata(toPairs(null))).toBeNull()
  })

  it('omits empty rows and reports what the service would refuse', () => {
    const row = (key: string, value = 'x') => ({ id: 0, key, value })
    expect(toMetadata([row(' plan '), row('', '')])).toEqual({ plan: 'x' })
    expect(findMetadataProblem([row('a'), row('a ')])).toBe('twice')
    expect(findMetadataProblem([row('')])).toBe('noKey')
    expect(findMetadataProblem([row('k'.repeat(65))])).toBe('longKey')
    expect(findMetadataProblem([row('k', 'v'.repeat(1_025))])).toBe('longValue')
    expect(findMetadataProblem([row('a'), row('b'), row('', '')])).toBeUndefined()
  })
})

describe('the path of a message', () => {
  const history = (...statuses: string[]) => statuses.map((status) => ({ status, at: `at ${status}` })) as never

  it('shows completed and upcoming steps', () => {
    const way = milestones({ status: 'sent', history: history('queued', 'sent') })
    expect(way.map(({ state }) => state)).toEqual(['done', 'done', 'next', 'ahead'])
    expect(way[1]?.at).toBe('at sent')
  })

  it('counts skipped steps as passed', () => {
    expect(milestones({ status: 'read', history: history('queued', 'read') }).map(({ state }) => state)).toEqual([
      'done',
      'done',
      'done',
      'done',
    ])
  })

  it('ends where it failed', () => {
    const way = milestones({ status: 'failed', history: history('queued', 'sent', 'failed') })
    expect(way.map(({ status }) => status)).toEqual(['queued', 'sent', 'failed'])
    expect(way.at(-1)).toEqual({ status: 'failed', state: 'failed', at: 'at failed' })
    expect(isFinal('failed') && isFinal('read') && !isFinal('delivered')).toBe(true)
  })
})
