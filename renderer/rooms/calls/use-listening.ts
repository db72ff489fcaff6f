import { onScopeDispose, ref } from 'vue'
import { call } from '../../app/api.ts'
import { useCommandProblem } from '../../app/command-problems.ts'
import { useSoundDevices } from '../softphone/devices.ts'
import { createPeer, type Peer } from '../softphone/peer.ts'
import { playOn } from '../softphone/sound.ts'

/**
 * Listens to one call at a time, until it ends, somebody stops, or the screen is left. It opens no microphone, so
 * nobody in the call can hear the listener.
 */
export function useListening() {
  const devices = useSoundDevices()
  const { showProblem } = useCommandProblem()
  const callId = ref<string>()
  const isHeard = ref(false)
  let peer: Peer | undefined
  let speaker: HTMLAudioElement | undefined

  async function start({ id, instance_id }: { readonly id: string; readonly instance_id: string }): Promise<void> {
    stop()
    callId.value = id
    const element = (speaker = new Audio())
    const mine = createPeer(null, {
      onSound(stream) {
        element.srcObject = stream
        playOn(element, devices.speaker).catch(() => {})
        isHeard.value = peer === mine
      },
      onBroken: () => peer === mine && stop(),
    })
    peer = mine
    try {
      const offer = await mine.offer()
      const { answer } = await call('listenToVoiceCall', { params: { id: instance_id, call_id: id }, body: { offer } })
      if (peer === mine) await mine.accept(answer)
    } catch (error) {
      if (peer !== mine) return
      stop()
      showProblem(error)
    }
  }

  function stop(): void {
    peer?.close()
    peer = undefined
    if (speaker) speaker.srcObject = null
    callId.value = undefined
    isHeard.value = false
  }

  onScopeDispose(stop)
  return { callId, isHeard, start, stop }
}

export type Listening = ReturnType<typeof useListening>
