import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { pause } from '../support/service-process.ts'
import { installedBrowserPath } from '../support/browser.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** The microphone of this Chromium beeps once a second, and nobody has to allow it. */
const FLAGS = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
const PERSON = '12025550123'
const SPEECH = 0.01

let w: ConsoleWindow
let page: Page
let instance: string

const calls = async () => (await w.api('GET', `/v1/instances/${instance}/voice/calls`)).body.data
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dial = async (number: string) => {
  await w.open('/settings')
  await w.open(`/softphone?instance=${instance}&to=${number}`)
  await button('Call').click()
}
const talking = () => page.getByRole('region', { name: 'Call' }).getByText('In call').waitFor()

/** Runs in the page before everything else: keeps what the softphone opens, so that it can be measured and unplugged. */
function watchSound(): void {
  const Original = RTCPeerConnection
  const kept = { peers: [] as RTCPeerConnection[], streams: [] as MediaStream[], fault: '' }
  Object.assign(window, {
    kept,
    RTCPeerConnection: class extends Original {
      constructor(...given: ConstructorParameters<typeof Original>) {
        super(...given)
        kept.peers.push(this)
      }
    },
  })
  const { mediaDevices } = navigator
  const open = mediaDevices.getUserMedia.bind(mediaDevices)
  mediaDevices.getUserMedia = async (wanted) => {
    if (kept.fault !== '') throw new DOMException('Not today.', kept.fault)
    const stream = await open(wanted)
    kept.streams.push(stream)
    return stream
  }
}
const fail = (fault: string) => page.evaluate((name) => Object.assign((window as any).kept, { fault: name }), fault)

/** The loudest that the window hears within a few seconds. */
const heard = () =>
  page.evaluate(async (enough) => {
    const [track] = (window as any).kept.peers
      .at(-1)
      .getReceivers()
      .map((each: RTCRtpReceiver) => each.track)
    const context = new AudioContext()
    const analyser = new AnalyserNode(context)
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let loudest = 0
    for (let n = 0; n < 160 && loudest < enough; n++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      analyser.getFloatTimeDomainData(samples)
      loudest = Math.max(loudest, Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length))
    }
    await context.close()
    return loudest
  }, SPEECH)

beforeAll(async () => {
  // The headless shell forgets which microphone was chosen when the page is loaded again.
  w = await openConsole({}, undefined, FLAGS, installedBrowserPath())
  page = w.page
  await page.addInitScript(watchSound)
  instance = await pairedInstance(w.api, '12025550100', 'Bakery Luz')
  await page.goto(`${w.url}/console/#/softphone?instance=${instance}&to=${PERSON}`)
  await page.reload()
})
afterAll(() => w.remove())

describe('before a call', () => {
  test('voice is turned on where it is missing', async () => {
    await page.getByText('Voice is off for this number').waitFor()
    await expect.poll(() => button('Call').isDisabled()).toBe(true)
    await button('Turn on voice').click()
    await page.getByText('50 free calls left.').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Phone number' }).inputValue()).toBe('+1 202 555 0123')
  })

  test('a number that is none is refused without a call', async () => {
    await page.getByRole('textbox', { name: 'Phone number' }).fill('Ana')
    await button('Call').click()
    await page.getByText('Enter a phone number with country code').waitFor()
    expect(await calls()).toEqual([])
  })

  test('devices are chosen, tested, and remembered', async () => {
    await page.getByRole('combobox', { name: 'Microphone' }).click()
    await page.getByRole('option', { name: /^Fake Audio Input 1/ }).click()
    await button('Play test tone').click()
    await page.getByText('You should hear a tone.').waitFor()
    await page.getByText('You should hear a tone.').waitFor({ state: 'detached' })
    await button('Record and play back').click()
    await page.getByText('Say something.').waitFor()
    const meter = page.getByRole('meter', { name: 'Microphone level' })
    await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(20)
    await page.getByText('This is how you sound.').waitFor()
    expect(await brokenRules(page)).toEqual([])
    const isOpen = () =>
      page.evaluate(() =>
        (window as any).kept.streams.some((each: MediaStream) =>
          each.getTracks().some(({ readyState }) => readyState === 'live'),
        ),
      )
    expect(await isOpen(), 'the microphone is closed before it plays').toBe(false)
    await button('Record and play back').waitFor()
    await page.reload()
    await page.getByRole('combobox', { name: 'Microphone' }).filter({ hasText: 'Fake Audio Input 1' }).waitFor()
  })
})

