import { expect, onTestFinished, test } from 'vitest'
import { systemResolve } from '../../../main/outbound/outbound.ts'
import { asConsole } from '../../support/console.ts'
import { decodeQr } from '../../support/qr.ts'
import { until } from '../../support/service-process.ts'
import { startWhatsApp, type WhatsApp } from '../../support/whatsapp/index.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const BEN = '12025550102'
const DAY_SECONDS = 86_400
/** The stand-in is reached where the network is. */
const OUTSIDE = { resolve: systemResolve, dial: (address: string, port: number) => ({ address, port }) }
const NOTHING = { state: 'none', days: null, chats: { total: 0, done: 0 }, messages: 0, source: null, failure: null }

async function whatsappOfTest(): Promise<WhatsApp> {
  const whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
  onTestFinished(() => whatsapp.close())
  return whatsapp
}

async function pairLive(w: World, whatsapp: WhatsApp): Promise<string> {
  const { id } = await w.instance({ network: 'live' })
  const qr = await until('a code', async () => (await w.api('GET', `/v1/instances/${id}/qr`)).body.qr ?? undefined)
  await whatsapp.phone(SHOP).scan(decodeQr(qr))
  await until('the connection', async () => {
    await w.pass(100)
    return (await w.api('GET', `/v1/instances/${id}/connection`)).body.connected || undefined
  })
  return id
}

/** Lets both clocks run until the import has this state. */
const reaches = (w: World, path: string, state: string) =>
  until(state, async () => {
    await w.pass(1_500)
    const { body } = await w.api('GET', path)
    return body.state === state ? body : undefined
  })

/** Waits until the phone has named its chats. */
const namedChats = (w: World, count: number) =>
  until('the chats', async () => {
    const named = await w.rows('SELECT 1 FROM smv2_history_chats WHERE at IS NOT NULL')
    return named.length === count || undefined
  })

/** The world's clock begins at this moment. */
const nowSeconds = (w: World) => Math.floor(w.clock.now() / 1_000)

test('recent chats are imported once, with their names, in order and without events', async () => {
  const whatsapp = await whatsappOfTest()
  const w = await worldOfTest(OUTSIDE)
  const [ana, ben] = [whatsapp.phone(ANA, { name: 'Ana Souza' }), whatsapp.phone(BEN, { name: 'Ben' })]
  const start = nowSeconds(w) - 10 * DAY_SECONDS
  // One each six hours; the first half lies before the import.
  for (let at = 0; at < 38; at++) await ana.say(SHOP, `Number ${at}`, { atSeconds: start + at * 21_600 })
  await ana.sendFile(
    SHOP,
    { kind: 'image', bytes: Buffer.from('a picture'), mimeType: 'image/png' },
    { atSeconds: nowSeconds(w) - 60 },
  )
  await ben.say(SHOP, 'Long ago', { atSeconds: nowSeconds(w) - 400 * DAY_SECONDS })
  const id = await pairLive(w, whatsapp)
  const path = `/v1/instances/${id}/history-import`
  expect((await w.api('GET', path)).body).toMatchObject(NOTHING)

  await namedChats(w, 2)
  const mark = await w.mark()
  const begun = await w.api('POST', path, { days: 5 })
  expect([begun.status, begun.body.state]).toEqual([202, 'running'])
  expect((await w.api('POST', path, { days: 5 })).status).toBe(409)
  const done = await reaches(w, path, 'completed')
  const recent = Array.from({ length: 38 }, (_, at) => at).filter(
    (at) => start + at * 21_600 >= nowSeconds(w) - 5 * DAY_SECONDS,
  )
  expect(done).toMatchObject({ days: 5, chats: { total: 1, done: 1 }, source: 'phone', failure: null })
  expect(await w.typesSince(mark)).toEqual([])

  const ask = asConsole(w)
  const { data: chats } = (await ask('GET', `/v1/instances/${id}/conversations`)).body
  expect(chats).toMatchObject([{ chat: ANA, name: 'Ana Souza', last: { type: 'image' } }])
  const thread = (await ask('GET', `/v1/instances/${id}/conversations/${ANA}/messages?limit=200`)).body.data
  const texts = thread.map(({ text }: { text: string }) => text).filter((text: string) => text !== '')
  expect(texts).toEqual(
    recent
      .toReversed()
      .map((at) => `Number ${at}`)
      .slice(0, texts.length),
  )
  expect(done.messages).toBe(thread.length)
  expect(Math.abs(texts.length - recent.length)).toBeLessThanOrEqual(1)

  // The file is fetched when somebody opens it.
  const before = whatsapp.cdn.downloads
  const picture = thread.find(({ media }: { media: object | null }) => media !== null)
  expect(picture.media).toMatchObject({ pending: true })
  const url: string = picture.media.url
  expect((await w.api('GET', url.replace('/panel', ''))).text).toBe('a picture')
  expect(whatsapp.cdn.downloads).toBe(before + 1)

  await w.api('POST', path, { days: 5 })
  expect(await reaches(w, path, 'completed')).toMatchObject({ messages: 0 })
  // What is said now stands after all of it.
  await ana.say(SHOP, 'And now')
  await until('the message', async () => (await w.typesSince(mark)).includes('message.received') || undefined)
  const { data: later } = (await ask('GET', `/v1/instances/${id}/conversations/${ANA}/messages`)).body
  expect(later[0]).toMatchObject({ text: 'And now' })
})

