import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../main/contract/limits.ts'
import { scriptedVoice, type ScriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest } from '../../support/world.ts'
import { callingInstance, until, voiceOf } from './calls.ts'
import { OFFER } from './offers.ts'

const ORIGIN = 'https://www.example.com'

/** Answers every offer, as the voice process does before any sound arrives. */
const answering = () => scriptedVoice((voice, { callId }) => voice.say({ kind: 'local_sdp', callId, sdp: 'v=0' }))

async function scene(voice: ScriptedVoice, widget: object = {}) {
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: voice.start })
  const id = await callingInstance(w)
  const made = await w.api('POST', `${voiceOf(id)}/widgets`, { name: 'Site', allowed_origins: [ORIGIN], ...widget })
  expect(made.status, made.text).toBe(201)
  const { id: widgetId, public_key: key } = made.body
  let visitors = 0
  return {
    w,
    id,
    /** @param from default: another address for each. */
    async begin(offer: unknown = OFFER, from = `192.0.2.${++visitors}`) {
      const answer = await w.service.door.app.inject({
        ...{ method: 'POST', url: `/widget/${key}/sessions`, headers: { host: w.host, origin: ORIGIN } },
        ...{ payload: { offer } as object, remoteAddress: from },
      })
      return { status: answer.statusCode, body: answer.json() }
    },
    widget: async () => (await w.api('GET', `${voiceOf(id)}/widgets/${widgetId}`)).body,
    patch: (body: object) => w.api('PATCH', `${voiceOf(id)}/widgets/${widgetId}`, body),
    status: async () => (await w.api('GET', voiceOf(id))).body,
    rows: () => w.rows<any>('SELECT status, end_reason AS reason FROM voice_calls ORDER BY seq'),
    dial: (to_number: string) => w.api('POST', `${voiceOf(id)}/calls`, { to_number, agent_id: 'agent-1' }),
  }
}

test('a visitor without audio costs nothing, and is not recorded as a call', async () => {
  const voice = answering()
  const { w, begin, status, widget, rows } = await scene(voice)
  expect((await begin()).status).toBe(201)
  expect(await rows()).toEqual([{ status: 'ringing', reason: null }])
  expect(voice.plans[0]).toMatchObject({ mediaMs: 10_000 })
  voice.end(voice.plans[0]!, { reason: 'no_media_connection' })
  await until(w, rows, (all) => all.length === 0, 100)
  expect((await status()).remaining).toBe(50)
  expect(await widget()).toMatchObject({ used_today: 0, daily_cap: 50 })
  expect(await w.rows('SELECT calls FROM usage_daily WHERE calls > 0')).toEqual([])
})

test('a visitor with audio is counted once', async () => {
  const voice = answering()
  const { w, begin, status, widget, rows } = await scene(voice)
  await begin()
  voice.answer(voice.plans[0]!)
  await until(w, rows, ([call]) => call.status === 'in_progress', 100)
  expect([(await status()).remaining, (await widget()).used_today]).toEqual([49, 1])
  voice.end(voice.plans[0]!, { reason: 'person_hung_up', talkedMs: 2_000 })
  await until(w, rows, ([call]) => call.status === 'completed', 100)
  expect([(await status()).remaining, (await widget()).used_today]).toEqual([49, 1])
})

test('a widget takes no more calls than its daily cap, also with concurrent ones, and again the next day', async () => {
  const voice = answering()
  const { w, begin, widget, patch, rows } = await scene(voice, { daily_cap: 2 })
  expect([(await begin()).status, (await begin()).status]).toEqual([201, 201])
  // Both may still be counted.
  expect((await begin()).status).toBe(503)
  voice.end(voice.plans[0]!, { reason: 'no_media_connection' })
  await until(w, rows, (all) => all.length === 1, 100)
  expect((await begin()).status).toBe(201)
  for (const plan of voice.open()) {
    voice.answer(plan)
    voice.end(plan, { reason: 'person_hung_up', talkedMs: 1_000 })
  }
  await until(w, rows, (all) => all.every(({ status }: any) => status === 'completed'), 100)
  expect(await widget()).toMatchObject({ used_today: 2, daily_cap: 2 })
  const refused = await begin()
  expect([refused.status, refused.body.error.message]).toEqual([
    503,
    'This widget has taken all its calls of today. Try again tomorrow.',
  ])
  expect((await patch({ daily_cap: 3 })).body).toMatchObject({ daily_cap: 3, used_today: 2 })
  expect((await begin()).status).toBe(201)
  expect((await patch({ daily_cap: 0 })).status).toBe(400)
  w.clock.suspend(86_400_000)
  expect((await widget()).used_today).toBe(0)
})

