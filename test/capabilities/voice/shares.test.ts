import { expect, test } from 'vitest'
import { consolePrincipal } from '../../../main/capabilities/account/index.ts'
import { insertCall } from '../../../main/capabilities/voice/call-store.ts'
import { LIMITS } from '../../../main/contract/limits.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'
import { scriptedVoice, type ScriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, until, voiceOf } from './calls.ts'
import { OFFER } from './offers.ts'

/** Two accounts that may call. */
async function scene() {
  const voice: ScriptedVoice = scriptedVoice((it, { callId }) => it.say({ kind: 'console_answer', callId, sdp: 'v=0' }))
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: voice.start })
  const stranger = await w.stranger()
  const api: World['api'] = (method, path, body) => w.api(method, path, body, { key: stranger.key })
  const { id: other } = (await api('POST', '/v1/instances', {})).body
  const { pairing_code } = (await api('GET', `/v1/instances/${other}/qr`)).body
  await api('POST', '/v1/sandbox/phones/12025550199/scan', { pairing_code })
  await w.quiet()
  expect((await api('POST', `${voiceOf(other)}/enable`)).status).toBe(200)

  const mine = await callingInstance(w)
  const dial = (call: World['api'], id: string) =>
    call('POST', `${voiceOf(id)}/calls`, { to_number: '12025550101', agent_id: 'agent-1' })
  return {
    ...{ w, voice, mine, other },
    dialMine: () => dial(w.api, mine),
    dialOther: () => dial(api, other),
    fromConsole: (account: typeof w.account, id: string) =>
      w.service.door.call(consolePrincipal(account, 'operator'), {
        ...{ method: 'POST', path: `${voiceOf(id)}/softphone` },
        body: { to_number: '12025550102', offer: OFFER },
      }),
    otherAccount: stranger.account,
  }
}

/** Calls that run on other instances of the account. */
const runCalls = (w: World, accountId: AccountId, count: number) =>
  w.service.db.commit(async (tx) => {
    for (let n = 0; n < count; n++) {
      const now = w.clock.now()
      await tx.run(insertCall, {
        ...{ seq: await tx.next('voice_calls'), id: `${accountId} ${n}`, accountId },
        ...{ instanceId: `instance ${n} of ${accountId}` as InstanceId, agentId: null, toNumber: '12025550103' },
        ...{ fromNumber: null, direction: 'outbound', source: 'api', gateway: 'sandbox', status: 'in_progress' },
        ...{ batchId: null, batchIntervalMs: null, widgetId: null, attempt: 1, boot: w.service.db.boot },
        ...{ scheduledAtMs: now, startedAtMs: now, createdAtMs: now },
      })
    }
  })
const endCall = (w: World, accountId: AccountId) =>
  w.service.db.commit((tx) =>
    tx.run<{ id: string }, object>({ text: 'DELETE FROM voice_calls WHERE id = :id' }, { id: `${accountId} 0` }),
  )

test('an account gets only calls that leave enough for others, and those continue', async () => {
  const { w, voice, mine, other, dialMine, dialOther, fromConsole, otherAccount } = await scene()
  await runCalls(w, w.account.id, LIMITS.voiceCalls / 2)
  await dialMine()
  await w.pass(10_000)
  expect(voice.plans).toEqual([])
  const refused = await fromConsole(w.account, mine)
  expect([refused.status, refused.body]).toMatchObject([
    409,
    {
      error: {
        code: 'invalid_state',
        message:
          'This account has as many calls at once as are left for the other accounts, of 128 in all. Wait until one ends.',
      },
    },
  ])

  await dialOther()
  await until(
    w,
    async () => voice.plans.length,
    (count) => count === 1,
    200,
  )
  expect((await fromConsole(otherAccount, other)).status).toBe(201)

  // What waited is called when there is room, without being asked for again.
  for (const plan of voice.open()) voice.end(plan, { reason: 'busy' })
  await endCall(w, w.account.id)
  await until(
    w,
    async () => voice.plans.length,
    (count) => count === 3,
    1_000,
  )
})

test('when all channels of the service are busy, a call is refused until one ends', async () => {
  const { w, other, fromConsole, otherAccount } = await scene()
  await runCalls(w, w.account.id, LIMITS.voiceCalls)
  const refused = await fromConsole(otherAccount, other)
  expect([refused.status, refused.body]).toMatchObject([
    503,
    { error: { message: 'All 128 calls that the accounts share are under way. Call again in a minute.' } },
  ])
  await endCall(w, w.account.id)
  expect((await fromConsole(otherAccount, other)).status).toBe(201)
})
