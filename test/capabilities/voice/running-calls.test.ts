import { expect, test } from 'vitest'
import type { EndReason } from '../../../main/contract/voice.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { asConsole } from '../../support/console.ts'
import { scriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest } from '../../support/world.ts'
import { clientOf, freeze, pairedIn } from '../agency/agency-world.ts'
import { until, voiceOf } from './calls.ts'
import { OFFER } from './offers.ts'

const TO = '12025550123'
const ORIGIN = 'https://www.example.com'

/** A client whose call is in progress, whichever way it began. */
async function scene() {
  const voice = scriptedVoice((it, { callId, consoleOffer }) =>
    it.say({ kind: consoleOffer === null ? 'local_sdp' : 'console_answer', callId, sdp: 'v=0' }),
  )
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: voice.start })
  const client = await clientOf(w, { features: ['campaigns', 'ai', 'voice', 'ghl', 'mcp'] })
  const { id } = await pairedIn(w, client, '12025551111')
  expect((await client.api('POST', `${voiceOf(id)}/enable`)).status).toBe(200)
  return { w, voice, client, id }
}

type Scene = Awaited<ReturnType<typeof scene>>

const dialed = ({ client, id }: Scene) =>
  client.api('POST', `${voiceOf(id)}/calls`, { to_number: TO, agent_id: 'agent-1' })

/** How calls begin. */
const KINDS: Record<string, (of: Scene) => Promise<unknown>> = {
  'an agent calls': dialed,
  async 'a person calls from the window'({ w, client, id }) {
    const inWindow = asConsole(w, { accountId: client.id as AccountId })
    expect((await inWindow('POST', `${voiceOf(id)}/softphone`, { to_number: TO, offer: OFFER })).status).toBe(201)
  },
  async 'somebody calls the number'(of) {
    const { client, voice, id } = of
    const settings = { receive_enabled: true, receive_agent_id: 'agent-1' }
    expect((await client.api('PATCH', `${voiceOf(id)}/settings`, settings)).status).toBe(200)
    // The voice process runs from the first call on.
    await dialed(of)
    await until(
      of.w,
      async () => voice.plans,
      ([plan]) => plan !== undefined,
      100,
    )
    voice.end(voice.plans[0]!, { reason: 'busy' })
    voice.say({ kind: 'incoming', instanceId: id, incomingId: 'in-1', from: '12025550177' })
  },
  async 'a visitor of a web page calls'({ w, client, id }) {
    const widget = { name: 'Site', allowed_origins: [ORIGIN] }
    const { public_key } = (await client.api('POST', `${voiceOf(id)}/widgets`, widget)).body
    const begun = await w.service.door.app.inject({
      ...{ method: 'POST', url: `/widget/${public_key}/sessions`, headers: { host: w.host, origin: ORIGIN } },
      payload: { offer: OFFER },
    })
    expect(begun.statusCode).toBe(201)
  },
}

const OUTGOING = ['an agent calls', 'a person calls from the window']

interface Change {
  readonly make: (of: Scene) => Promise<unknown>
  /** Absent: calls go on. */
  readonly outgoing?: EndReason
  readonly incoming?: EndReason
}

const CHANGES: Record<string, Change> = {
  'is suspended': {
    make: ({ w, client }) => w.api('POST', `/v1/agency/accounts/${client.id}/suspend`),
    outgoing: 'account_suspended',
    incoming: 'account_suspended',
  },
  // An account that owes money is still called.
  'is frozen': { make: ({ w, client }) => freeze(w, client), outgoing: 'account_frozen' },
  'is closed, which removes its numbers first': {
    async make({ w, client, id }) {
      const closed = () => w.api('DELETE', `/v1/agency/accounts/${client.id}?confirm=true`)
      expect((await closed()).body.error.code).toBe('invalid_state')
      expect((await client.api('DELETE', `/v1/instances/${id}?confirm=true`)).status).toBe(200)
      expect((await closed()).status).toBe(204)
    },
    outgoing: 'instance_deleted',
    incoming: 'instance_deleted',
  },
  'was renamed': { make: ({ w, client }) => w.api('PATCH', `/v1/agency/accounts/${client.id}`, { name: 'Other' }) },
}

const CASES = Object.keys(KINDS).flatMap((kind) => Object.keys(CHANGES).map((change) => [kind, change] as const))

test.each(CASES)('%s, and the account %s: the call ends or continues as in the table', async (kind, changeName) => {
  const of = await scene()
  const { w, voice } = of
  await KINDS[kind]?.(of)
  await until(
    w,
    async () => voice.open(),
    ([open]) => open !== undefined,
    100,
  )
  const [plan] = voice.open()
  voice.answer(plan!)
  const row = async () =>
    (await w.rows<any>('SELECT id, status, end_reason AS reason FROM voice_calls')).find(
      (one) => one.id === plan?.callId,
    )
  await until(w, row, ({ status }) => status === 'in_progress', 100)
  const change = CHANGES[changeName]
  await change?.make(of)
  await w.pass(3_000)
  const reason = OUTGOING.includes(kind) ? change?.outgoing : change?.incoming
  const asked = voice.received.filter((message) => message.kind === 'hang_up')
  if (reason === undefined) {
    expect(asked).toEqual([])
    expect(await row()).toMatchObject({ status: 'in_progress', reason: null })
    return
  }
  expect(asked).toMatchObject([{ callId: plan?.callId, reason }])
  voice.end(plan!, { reason, talkedMs: 1_000 })
  await until(w, row, (call) => call?.reason !== null, 100)
  expect(await row()).toMatchObject({ status: reason === 'instance_deleted' ? 'canceled' : 'failed', reason })
})

test('a call that was allowed to begin just before its account was suspended is hung up', async () => {
  const of = await scene()
  const { w, voice, client } = of
  await dialed(of)
  // Between the look at the account and the first word of the voice process.
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  await w.pass(5_000)
  const hungUp = new Map(
    voice.received.flatMap((message) => (message.kind === 'hang_up' ? [[message.callId, message.reason]] : [])),
  )
  for (const { callId } of voice.plans) expect(hungUp.get(callId)).toBe('account_suspended')
})
