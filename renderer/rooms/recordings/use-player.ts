import { useEventListener, useLocalStorage, useRafFn } from '@vueuse/core'
import { computed, ref, watch, type Ref } from 'vue'
import { endOfSilence, type Span } from './silence.ts'

export const RATES = [0.75, 1, 1.25, 1.5, 1.75, 2] as const

interface PlayerOptions {
  readonly audio: Readonly<Ref<HTMLAudioElement | null>>
  readonly durationMs: () => number
  readonly silences: () => readonly Span[]
}

/** Plays a recording. The speed and the choice to skip silence are stored in this browser. */
export function usePlayer({ audio, durationMs, silences }: PlayerOptions) {
  const isPlaying = ref(false)
  const isWaiting = ref(false)
  const hasFailed = ref(false)
  const atMs = ref(0)
  const rate = useLocalStorage<number>('switchboard.recordings.rate', 1)
  const skipsSilence = useLocalStorage('switchboard.recordings.skip-silence', false)
  const speed = computed(() => RATES.find((known) => known === rate.value) ?? 1)

  function look(): void {
    const element = audio.value
    if (element === null) return
    atMs.value = element.currentTime * 1_000
    if (!isPlaying.value || !skipsSilence.value) return
    const next = endOfSilence(silences(), atMs.value)
    if (next !== undefined) seek(next)
  }

  // Animation frames stop while the window is hidden, but the playback continues. Its `timeupdate` events come a few
  // times per second.
  const frames = useRafFn(look, { immediate: false })
  const on = (names: string | string[], act: () => void) => useEventListener(audio, names, act)
  on(['timeupdate', 'seeking'], look)
  on('play', () => {
    isPlaying.value = true
    frames.resume()
  })
  on(['pause', 'ended', 'emptied'], () => {
    isPlaying.value = false
    isWaiting.value = false
    frames.pause()
  })
  on('waiting', () => (isWaiting.value = true))
  on(['playing', 'canplay'], () => (isWaiting.value = false))
  on('error', () => (hasFailed.value = true))
  on('loadedmetadata', () => {
    hasFailed.value = false
    applySpeed()
  })
  watch(speed, applySpeed)

  function applySpeed(): void {
    if (audio.value !== null) audio.value.playbackRate = speed.value
  }

  function seek(ms: number): void {
    if (audio.value === null) return
    const to = Math.min(Math.max(0, ms), durationMs())
    audio.value.currentTime = to / 1_000
    atMs.value = to
  }

  async function play(): Promise<void> {
    const element = audio.value
    if (element === null) return
    // At the end, playing starts from the beginning.
    if (element.ended || atMs.value >= durationMs() - 50) seek(0)
    try {
      await element.play()
    } catch (error) {
      // A DOMException means that playback was paused before it started, or that the file cannot be played; the
      // `error` event reports the latter.
      if (!(error instanceof DOMException)) throw error
    }
  }

  function toggle(): void {
    // The element is asked directly, because its events arrive slightly later.
    if (audio.value?.paused === false) audio.value.pause()
    else void play()
  }

  const chooseSpeed = (chosen: number) => void (rate.value = chosen)

  function changeSpeed(by: -1 | 1): void {
    const next = RATES[RATES.indexOf(speed.value) + by]
    if (next !== undefined) chooseSpeed(next)
  }

  const skipSilence = (is: boolean) => void (skipsSilence.value = is)

  function retry(): void {
    hasFailed.value = false
    audio.value?.load()
  }

  return {
    ...{ isPlaying, isWaiting, hasFailed, atMs, speed, skipsSilence },
    ...{ seek, toggle, chooseSpeed, changeSpeed, skipSilence, retry },
    skip: (ms: number) => seek(atMs.value + ms),
  }
}

export type RecordingPlayer = ReturnType<typeof usePlayer>
