import type { Engine } from '../../../main/engines/engine.ts'
import { afterEach, expect, test } from 'vitest'
import { createGroupAdditions } from '../../../main/capabilities/group-additions.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import type { MemberResult } from '../../../main/engines/direct.ts'
import { safetyBench, type SafetyBench } from './bench.ts'

const PEOPLE = ['12025560001', '12025560002', '12025560003', '12025560004']

let b: SafetyBench
afterEach(() => b.close())

const opened = async (settings: Parameters<typeof safetyBench>[0]) => {
  b = await safetyBench({ safetySpacingSeconds: 0, safetyWarmupDays: 0, safetyFirstContactsDays: 0, ...settings })
  const side = await b.pair()
  const { db } = b.room.database
  const reserve = createGroupAdditions({
    ...{ db, clock: b.room.clock, safety: b.safety },
    instances: { engineFor: () => ({ addsToGroups: true }) as Engine },
  })
  const { accountId } = b.room
  const instance = { id: side.id, accountId, engine: 'smv2', network: 'live', connected: true, deleted: false } as const
  const add = async (phones: string[], act: () => Promise<MemberResult[]> = async () => []) => {
    const reservation = await reserve(instance, phones)
    return reservation.during(act, (results) => results)
  }
  return { side, add, reserve: (phones: string[]) => reserve(instance, phones) }
}

test('adding more strangers than allowed today is refused completely, and exactly as many as allowed are added', async () => {
  const { side, add } = await opened({ safetyFirstContacts: 3 })
  await b.send(side, '12025560099')
  await expect(add(PEOPLE.slice(0, 3))).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringContaining('it may reach 2 new ones now. Try again after 2026-01-06T00:00:00.000Z.'),
  })
  expect((await b.state(side)).today).toMatchObject({ sent: 1, firstContacts: 1 })
  await add(PEOPLE.slice(0, 2))
  expect((await b.state(side)).today).toMatchObject({ sent: 3, firstContacts: 3 })
  await expect(add(PEOPLE.slice(2))).rejects.toThrow(/written to the 3 new people it may write to today/)
  expect(await b.claim(side, PEOPLE[3] ?? '')).toMatchObject({ kind: 'wait', reason: 'first_contacts_limit' })
})

test('the hourly limit applies to strangers, and never to people who know the number', async () => {
  const { side, add } = await opened({ safetyHourlyLimit: 1 })
  await b.receive(side, PEOPLE[0] ?? '')
  await b.send(side, PEOPLE[0] ?? '')
  await expect(add([PEOPLE[1] ?? ''])).rejects.toMatchObject({ code: 'invalid_state' })
  await add([PEOPLE[0] ?? ''])
  expect((await b.state(side)).today).toMatchObject({ sent: 1, firstContacts: 0 })
})

test('two concurrent additions share the remaining limit', async () => {
  const { side, add } = await opened({ safetyFirstContacts: 3 })
  const both = await Promise.allSettled([add(PEOPLE.slice(0, 2)), add(PEOPLE.slice(2))])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await b.state(side)).today).toMatchObject({ sent: 2, firstContacts: 2 })
})

test('people whom WhatsApp refused do not count, and those with an unknown result do', async () => {
  const { side, add, reserve } = await opened({})
  const fails = (error: Error) => () => Promise.reject(error)
  await expect(add(PEOPLE, fails(new ApiError('invalid_state', 'Only admins.')))).rejects.toThrow('Only admins.')
  await (await reserve(PEOPLE)).giveBack()
  expect((await b.state(side)).today).toMatchObject({ sent: 0, firstContacts: 0 })
  await expect(add(PEOPLE, fails(new ApiError('upstream_timeout', 'Late.')))).rejects.toThrow('Late.')
  await expect(add(PEOPLE, fails(new Error('closed')))).rejects.toThrow('closed')
  expect((await b.state(side)).today).toMatchObject({ sent: 8, firstContacts: 8 })
})
