import { expect, test } from 'vitest'
import { laneJob } from '../../../main/capabilities/campaigns/lane.ts'
import type { Db } from '../../../main/kernel/db.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { fakeClock, settle } from '../../support/clock.ts'
import { BUSY, OTHER } from '../../support/jobs.ts'

/** Campaigns whose sends never end; each turn of a number takes all the room it is given. */
function campaigns() {
  const clock = fakeClock()
  const sends: AccountId[] = []
  const deps = {
    ...{ clock, log: silentLog, apiActivity: { isRecent: () => false } },
    db: { commit: (work: (tx: unknown) => unknown) => work({}) } as unknown as Db,
    instances: { subject: async (accountId: AccountId, id: string) => ({ id, accountId, engine: 'smv2' }) },
    messages: {
      send({ instance }: { instance: { accountId: AccountId } }) {
        sends.push(instance.accountId)
        return new Promise(() => {})
      },
    },
    checks: { canAsk: () => false },
    sends: new Set<string>(),
    async takeTurn(_tx: unknown, { campaignId, instanceId, room }: { [key: string]: string } & { room: number }) {
      const campaign = { accountId: campaignId, messages: [{ text: 'Hello' }], network: 'sandbox', config: {} }
      const claimed = Array.from({ length: room }, (_, position) => ({
        recipient: { campaignId, position, instanceId, variables: null, phone: '12025550101', name: null, tries: 0 },
        ...{ to: '12025550101', variation: 1 },
      }))
      return { kind: 'send', campaign, instance: { id: instanceId, engine: 'smv2' }, claimed, isLast: false }
    },
  }
  const job = laneJob(deps as unknown as Parameters<typeof laneJob>[0])
  const begin = (accountId: AccountId, lane: string) => {
    const run = { seq: 1, accountId, subjectId: accountId, lane, key: null, input: {}, attempt: 1, report() {} }
    void job.act(run, new AbortController().signal)
  }
  const sendsOf = (accountId: AccountId) => sends.filter((sender) => sender === accountId).length
  return { begin, sendsOf, clock }
}

test.each([
  [1, 25],
  [2, 12],
  [3, 7],
  [10, 1],
])(
  '%i accounts with many numbers whose sends hang leave capacity for the campaigns of another',
  async (accounts, room) => {
    const { begin, sendsOf, clock } = campaigns()
    for (let account = 0; account < accounts; account++) {
      for (let n = 0; n < 8; n++) begin(`${BUSY} ${account}` as AccountId, `number ${n}`)
      await settle(20)
      await clock.advance(1_000)
    }
    expect(sendsOf(`${BUSY} 0` as AccountId)).toBe(64)
    begin(OTHER, 'number')
    await settle(20)
    expect(sendsOf(OTHER)).toBe(room)
  },
)
