import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { Log } from '../../main/kernel/log.ts'
import { brokenRules } from '../support/axe.ts'
import { testAgents, testVoiceProcess } from '../support/voice.ts'
import { world, type World } from '../support/world.ts'
import { acceptOn, decodeOn, heardOn, hangUpOn, launchPeer, offerOn } from './peer-page.ts'

/** Calls with a real browser at the other end, through the voice process itself. */

const SPEECH = 0.01
const lines: Record<string, any>[] = []
const keep = (fields: Record<string, unknown>) => void lines.push(fields)
const log: Log = { debug() {}, info: keep, warn: keep, error: keep }

let w: World
let browser: Browser
let id: string
const sites = createServer((request, response) => {
  response.setHeader('content-type', 'text/html').end(html(request.url ?? ''))
})
let html = (_url: string) => '<!doctype html><title>Shop</title><h1>Shop</h1>'
let site: string

beforeAll(async () => {
  sites.listen(0, '127.0.0.1')
  await once(sites, 'listening')
  site = `http://localhost:${(sites.address() as AddressInfo).port}`
  w = await world({ clock: systemClock, startVoice: testVoiceProcess, voiceAgents: testAgents(), log })
  browser = await launchPeer()
  const made = await w.instance()
  id = made.id
  const { pairing_code } = (await w.api('GET', `/v1/instances/${id}/qr`)).body
  await w.api('POST', '/v1/sandbox/phones/12025550111/scan', { pairing_code })
  await poll(async () => (await w.api('GET', `/v1/instances/${id}`)).body.connected === true)
  await w.api('POST', `/v1/instances/${id}/voice/enable`)
})
afterAll(async () => {
  await browser.close()
  await w.close()
  sites.close()
})

async function poll(isDone: () => Promise<boolean>): Promise<void> {
  for (const startedAt = performance.now(); !(await isDone()); await systemClock.sleep(100))
    if (performance.now() - startedAt > 60_000) throw new Error('It did not happen.')
}
/** As the window asks. */
async function asConsole(method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
  const answer = await w.service.askAsConsole({
    ...{ method, path: `/panel/v1${path}` },
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    payload: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body ?? []) chunks.push(chunk)
  return { status: answer.status, body: JSON.parse(Buffer.concat(chunks).toString() || 'null') }
}

async function page(path: string): Promise<Page> {
  const opened = await (await browser.newContext()).newPage()
  await opened.goto(site + path)
  return opened
}

const callsOf = async () => (await w.api('GET', `/v1/instances/${id}/voice/calls`)).body.data

/** The recording as a browser plays it, and what was measured of the call. */
async function judged(callId: string) {
  const call = (await w.api('GET', `/v1/instances/${id}/voice/calls/${callId}`)).body
  const { headers } = await w.api('GET', `/v1/instances/${id}/voice/recordings/${call.recording_id}/download`)
  const file = await fetch(new URL(headers['location'] ?? '', w.service.url))
  const player = await (await browser.newContext()).newPage()
  const sound = await decodeOn(player, Buffer.from(await file.arrayBuffer()))
  await player.context().close()
  return { call, sound, counts: lines.find(({ event, callId: of }) => event === 'voice.call_ended' && of === callId) }
}

test('a visitor talks to an agent over the widget, and both sides are heard and recorded', async () => {
  const widget = (await w.api('POST', `/v1/instances/${id}/voice/widgets`, { name: 'Shop', allowed_origins: [site] }))
    .body
  html = () =>
    `<!doctype html><title>Shop</title><script src="${w.service.url}/widget/v1.js" data-widget="${widget.public_key}" async></script>`
  const shop = await page('/')
  await shop.getByRole('button', { name: 'Talk to us' }).click()
  await shop.getByRole('status').getByText('Connected. You can speak now.').waitFor()
  const startedAt = performance.now()
  await poll(async () => (await callsOf())[0]?.status === 'in_progress')
  // The agent's greeting, as the page hears it.
  const heard = await shop.evaluate(async () => {
    const audio = document.querySelector('div')?.shadowRoot?.querySelector('audio')
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(audio?.srcObject as MediaStream).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let loudest = 0
    for (let i = 0; i < 60; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      analyser.getFloatTimeDomainData(samples)
      loudest = Math.max(loudest, Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length))
    }
    return loudest
  })
  expect(heard).toBeGreaterThan(SPEECH)
  await shop.waitForTimeout(3_000)
  await shop.getByRole('button', { name: 'Hang up' }).click()
  const talked = (performance.now() - startedAt) / 1_000
  await poll(async () => (await callsOf())[0]?.status === 'completed')
  const [{ id: callId }] = await callsOf()
  const { call, sound, counts } = await judged(callId)
  expect(call).toMatchObject({
    direction: 'inbound',
    source: 'widget',
    gateway: 'widget',
    end_reason: 'person_hung_up',
  })
  expect(call.widget_id).toBe(widget.id)
  expect(counts).toMatchObject({ framesLost: 0 })
  expect(counts?.['framesIn']).toBeGreaterThan(200)
  for (const peak of sound.peaks) expect(peak).toBeGreaterThan(0.05)
  // A busy machine takes its time between the click, the end of the sound and the end of the call.
  expect(Math.abs(sound.seconds - talked)).toBeLessThan(3)
  const duration = Date.parse(call.ended_at) - Date.parse(call.answered_at)
  expect(Math.abs(sound.seconds * 1_000 - duration)).toBeLessThan(300)
  // oxlint-disable-next-line no-console -- what was measured is shown
  console.info(
    `widget: ${counts?.['framesIn']} frames in, ${counts?.['framesLost']} lost, recording ${sound.seconds} s, call ${duration} ms`,
  )
  await shop.context().close()
})

