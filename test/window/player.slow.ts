import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedCall } from '../support/recorded-call.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

let w: ConsoleWindow
let page: Page
let instance: string
let recording: string
let missed: string
let transcript: { speaker: string; start_ms: number; text: string }[]

const place = (moment = '') => `/recordings/${instance}/${recording}${moment}`
const slider = () => page.getByRole('slider', { name: 'Position' })
const lines = () => page.getByRole('list', { name: 'Transcript' }).getByRole('listitem')
const current = () => page.getByRole('list', { name: 'Transcript' }).locator('[aria-current=true]')

interface Sound {
  readonly at: number
  readonly rate: number
  readonly isPaused: boolean
  readonly duration: number
}
const sound = () =>
  page.locator('audio').evaluate((audio: HTMLAudioElement): Sound => ({
    ...{ at: audio.currentTime, rate: audio.playbackRate, isPaused: audio.paused, duration: audio.duration },
  }))
const secondsAt = async () => Math.round((await sound()).at * 10) / 10

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  await w.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  instance = await pairedInstance(w.api, '12025550100', 'Bakery Luz')
  const at = `/v1/instances/${instance}`
  for (const [question, answer] of [
    ['When are you open?', 'Monday to Friday, from eight in the morning until six.'],
    ['Where are you?', '12 Harbour Street, next to the station.'],
  ])
    await w.api('POST', `${at}/ai/faq`, { question, answer })
  ;({ recording, missed } = await recordedCall(w.api, instance))
  const { call_id: call } = (await w.api('GET', `${at}/voice/recordings/${recording}`)).body
  ;({ transcript } = (await w.api('GET', `${at}/voice/calls/${call}/review`)).body)
})
afterAll(() => w.remove())

describe('the list of recordings', () => {
  test('has those of all numbers, and its filters are in the address', async () => {
    await w.open('/recordings')
    const row = page.getByRole('row').filter({ hasText: '+1 202 555 0123' })
    await row.waitFor()
    await expect.poll(() => row.textContent()).toContain('Bakery Luz')
    await page.getByRole('combobox', { name: 'Direction' }).click()
    await page.getByRole('option', { name: 'Incoming', exact: true }).click()
    await page.getByText('No matching recordings').waitFor()
    expect(await page.evaluate(() => location.hash)).toBe('#/recordings?direction=inbound')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await row.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Call with +1 202 555 0123' }).waitFor()
  })

  test('a call without a recording says why', async () => {
    await w.open(`/recordings/${instance}/calls/${missed}`)
    await page.getByRole('heading', { name: 'Nobody answered' }).waitFor()
  })
})

