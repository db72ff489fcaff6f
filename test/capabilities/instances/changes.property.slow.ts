import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangeList } from '../../../main/contract/instance.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'
import { createFollower, type ChangesQuery, type Follower } from './follower.ts'

/** What happens on the server while a client synchronises. */
type Step =
  | { readonly kind: 'create' }
  | { readonly kind: 'patch'; readonly which: number; readonly value: number }
  | { readonly kind: 'delete'; readonly which: number }
  | { readonly kind: 'clock'; readonly ms: number }
  /** The client makes its next call. */
  | { readonly kind: 'call' }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>({ kind: 'create' }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('patch' as const), which: fc.nat(50), value: fc.nat(3) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat(50) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('clock' as const), ms: fc.integer({ min: -5_000, max: 5_000 }) }),
    },
    { weight: 6, arbitrary: fc.constant<Step>({ kind: 'call' }) },
  ),
  { maxLength: 60 },
)

async function serverCopy(room: InstancesRoom): Promise<Follower['copy']> {
  const { data } = await room.instances.list({ accountId: room.accountId, allowedInstanceIds: null, query: {} })
  return new Map(data.map((row) => [row.id, row]))
}

async function carryOut(room: InstancesRoom, step: Step, live: InstanceId[]): Promise<void> {
  const pick = (which: number) => live[which % Math.max(1, live.length)]
  if (step.kind === 'create') live.push((await room.create()).id)
  if (step.kind === 'patch') {
    const id = pick(step.which)
    if (id) await room.instances.update(id, { name: `Name ${step.value}` })
  }
  if (step.kind === 'delete') {
    const id = pick(step.which)
    if (id) await room.instances.remove(live.splice(live.indexOf(id), 1)[0] ?? id)
  }
  if (step.kind === 'clock') room.clock.suspend(step.ms)
}

async function check(restricted: boolean): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, async (limit, script) => {
      const room = await instancesRoom()
      try {
        const live: InstanceId[] = []
        // A restricted key's list is read by other statements and must keep the same promise.
        const made: string[] = []
        const ask = async (query: ChangesQuery) => {
          const allowedInstanceIds = restricted ? made : null
          const answer = await room.instances.list({ accountId: room.accountId, allowedInstanceIds, query })
          if (!('deleted' in answer)) throw new Error('updated_since did not give the incremental form')
          return answer
        }
        const { call, copy } = createFollower({ ask, limit: () => limit })
        for (const step of script) {
          await carryOut(room, step, live)
          for (const id of live) if (!made.includes(id)) made.push(id)
          if (step.kind === 'call') await call()
        }
        // It comes to an end once nothing changes any more, and one more round finds nothing new.
        let calls = 0
        while (!(await call())) expect(++calls).toBeLessThan(500)
        while (!(await call())) expect(++calls).toBeLessThan(500)
        expect(copy).toEqual(await serverCopy(room))
      } finally {
        await room.close()
      }
    }),
    { numRuns: 40, seed: 20_260_301 },
  )
}

test('a client that follows the three rules ends with the state of the server, with any page size', () => check(false))

test('a client with a restricted key that follows the three rules ends with the state of the server', () => check(true))

test.each(['all instances', 'a restricted key'])(
  'a change between the database reads of one response is never lost (%s)',
  async (whose) => {
    const room = await instancesRoom()
    const changing: InstanceId[] = []
    const leaving: InstanceId[] = []
    for (let i = 0; i < 90; i++) (i % 2 ? changing : leaving).push((await room.create()).id)
    const listed = [...changing, ...leaving]
    // Large pages: every call is a whole round, after which the client goes on from the latest moment it has seen.
    const ask = async (query: ChangesQuery) => {
      const allowedInstanceIds = whose === 'all instances' ? null : listed
      return (await room.instances.list({ accountId: room.accountId, allowedInstanceIds, query })) as ChangeList
    }
    const { call, copy } = createFollower({ ask, limit: () => 100 })

    // Each changes once: a change that is missed is never made up for by a later one.
    room.beforeRead = async () => {
      const [changed, left] = [changing.pop(), leaving.pop()]
      if (changed) await room.instances.update(changed, { name: 'changed' })
      if (left) await room.instances.remove(left)
    }
    while (changing.length > 0) await call()
    room.beforeRead = null
    await call()
    expect(copy).toEqual(await serverCopy(room))
    await room.close()
  },
)
