import { describe, expect, it } from 'vitest'
import { BULK, runAll, type Outcome } from '../../../renderer/rooms/instances/bulk.ts'
import { createIntent } from '../../../renderer/rooms/instances/intent.ts'
import { findMetadataProblem, toMetadata, toPairs } from '../../../renderer/rooms/instances/metadata.ts'
import { isFinal, milestones } from '../../../renderer/rooms/instances/message-progress.ts'

describe('one thing done to many', () => {
  it('is offered for those it makes sense for', () => {
    const phone = { engine: 'smv2', connected: true } as const
    expect(BULK.restart.isFor({ ...phone, connected: false })).toBe(true)
    expect(BULK.disconnect.isFor(phone)).toBe(true)
    expect(BULK.disconnect.isFor({ ...phone, connected: false })).toBe(false)
    expect(BULK.restart.isFor({ engine: 'official', connected: true })).toBe(false)
    expect(BULK.disconnect.isFor({ engine: 'official', connected: true })).toBe(false)
  })

  it('is done a few at once, tells of each, and goes on after a failure', async () => {
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
      tell: (outcome) => told.push(outcome),
      isStopped: () => false,
      atOnce: 2,
    })
    expect(most).toBe(2)
    expect(told.filter(({ state }) => state === 'done').map(({ id }) => id)).toEqual(['a', 'c', 'd', 'e', 'f'])
    expect(told).toContainEqual({ id: 'b', state: 'failed', message: 'It is being recreated.' })
  })

  it('stops before what has not begun', async () => {
    const done: string[] = []
    await runAll({
      ids: ['a', 'b', 'c'],
      act: async (id) => done.push(id),
      tell: () => {},
      isStopped: () => done.length === 1,
      atOnce: 1,
    })
    expect(done).toEqual(['a'])
  })
})

describe('an intent', () => {
  it('keeps its key on a retry and gets another for another wish, or once it is done', () => {
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
  it('is the same after a look at it', () => {
    const metadata = { plan: 'gold', city: 'Lisbon' }
    expect(toMetadata(toPairs(metadata))).toEqual(metadata)
    expect(toMetadata(toPairs(null))).toBeNull()
  })

  it('leaves rows out that nobody filled, and says what the service would refuse', () => {
    const row = (key: string, value = 'x') => ({ id: 0, key, value })
    expect(toMetadata([row(' plan '), row('', '')])).toEqual({ plan: 'x' })
    expect(findMetadataProblem([row('a'), row('a ')])).toBe('twice')
    expect(findMetadataProblem([row('')])).toBe('noKey')
    expect(findMetadataProblem([row('k'.repeat(65))])).toBe('longKey')
    expect(findMetadataProblem([row('k', 'v'.repeat(1_025))])).toBe('longValue')
    expect(findMetadataProblem([row('a'), row('b'), row('', '')])).toBeUndefined()
  })
})

describe('the way of a message', () => {
  const history = (...statuses: string[]) => statuses.map((status) => ({ status, at: `at ${status}` })) as never

  it('shows what is behind it and what comes next', () => {
    const way = milestones({ status: 'sent', history: history('queued', 'sent') })
    expect(way.map(({ state }) => state)).toEqual(['done', 'done', 'next', 'ahead'])
    expect(way[1]?.at).toBe('at sent')
  })

  it('counts what was skipped as passed', () => {
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