describe('the player', () => {
  test('draws both sides, and shows summary, coaching and details', async () => {
    await w.open(place())
    await expect.poll(() => slider().locator('canvas').count()).toBe(4)
    const inks = await slider()
      .locator('canvas')
      .evaluateAll((all) =>
        all.map((each) => {
          const { width, height } = each as HTMLCanvasElement
          const { data } = (each as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height)
          const solid = Array.from({ length: data.length / 4 }, (_, n) => n * 4).filter((n) => data[n + 3] === 255)
          return solid.map((n) => `${data[n]},${data[n + 1]},${data[n + 2]}`)
        }),
      )
    // Left and right, each as it is before and after it was played.
    expect(new Set(inks.map((ink) => ink[0])).size).toBe(4)
    for (const ink of inks) expect(ink.length).toBeGreaterThan(200)
    for (const name of ['Summary', 'Coaching', 'Details']) await page.getByRole('heading', { name }).waitFor()
    expect(Math.abs((await sound()).duration - (transcript.at(-1)?.start_ms ?? 0) / 1_000)).toBeLessThan(15)
  })

  test('plays: both sides are heard where the transcript has them', async () => {
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    const heard = await page.locator('audio').evaluate(async (audio: HTMLAudioElement) => {
      const stream = (audio as HTMLAudioElement & { captureStream(): MediaStream }).captureStream()
      const context = new AudioContext()
      const split = new ChannelSplitterNode(context, { numberOfOutputs: 2 })
      context.createMediaStreamSource(stream).connect(split)
      const sides = [0, 1].map((side) => {
        const analyser = new AnalyserNode(context)
        split.connect(analyser, side)
        return analyser
      })
      const loudest = [0, 0]
      const samples = new Float32Array(2_048)
      for (let n = 0; n < 120 && Math.min(...loudest) < 0.01; n++) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        sides.forEach((analyser, side) => {
          analyser.getFloatTimeDomainData(samples)
          loudest[side] = Math.max(loudest[side] ?? 0, ...samples.map(Math.abs))
        })
      }
      await context.close()
      return loudest
    })
    for (const loudest of heard) expect(loudest).toBeGreaterThan(0.01)
    await page.getByRole('button', { name: 'Pause' }).click()
    const at = await sound()
    expect(at).toMatchObject({ isPaused: true, rate: 1 })
    const line = transcript.findLast(({ start_ms: start }) => start <= at.at * 1_000)
    await expect.poll(() => current().textContent()).toContain(line?.text)
    const seconds = String(Math.floor(at.at)).padStart(2, '0')
    await expect.poll(() => slider().getAttribute('aria-valuetext')).toMatch(new RegExp(`^0:${seconds} of 0:\\d\\d$`))
  })

  test('a click on a line goes there, and the space bar plays from it', async () => {
    const line = transcript[3]
    await lines().nth(3).getByRole('button').click()
    expect(await secondsAt()).toBeCloseTo((line?.start_ms ?? 0) / 1_000, 0)
    await expect.poll(() => current().textContent()).toContain(line?.text)
    await page.keyboard.press('Space')
    await expect.poll(async () => (await sound()).at).toBeGreaterThan((line?.start_ms ?? 0) / 1_000 + 0.2)
    await page.keyboard.press('Space')
    expect((await sound()).isPaused).toBe(true)
  })

  test('is led by keys', async () => {
    const press = async (key: string) => {
      await page.keyboard.press(key)
      return secondsAt()
    }
    const { duration } = await sound()
    expect(await press('Home')).toBe(0)
    expect(await press('ArrowRight')).toBe(5)
    expect(await press('ArrowRight')).toBe(10)
    expect(await press('ArrowLeft')).toBe(5)
    expect(await press('Shift+ArrowLeft')).toBe(0)
    expect(await press('Shift+ArrowRight')).toBeCloseTo(Math.min(30, duration), 0)
    expect(await press('End')).toBeCloseTo(duration, 0)
    await page.keyboard.press('.')
    await expect.poll(async () => (await sound()).rate).toBe(1.25)
    for (let n = 0; n < 3; n++) await page.keyboard.press(',')
    await expect.poll(async () => (await sound()).rate).toBe(0.75)
    await page.keyboard.press('.')
    // A field keeps its keys.
    await page.getByRole('searchbox').focus()
    const before = await secondsAt()
    await page.keyboard.press('Home')
    expect(await secondsAt()).toBe(before)
  })

  test('finds words in the transcript', async () => {
    await page.getByRole('searchbox').fill('STATION')
    await page.getByText('1 of 1').waitFor()
    await expect.poll(() => lines().locator('mark').allTextContents()).toEqual(['station'])
    await page.getByRole('searchbox').fill('nobody says this')
    await page.getByText('No matches').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')
  })

  test('follows the sound until somebody scrolls, and again when asked', async () => {
    await page.setViewportSize({ width: 1280, height: 600 })
    await page.keyboard.press('Escape')
    await page.getByRole('list', { name: 'Transcript' }).hover()
    await page.mouse.wheel(0, 10)
    await page.getByRole('button', { name: 'Follow audio' }).click()
    await page.getByRole('button', { name: 'Follow audio' }).waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a link to a moment opens there', async () => {
    await lines().nth(2).getByRole('button').click()
    await page.getByRole('button', { name: 'Copy link to this moment' }).click()
    await page
      .getByText(/^Link to 0:\d\d copied$/)
      .first()
      .waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    const moment = (transcript[2]?.start_ms ?? 0) / 1_000
    expect(link).toBe(`${w.url}/console/#${place(`?t=${moment}`)}`)
    await w.open('/recordings')
    await page.goto(link)
    await slider().waitFor()
    await expect.poll(async () => (await sound()).at).toBeCloseTo(moment, 2)
    await expect.poll(() => current().textContent()).toContain(transcript[2]?.text)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').fill(link.replace(/t=.*/, 't=1'))
    await page
      .getByRole('option', { name: /Recording/ })
      .first()
      .click()
    await expect.poll(secondsAt).toBe(1)
  })

  test('the file is downloaded under a name that says what it is', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^call-\d{4}-\d\d-\d\d-\d{4}-12025550123\.ogg$/)
    expect(
      readFileSync(await download.path())
        .subarray(0, 4)
        .toString(),
    ).toBe('OggS')
  })

  test('fits a telephone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    const wide = await page.evaluate(
      () =>
        [...document.querySelectorAll('main *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
          .length,
    )
    expect(wide).toBe(0)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('skips silence, and remembers that it does', async () => {
    // As if nobody had spoken between the first and the ninth second.
    await page.route('**/peaks', async (route) => {
      const response = await route.fetch()
      const peaks = (await response.json()) as { duration_ms: number; agent: number[]; person: number[] }
      const quiet = (side: number[]) =>
        side.map((value, n) => {
          const second = (n / side.length) * (peaks.duration_ms / 1_000)
          return second > 1 && second < 9 ? 0 : Math.max(value, 0.4)
        })
      const json = { ...peaks, agent: quiet(peaks.agent), person: quiet(peaks.person) }
      await route.fulfill({ response, json })
    })
    await page.reload()
    await page.getByRole('switch', { name: 'Skip silence' }).check()
    await page.keyboard.press('Home')
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await expect.poll(async () => (await sound()).at).toBeGreaterThan(8.5)
    await page.unroute('**/peaks')
    await page.reload()
    await slider().waitFor()
    await expect.poll(() => page.getByRole('switch', { name: 'Skip silence' }).isChecked()).toBe(true)
  })

  test('says that the sound cannot be loaded, and plays when it can be again', async () => {
    await page.route('**/audio', (route) => route.abort())
    await page.reload()
    await page.getByText('The audio can’t be loaded').waitFor()
    await page.unroute('**/audio')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The audio can’t be loaded').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await expect.poll(async () => (await sound()).isPaused).toBe(false)
  })

  test('asks to sign in when the session has ended, and comes back to the recording', async () => {
    const cookies = await w.context.cookies()
    await w.context.clearCookies()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await w.context.addCookies(cookies)
    await page.reload()
    await slider().waitFor()
  })

  test('a recording is deleted after a question, and its link says that it is gone', async () => {
    await page.getByRole('button', { name: 'Delete recording' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete recording' }).click()
    await page.getByText('No recordings yet').waitFor()
    await w.open(place())
    await page.getByRole('heading', { name: 'This recording no longer exists' }).waitFor()
  })
})
