import { expect, onTestFinished, test } from 'vitest'
import { RTCPeerConnection } from 'werift'
import { systemClock } from '../../main/kernel/clock.ts'
import type { CallPlan, FromVoice } from '../../main/voice/protocol.ts'
import { voiceInProcess } from '../support/voice.ts'
import { until } from './sip-calls.ts'

const PLAN: CallPlan = {
  callId: 'call-1',
  route: {
    kind: 'sandbox',
    person: { outcome: 'answers', answerAfterMs: 1, speaksFirst: true, lines: ['x'.repeat(500)], speed: 1 },
  },
  ...{ agent: null, consoleOffer: null, announcement: null, recordTo: null, title: 'Call', isSandbox: true },
  ...{ limitMs: 60_000, ringMs: 10_000, mediaMs: 10_000 },
  speech: {
    ...{ brain: 'script', sttUrl: null, sttModel: null, ttsUrl: null, ttsModel: null, ttsVoice: null },
    ...{ realtimeUrl: null, realtimeVoice: null, apiKey: null, trustedRanges: [] },
    accountId: 'account-1' as CallPlan['speech']['accountId'],
  },
}

/** Somebody's browser that listens, and what it hears. */
async function listenerOf(connect: (offer: string) => Promise<string>) {
  const peer = new RTCPeerConnection({ iceServers: [] })
  onTestFinished(() => void peer.close().catch(() => {}))
  let packets = 0
  peer.onTrack.subscribe((track) => track.onReceiveRtp.subscribe(() => packets++))
  peer.addTransceiver('audio', { direction: 'recvonly' })
  await peer.setLocalDescription(await peer.createOffer())
  if (peer.iceGatheringState !== 'complete') await peer.iceGatheringStateChange.watch((state) => state === 'complete')
  const answer = await connect(peer.localDescription?.sdp ?? '')
  await peer.setRemoteDescription({ type: 'answer', sdp: answer })
  return { packets: () => packets }
}

test('a disconnected listener gets no more sound; the call and other listeners continue', async () => {
  const said: FromVoice[] = []
  const voice = voiceInProcess(systemClock)(
    (message) => said.push(message),
    () => {},
  )
  onTestFinished(() => voice.send({ kind: 'stop' }))
  voice.send({ kind: 'place', plan: PLAN })
  await until(() => said.some((one) => one.kind === 'state' && one.state === 'in_progress'), 'The answer')
  const listen = (requestId: number) =>
    listenerOf(async (offer) => {
      voice.send({ kind: 'listen', callId: PLAN.callId, requestId, offer })
      const found = () => said.find((one) => one.kind === 'listening' && one.requestId === requestId)
      await until(() => found() !== undefined, 'The answer to a listener')
      const answer = found()
      return answer?.kind === 'listening' ? (answer.answer ?? '') : ''
    })
  const [first, second] = [await listen(1), await listen(2)]
  await until(() => first.packets() > 20 && second.packets() > 20, 'Sound for both')

  voice.send({ kind: 'stop_listening', callId: PLAN.callId, requestId: 1 })
  // What was on its way may still arrive.
  const heardMeanwhile = async () => {
    const before = { first: first.packets(), second: second.packets() }
    await until(() => second.packets() > before.second + 25, 'More sound for the other')
    return first.packets() - before.first
  }
  await expect.poll(heardMeanwhile).toBe(0)
  expect(said.filter(({ kind }) => kind === 'ended')).toEqual([])
})
