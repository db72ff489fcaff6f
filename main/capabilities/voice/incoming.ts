import type { InstanceId } from '../../kernel/ids.ts'
import type { IncomingCall } from '../../voice/voice-process.ts'
import type { InstanceSubject } from '../handler.ts'
import type { VoiceAgent } from './agents.ts'
import type { CloudCallEvent } from '../../engines/official/index.ts'
import type { CloudLegs } from './cloud-legs.ts'
import type { VoiceDeps } from './deps.ts'
import type { DirectCalls } from './direct-calls.ts'
import type { Routes } from './routes.ts'
import type { RunningCall } from './running.ts'
import type { VoiceSetup } from './setup.ts'

interface IncomingDeps extends Pick<VoiceDeps, 'instances' | 'process'> {
  readonly direct: DirectCalls
  readonly setup: Pick<VoiceSetup, 'read'>
  readonly cloudLegs: CloudLegs | null
  readonly routes: Pick<Routes, 'sandboxCaller'>
}

/** Answers incoming calls if the instance is set to. */
export function answerIncoming({ instances, process, direct, setup, cloudLegs, routes }: IncomingDeps) {
  /** The agent that answers; undefined: none. */
  async function answering(
    instanceId: string,
  ): Promise<{ instance: InstanceSubject; agent: VoiceAgent; to: string | null } | undefined> {
    const known = await instances.owned(instanceId as InstanceId)
    if (known === undefined) return undefined
    const { subject: instance, phoneNumber: to } = known
    const { settings } = await setup.read(instanceId)
    if (!settings.receive_enabled) return undefined
    const agent = await direct.answeringAgent(instance, settings.receive_agent_id)
    return agent && { instance, agent, to }
  }

  return {
    async overTrunk({ instanceId, incomingId, from }: IncomingCall): Promise<void> {
      const found = await answering(instanceId)
      const started =
        found &&
        (await direct.arrive({
          ...{ ...found, gateway: 'sip', source: 'phone', from: digitsOf(from), widgetId: null },
          route: { kind: 'sip_incoming', incomingId },
        }))
      if (!started) process.refuse(incomingId)
    },

    /**
     * A call from a sandbox phone: an agent answers, or it rings in the window.
     * @returns null if voice is off, or no call can be accepted now.
     */
    async overSandbox(instanceId: string, from: string): Promise<RunningCall | null> {
      const known = await instances.owned(instanceId as InstanceId)
      if (known === undefined) return null
      const arriving = { from, gateway: 'sandbox', source: 'phone', widgetId: null } as const
      const found = await answering(instanceId)
      if (found === undefined) return direct.ringHere({ ...arriving, instance: known.subject, to: known.phoneNumber })
      const route = routes.sandboxCaller(found.agent.questions, true)
      return direct.arrive({ ...arriving, ...found, route })
    },

    async overCloud(instanceId: string, { networkId, from, sdp }: CloudCallEvent & { kind: 'offered' }): Promise<void> {
      if (cloudLegs === null) return
      const found = await answering(instanceId)
      if (found === undefined) {
        const known = await instances.owned(instanceId as InstanceId)
        if (known !== undefined) cloudLegs.reject(known.subject, networkId)
        return
      }
      const isTaken = await cloudLegs.accept(found.instance, networkId, (onPlaced, onAnswer) =>
        direct.arrive({
          ...{ ...found, gateway: 'cloud', source: 'phone', from, widgetId: null, onPlaced, onAnswer },
          route: { kind: 'webrtc', offer: sdp },
        }),
      )
      if (!isTaken) cloudLegs.reject(found.instance, networkId)
    },
  }
}

const digitsOf = (text: string): string | null => text.replaceAll(/\D/g, '').slice(0, 15) || null