test('visitors read the widget in the language of the page, and can use it by keyboard', async () => {
  const widget = (
    await w.api('POST', `/v1/instances/${id}/voice/widgets`, {
      ...{ name: 'Internal name', allowed_origins: [site] },
      appearance: { color: '#facc15', position: 'left', language: 'auto', title: null },
    })
  ).body
  const script = `<script src="${w.service.url}/widget/v1.js" data-widget="${widget.public_key}" async></script>`
  // Nothing but scripts is allowed by the policy of the page: the widget brings its own style all the same.
  const policy = `default-src 'none'; script-src ${w.service.url}; connect-src ${w.service.url}`
  for (const [language, call] of [
    ['pt', 'Fale conosco'],
    ['es-MX', 'Hable con nosotros'],
    ['en', 'Talk to us'],
  ] as const) {
    html = () =>
      `<!doctype html><html lang="${language}"><head><title>Shop</title><meta http-equiv="content-security-policy" content="${policy}">${script}</head><body><main><h1>Shop</h1></main></body></html>`
    const shop = await page('/')
    const button = shop.getByRole('button', { name: call })
    await button.waitFor()
    await expect.poll(() => shop.getByRole('region', { name: call }).getAttribute('lang')).toMatch(/^(pt-BR|es|en)$/)
    expect(await button.evaluate((made) => getComputedStyle(made).backgroundColor)).toBe('rgb(250, 204, 21)')
    // White on yellow could not be read.
    expect(await button.evaluate((made) => getComputedStyle(made).color)).toBe('rgb(0, 0, 0)')
    expect(await shop.content()).not.toContain('Internal name')
    if (language === 'en') {
      await shop.keyboard.press('Tab')
      await shop.keyboard.press('Enter')
      await shop.getByRole('status').getByText('Connected. You can speak now.').waitFor()
      await shop.keyboard.press('Shift+Tab')
      await shop.keyboard.press('Enter')
      await shop.getByRole('status').getByText('Your microphone is off.').waitFor()
      expect(await brokenRules(shop)).toEqual([])
      await shop.keyboard.press('Tab')
      await shop.keyboard.press('Enter')
      await shop.getByRole('status').getByText('The call has ended.').waitFor()
      // The focus is where a visitor would call again.
      expect(await button.evaluate((made) => made.matches(':focus'))).toBe(true)
    }
    await shop.context().close()
  }
})

test('a page of another origin sees nothing of the widget and can begin no call', async () => {
  const widget = (
    await w.api('POST', `/v1/instances/${id}/voice/widgets`, {
      name: 'Other',
      allowed_origins: ['https://www.example.com'],
    })
  ).body
  html = () =>
    `<!doctype html><script src="${w.service.url}/widget/v1.js" data-widget="${widget.public_key}"></script><p>Page</p>`
  const foreign = await page('/')
  const before = (await callsOf()).length
  const outcome = await foreign.evaluate(async (address) => {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ offer: 'v=0' }),
    }).catch((error: unknown) => String(error))
    return typeof answer === 'string' ? answer : answer.status
  }, `${w.service.url}/widget/${widget.public_key}/sessions`)
  expect(outcome).toContain('Failed to fetch')
  await expect.poll(() => foreign.locator('button').count()).toBe(0)
  expect((await callsOf()).length).toBe(before)
  await foreign.context().close()
})

test('a person at the console calls, somebody listens in, and hanging up ends both', async () => {
  html = () => '<!doctype html><title>Console</title>'
  const [talker, listener] = [await page('/talk'), await page('/listen')]
  const begun = await asConsole('POST', `/instances/${id}/voice/softphone`, {
    to_number: '12025550123',
    offer: await offerOn(talker, true),
  })
  expect(begun.status, JSON.stringify(begun.body)).toBe(201)
  await acceptOn(talker, begun.body.answer)
  const { id: callId } = begun.body.call
  const path = `/instances/${id}/voice/calls/${callId}`
  await poll(async () => (await w.api('GET', `/v1${path}`)).body.status === 'in_progress')
  const live = await asConsole('GET', '/voice/live-calls')
  expect(live.body.data).toMatchObject([{ id: callId, agent_id: null, source: 'console', can_listen: true }])
  const listening = await asConsole('POST', `${path}/listen`, { offer: await offerOn(listener, false) })
  expect(listening.status, JSON.stringify(listening.body)).toBe(201)
  await acceptOn(listener, listening.body.answer)
  await expect.poll(() => heardOn(talker)).toBeGreaterThan(SPEECH)
  await expect.poll(() => heardOn(listener)).toBeGreaterThan(SPEECH)
  await talker.waitForTimeout(2_000)
  await hangUpOn(talker)
  await poll(async () => (await w.api('GET', `/v1${path}`)).body.status === 'completed')
  const { call, sound } = await judged(callId)
  expect(call.end_reason).toBe('operator_hung_up')
  for (const peak of sound.peaks) expect(peak).toBeGreaterThan(0.05)
  await talker.context().close()
  await listener.context().close()
})
