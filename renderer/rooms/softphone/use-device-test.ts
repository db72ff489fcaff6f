import { onScopeDispose, ref } from 'vue'
import { useSoundDevices } from './devices.ts'
import { closeStream } from './microphone.ts'
import { measure, playOn, playTone, TEST_TONE, type Tone } from './sound.ts'

type Test = 'tone' | 'recording' | 'playing'

const TONE_MS = 1_300
const RECORD_MS = 3_000

/** Tests the selected devices: plays a tone on the speaker, or records a voice and plays it back. */
export function useDeviceTest() {
  const devices = useSoundDevices()
  const running = ref<Test>()
  const level = ref(0)
  let ends: (() => void)[] = []

  function stop(): void {
    for (const end of ends.toReversed()) end()
    ends = []
    level.value = 0
    running.value = undefined
  }
  onScopeDispose(stop)

  const ended = (tone: Tone) => () => tone.stop()
  function after(ms: number, act: () => void): void {
    const timer = setTimeout(act, ms)
    ends.push(() => clearTimeout(timer))
  }

  function tone(): void {
    stop()
    running.value = 'tone'
    ends.push(ended(playTone(TEST_TONE, devices.speaker)))
    after(TONE_MS, stop)
  }

  /** Records for three seconds, then plays the recording. */
  async function voice(): Promise<void> {
    stop()
    let stream: MediaStream
    try {
      stream = await devices.open()
    } catch {
      // The store of the devices keeps the reason.
      return
    }
    running.value = 'recording'
    ends.push(() => closeStream(stream), ended(measure(stream, (now) => (level.value = now))))
    const recorder = new MediaRecorder(stream)
    recorder.addEventListener('dataavailable', ({ data }) => {
      if (running.value === 'recording') play(data)
    })
    recorder.start()
    after(RECORD_MS, () => recorder.stop())
  }

  function play(sound: Blob): void {
    stop()
    running.value = 'playing'
    const element = new Audio(URL.createObjectURL(sound))
    ends.push(() => {
      element.pause()
      URL.revokeObjectURL(element.src)
    })
    element.addEventListener('ended', stop)
    playOn(element, devices.speaker).catch(stop)
  }

  return { running, level, tone, voice, stop }
}