test('an import can be paused, resumed and canceled, and is deleted with its instance', async () => {
  const whatsapp = await whatsappOfTest()
  const w = await worldOfTest(OUTSIDE)
  const start = nowSeconds(w) - DAY_SECONDS
  for (let at = 0; at < 12; at++)
    await whatsapp.phone(`1202555100${at % 4}`).say(SHOP, `Number ${at}`, { atSeconds: start + at })
  const id = await pairLive(w, whatsapp)
  const path = `/v1/instances/${id}/history-import`
  const state = (wanted: string) => w.api('PATCH', path, { state: wanted })
  expect((await state('paused')).status).toBe(409)
  await namedChats(w, 4)
  await w.api('POST', path, { days: 5 })
  expect((await state('paused')).body.state).toBe('paused')
  const asked = whatsapp.cdn.downloads
  await w.pass(30_000)
  expect((await w.api('GET', path)).body.state).toBe('paused')
  expect(whatsapp.cdn.downloads - asked).toBeLessThanOrEqual(1)
  expect((await state('running')).body.state).toBe('running')
  await reaches(w, path, 'completed')
  expect((await state('canceled')).status).toBe(409)

  await w.api('POST', path, { days: 5 })
  expect((await state('canceled')).body).toMatchObject({ state: 'canceled' })
  expect(await w.rows('SELECT 1 FROM history_chats')).toEqual([])
  await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
  expect(await w.rows('SELECT 1 FROM history_imports')).toEqual([])
})

test('a history request that the phone does not answer is repeated a minute later', async () => {
  const whatsapp = await whatsappOfTest()
  const w = await worldOfTest(OUTSIDE)
  for (const at of [60, 30]) await whatsapp.phone(ANA).say(SHOP, `${at}`, { atSeconds: nowSeconds(w) - at })
  const id = await pairLive(w, whatsapp)
  const path = `/v1/instances/${id}/history-import`
  await namedChats(w, 1)
  whatsapp.phone(SHOP).behave({ answersForHistory: false })
  await w.api('POST', path, { days: 5 })
  const failures = async () =>
    (await w.rows<{ failures: number }>('SELECT max(failures) AS failures FROM jobs'))[0]?.failures
  await until('a failure', async () => {
    await w.pass(5_000)
    return (await failures()) === 1 || undefined
  })
  expect((await w.api('GET', path)).body).toMatchObject({ state: 'running', chats: { total: 1, done: 0 } })
  whatsapp.phone(SHOP).behave({ answersForHistory: true })
  await w.pass(60_000)
  expect(await reaches(w, path, 'completed')).toMatchObject({ messages: 2 })
})

test('an import is refused for a sandbox number, and for a number that is not connected', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const refused = await w.api('POST', `/v1/instances/${id}/history-import`, { days: 5 })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_state'])
  const live = await w.instance({ network: 'live' })
  const unready = await w.api('POST', `/v1/instances/${live.id}/history-import`, { days: 5 })
  expect([unready.status, unready.body.error.code]).toEqual([409, 'not_ready'])
  expect((await w.api('GET', `/v1/instances/${live.id}/history-import`)).body).toMatchObject(NOTHING)
})