describe('a call', () => {
  test('rings, is heard on both sides, goes on beside other screens, and is recorded', async () => {
    await dial(PERSON)
    await page.getByRole('region', { name: 'Call' }).getByText('Ringing…').waitFor()
    await talking()
    await page.getByRole('timer').waitFor()
    expect(await brokenRules(page)).toEqual([])
    expect(await heard()).toBeGreaterThan(SPEECH)
    await pause(1_500)
    await w.open('/contacts')
    await button('Mute').click()
    expect(await brokenRules(page)).toEqual([])
    await pause(2_200)
    await button('Hang up').click()
    await expect.poll(async () => (await calls())[0].status).toBe('completed')
    const [call] = await calls()
    expect(call).toMatchObject({ agent_id: null, source: 'console', end_reason: 'operator_hung_up', to_number: PERSON })
    await w.open('/softphone')
    await page.getByText('You hung up.').waitFor()
    expect(await brokenRules(page)).toEqual([])
    await page.getByRole('link', { name: 'Open recording' }).click()
    await page.getByRole('slider', { name: 'Position' }).waitFor()
    const peaks = await page.evaluate(
      async (path) => (await fetch(path)).json() as Promise<{ agent: number[]; person: number[]; duration_ms: number }>,
      `/panel/v1/instances/${instance}/voice/recordings/${call.recording_id}/peaks`,
    )
    for (const side of [peaks.agent, peaks.person]) expect(Math.max(...side)).toBeGreaterThan(0.05)
    const lastSeconds = peaks.agent.slice(-Math.round((peaks.agent.length * 1_500) / peaks.duration_ms))
    expect(Math.max(...lastSeconds), 'nothing is heard of somebody who is muted').toBeLessThan(0.01)
  })

  test('says in plain words that the line is busy', async () => {
    await dial('12025550486')
    await page.getByText('The number is busy.').waitFor()
    expect((await calls())[0]).toMatchObject({ status: 'busy', to_number: '12025550486' })
  })

  test('is not made without a permission of the person where one is needed', async () => {
    await dial('12025550463')
    await page.getByText('They haven’t allowed calls yet').waitFor()
    expect((await calls())[0].to_number).not.toBe('12025550463')
  })

  test('is canceled while it rings', async () => {
    await dial('12025550480')
    await page.getByRole('region', { name: 'Call' }).getByText('Ringing…').waitFor()
    await button('Cancel').click()
    await page.getByText('You canceled the call.').waitFor()
    await expect.poll(async () => (await calls())[0].ended_at).not.toBeNull()
  })

  test.each([
    ['NotAllowedError', 'The microphone is blocked'],
    ['NotFoundError', 'No microphone found'],
    ['NotReadableError', 'The microphone is in use'],
  ])('is not made without a microphone: %s', async (fault, title) => {
    const before = (await calls()).length
    await w.open('/settings')
    await w.open(`/softphone?instance=${instance}&to=${PERSON}`)
    await fail(fault)
    await button('Call').click()
    await page.getByRole('region', { name: 'Call' }).getByText(title).waitFor()
    await fail('')
    expect((await calls()).length).toBe(before)
  })

  test('stays up while the microphone is unplugged, and another one is heard', async () => {
    await dial(PERSON)
    await talking()
    await fail('NotFoundError')
    await page.evaluate(() => {
      const [track] = (window as any).kept.streams.at(-1).getAudioTracks() as MediaStreamTrack[]
      track?.stop()
      track?.dispatchEvent(new Event('ended'))
    })
    await page.getByText('They can’t hear you').waitFor()
    // Without any sound the service would end the call after five seconds.
    await pause(6_000)
    expect((await calls())[0]).toMatchObject({ status: 'in_progress', end_reason: null })
    await fail('')
    await page.getByRole('combobox', { name: 'Microphone' }).click()
    await page.getByRole('option', { name: /^Fake Audio Input 2/ }).click()
    await page.getByText('They can’t hear you').waitFor({ state: 'detached' })
    await page.keyboard.press('m')
    await button('Unmute').waitFor()
    await page.keyboard.press('m')
    await button('Hang up').click()
    await page.getByText('You hung up.').waitFor()
  })

  test('closing the window asks first, and ends it', async () => {
    await dial(PERSON)
    await talking()
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.accept()
    await expect.poll(async () => (await calls())[0].status).toBe('completed')
    expect((await calls())[0].end_reason).toBe('operator_hung_up')
  })

  test('a page over http on the network says why it cannot call', async () => {
    page = await w.context.newPage()
    await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }))
    await page.goto(`${w.url}/console/#/softphone?instance=${instance}`)
    await page.getByText('Calls need a secure page').first().waitFor()
    await expect.poll(() => button('Allow the microphone').count()).toBe(0)
    expect(w.complaints.filter((each) => !/status of 4\d\d/.test(each))).toEqual([])
  })
})
