import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { silentLog } from '../../main/kernel/log.ts'
import type { Route } from '../../main/voice/protocol.ts'
import {
  createVoiceProcess,
  type CallEnd,
  type CallPlan,
  type IncomingCall,
  type SipTrunk,
  type StartVoice,
} from '../../main/voice/voice-process.ts'
import { testVoiceProcess } from '../support/voice.ts'
import { ownAddress } from './sip-servers.ts'
import { NO_SERVICES } from './talking.ts'

export const trunkAt = (port: number, more: Partial<SipTrunk> = {}): SipTrunk => ({
  ...{ host: '127.0.0.1', port, transport: 'tcp', username: '1001', password: 'right', callerId: null },
  // baresip is on the address of this machine, everything else on loopback.
  trustedRanges: ['127.0.0.0/8', `${ownAddress()}/32`],
  ...more,
})

export async function until(isDone: () => boolean | Promise<boolean>, what = 'It'): Promise<void> {
  for (const startedAt = performance.now(); !(await isDone()); await systemClock.sleep(20))
    if (performance.now() - startedAt > 60_000) throw new Error(`${what} did not happen.`)
}

/** The loudest of the recording, the agent's and the person's, of 255. */
export function peaksOf(end: CallEnd | null): [agent: number, person: number] {
  const peaks = [...(end?.recording?.peaks ?? [])]
  return [Math.max(...peaks.slice(0, peaks.length / 2)), Math.max(...peaks.slice(peaks.length / 2))]
}

/** A voice process for a test file, and calls with an agent that greets. */
export function sipCalls(start: StartVoice = testVoiceProcess) {
  const folder = mkdtempSync(join(tmpdir(), 'sip-'))
  const voice = createVoiceProcess({ clock: systemClock, log: silentLog, start })
  const incoming: IncomingCall[] = []
  voice.onIncoming((call) => incoming.push(call))
  afterAll(async () => {
    await voice.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function place(route: Route, callId: string, more: Partial<CallPlan> = {}) {
    const states: string[] = []
    const said: string[] = []
    const plan: CallPlan = {
      ...{ callId, route, consoleOffer: null, speech: NO_SERVICES },
      agent: { name: 'Ana', greeting: 'Hello, this is Ana of the flower shop.', instructions: '' },
      ...{ announcement: null, recordTo: join(folder, `${callId}.ogg`), title: 'Call', isSandbox: false },
      ...{ limitMs: 60_000, ringMs: 10_000, mediaMs: 10_000 },
      ...more,
    }
    const placed = voice.place(plan, {
      onState: (state) => states.push(state),
      onLine: ({ speaker, text }) => speaker === 'agent' && said.push(text),
      onTurn: async () => ({ text: null, hangUp: false }),
    })
    return { ...placed, states, said }
  }

  return {
    ...{ voice, folder, incoming, place },
    /** @returns the call that comes in next for this instance. */
    async nextIncoming(instanceId: string): Promise<IncomingCall> {
      let found: IncomingCall | undefined
      await until(() => {
        const at = incoming.findIndex((call) => call.instanceId === instanceId)
        if (at >= 0) [found] = incoming.splice(at, 1)
        return found !== undefined
      }, 'An incoming call')
      return found as IncomingCall
    },
  }
}
