import { expect, test } from 'vitest'
import { createTurns } from '../../../main/capabilities/ai/turn.ts'
import { dueIn } from '../../../main/kernel/due.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'
import { settle } from '../../support/clock.ts'
import { BUSY, jobsOfTest, OTHER } from '../../support/jobs.ts'

test('an account whose models do not answer leaves capacity for the turns of others', async () => {
  const { jobs, db, clock } = await jobsOfTest()
  const begun: number[] = []
  const turns = createTurns({
    ...{ jobs, clock },
    begin: (seq) => {
      begun.push(seq)
      return new Promise(() => {})
    },
    think: () => Promise.reject(new Error('No turn gets that far.')),
    send: () => Promise.reject(new Error('No turn gets that far.')),
    failed: () => Promise.resolve(),
  })
  const add = (accountId: AccountId, seq: number) =>
    db.commit((tx) => {
      const instanceId = `instance of ${accountId}` as InstanceId
      const conversation = { id: `conversation ${seq}`, instanceId, chat: `chat ${seq}`, accountId }
      return turns.add(tx, { conversation, seq, turn: 1, due: dueIn(clock, 0) })
    })
  for (let seq = 1; seq <= 140; seq++) await add(BUSY, seq)
  jobs.start()
  await clock.advance(2_000)
  // Turns begin one after the other.
  await settle(300)
  expect(begun).toHaveLength(64)
  await add(OTHER, 1_000)
  await settle(50)
  expect(begun.at(-1)).toBe(1_000)
})