test('widgets and telephone calls take no channels from each other', async () => {
  const voice = answering()
  const { w, id, begin, dial, status } = await scene(voice)
  for (let at = 0; at < LIMITS.voiceWidgetChannels; at++) expect((await begin()).status).toBe(201)
  const busy = await begin()
  expect([busy.status, busy.body.error.message]).toEqual([503, 'Every line is busy. Try again in a minute.'])
  for (let at = 0; at < LIMITS.voiceChannels; at++) await dial(`1202555010${at}`)
  const plans = LIMITS.voiceWidgetChannels + LIMITS.voiceChannels
  await until(
    w,
    async () => voice.plans.length,
    (count) => count === plans,
    200,
  )
  expect(await status()).toMatchObject({ channels: LIMITS.voiceChannels, active_calls: LIMITS.voiceChannels })
  voice.end(voice.plans[0]!, { reason: 'no_media_connection' })
  await until(
    w,
    () => w.rows('SELECT id FROM voice_calls WHERE instance_id = :id', { id }),
    (all) => all.length < plans,
    100,
  )
  expect((await begin()).status).toBe(201)
})

test('an address has two calls at the same time, and an IPv6 network is one address', async () => {
  const voice = answering()
  const { w, begin } = await scene(voice)
  const from = (host: number) => `2001:db8:1:2::${host}`
  expect([(await begin(OFFER, from(1))).status, (await begin(OFFER, from(2))).status]).toEqual([201, 201])
  expect((await begin(OFFER, from(3))).body.error.code).toBe('rate_limited')
  expect((await begin(OFFER, '2001:db8:1:3::1')).status, 'another network').toBe(201)
  for (const plan of voice.open()) voice.end(plan, { reason: 'no_media_connection' })
  await until(
    w,
    async () => (await begin(OFFER, from(4))).status,
    (status) => status === 201,
    15_000,
  )
})

test('an address may try five times a minute, also with garbage', async () => {
  const { w, begin } = await scene(answering())
  for (let at = 0; at < 5; at++) expect((await begin('v=0', '192.0.2.200')).status).toBe(400)
  expect((await begin(OFFER, '192.0.2.200')).body.error.code).toBe('rate_limited')
  expect((await begin(OFFER, '192.0.2.201')).status).toBe(201)
  await w.clock.advance(60_000)
  expect((await begin(OFFER, '192.0.2.200')).status).toBe(201)
})

describe('an invalid offer is refused before anything is started:', () => {
  const without = (text: string) =>
    OFFER.split('\r\n')
      .filter((line) => !line.startsWith(text))
      .join('\r\n')
  test.each([
    ['nothing of a session description', 'x'.repeat(200)],
    ['no track of sound', without('m=audio')],
    ['a track that is refused', OFFER.replace('m=audio 9', 'm=audio 0')],
    ['another codec', OFFER.replace('opus/48000/2', 'PCMU/8000')],
    ['no encryption', without('a=fingerprint')],
    ['no credentials', without('a=ice-pwd')],
    ['endless lines', `${OFFER}${'a=x\r\n'.repeat(500)}`],
    ['an endless line', `${OFFER}a=${'x'.repeat(1_001)}\r\n`],
    ['too long', `${OFFER}${`a=${'x'.repeat(900)}\r\n`.repeat(20)}`],
  ])('%s', async (_, offer) => {
    const voice = answering()
    const { begin, rows } = await scene(voice)
    const refused = await begin(offer)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    expect([voice.plans, await rows()]).toEqual([[], []])
  })

  test('larger than the limit, which the answer names', async () => {
    const { begin } = await scene(answering())
    expect((await begin('x'.repeat(600_000))).body.error).toMatchObject({
      ...{ code: 'payload_too_large', message: 'The body is larger than 64 kB.' },
    })
  })
})
