import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { browserPath } from '../support/browser.ts'

/** A Chromium whose microphone beeps once a second, and which needs nobody's permission for it. */
export const launchPeer = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath(),
    args: [
      ...['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
      '--autoplay-policy=no-user-gesture-required',
    ],
  })

/** Makes an offer on the page, as the console does. @param sends false: it listens only. */
export async function offerOn(page: Page, sends: boolean): Promise<string> {
  await page.evaluate(defineListening)
  return page.evaluate(async (mustSend) => {
    const peer = new RTCPeerConnection()
    Object.assign(window, { peer })
    if (mustSend) {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      for (const track of stream.getTracks()) peer.addTrack(track, stream)
    } else peer.addTransceiver('audio', { direction: 'recvonly' })
    ;(window as unknown as { listenTo(peer: RTCPeerConnection): void }).listenTo(peer)
    await peer.setLocalDescription(await peer.createOffer())
    await new Promise<void>((resolve) => {
      if (peer.iceGatheringState === 'complete') resolve()
      peer.addEventListener('icegatheringstatechange', () => {
        if (peer.iceGatheringState === 'complete') resolve()
      })
    })
    return peer.localDescription?.sdp ?? ''
  }, sends)
}

/** Answers our offer on the page, as a phone does. */
export async function answerOn(page: Page, offer: string): Promise<string> {
  await page.evaluate(defineListening)
  return page.evaluate(async (sdp) => {
    const peer = new RTCPeerConnection()
    Object.assign(window, { peer })
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
    for (const track of stream.getTracks()) peer.addTrack(track, stream)
    ;(window as unknown as { listenTo(peer: RTCPeerConnection): void }).listenTo(peer)
    await peer.setRemoteDescription({ type: 'offer', sdp })
    await peer.setLocalDescription(await peer.createAnswer())
    await new Promise<void>((resolve) => {
      if (peer.iceGatheringState === 'complete') resolve()
      peer.addEventListener('icegatheringstatechange', () => {
        if (peer.iceGatheringState === 'complete') resolve()
      })
    })
    return peer.localDescription?.sdp ?? ''
  }, offer)
}

export const acceptOn = (page: Page, answer: string): Promise<void> =>
  page.evaluate(async (sdp) => {
    await (window as unknown as { peer: RTCPeerConnection }).peer.setRemoteDescription({ type: 'answer', sdp })
  }, answer)

export const hangUpOn = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as { peer: RTCPeerConnection }).peer.close())

/** The loudest 20 ms that the page has heard, 0 to 1. */
export const heardOn = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { loudest?: number }).loudest ?? 0)

/** Decodes a recording with the browser's own decoder: its length, and the loudest sample of each side. */
export const decodeOn = (page: Page, file: Buffer): Promise<{ seconds: number; peaks: number[] }> =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer
    const sound = await new OfflineAudioContext(2, 1, 48_000).decodeAudioData(bytes)
    const peaks = [0, 1].map((channel) =>
      sound.getChannelData(channel).reduce((most, one) => Math.max(most, Math.abs(one)), 0),
    )
    return { seconds: sound.duration, peaks }
  }, file.toString('base64'))

/** Runs on the page: measures what arrives. */
function defineListening(): void {
  Object.assign(window, {
    listenTo(peer: RTCPeerConnection) {
      peer.addEventListener('track', ({ track }) => {
        const context = new AudioContext()
        const analyser = context.createAnalyser()
        const stream = new MediaStream([track])
        // Chromium decodes what an element plays.
        void Object.assign(document.createElement('audio'), { srcObject: stream, muted: true }).play()
        context.createMediaStreamSource(stream).connect(analyser)
        const samples = new Float32Array(analyser.fftSize)
        Object.assign(window, { loudest: 0 })
        setInterval(() => {
          analyser.getFloatTimeDomainData(samples)
          const energy = Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length)
          const known = (window as unknown as { loudest: number }).loudest
          Object.assign(window, { loudest: Math.max(known, energy) })
        }, 50)
      })
    },
  })
}
