import { useLocalStorage } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import {
  closeStream,
  isSecurePage,
  listDevices,
  MicrophoneError,
  onDeviceChange,
  openMicrophone,
} from './microphone.ts'
import type { MicrophoneFault } from './microphone.ts'

/**
 * The available microphones and speakers, and which are selected. The selection is stored on this computer; empty
 * means the computer's default.
 */
export const useSoundDevices = defineStore('sound-devices', () => {
  const all = shallowRef<readonly MediaDeviceInfo[]>([])
  const microphoneId = useLocalStorage('switchboard.softphone.microphone', '')
  const speakerId = useLocalStorage('switchboard.softphone.speaker', '')
  const fault = ref<MicrophoneFault | undefined>(isSecurePage() ? undefined : 'insecure')

  const ofKind = (wanted: MediaDeviceKind) => all.value.filter(({ kind }) => kind === wanted)
  const microphones = computed(() => ofKind('audioinput'))
  const speakers = computed(() => ofKind('audiooutput'))
  /** Whether the browser lets a page select the speaker. */
  const canChooseSpeaker = 'setSinkId' in HTMLMediaElement.prototype
  /** Whether the person has allowed the microphone: only then do the devices have names. */
  const isAllowed = computed(() => all.value.length > 0)
  const speaker = computed(() =>
    speakers.value.some(({ deviceId }) => deviceId === speakerId.value) ? speakerId.value : '',
  )

  async function look(): Promise<void> {
    all.value = await listDevices()
    if (fault.value === 'missing' && microphones.value.length > 0) fault.value = undefined
  }
  onDeviceChange(() => void look())
  void look()

  /** Opens the selected microphone. @throws MicrophoneError */
  async function open(): Promise<MediaStream> {
    try {
      const stream = await openMicrophone(microphoneId.value)
      fault.value = undefined
      await look()
      return stream
    } catch (error) {
      fault.value = error instanceof MicrophoneError ? error.fault : 'failed'
      throw error
    }
  }

  /** Asks for permission to use the microphone, so that the devices have names. */
  async function allow(): Promise<void> {
    await open().then(closeStream, () => {})
  }

  return {
    ...{ microphones, speakers, microphoneId, speakerId, speaker, canChooseSpeaker, isAllowed, fault },
    ...{ open, allow },
  }
})
