/** Plays audio on a speaker; an empty id means the computer's default. */
export async function playOn(element: HTMLAudioElement, speakerId: string): Promise<void> {
  try {
    await element.setSinkId(speakerId)
  } catch {
    // The speaker was disconnected or the browser cannot select speakers, so the default speaker plays.
  }
  await element.play()
}

export interface Tone {
  stop(): void
}

interface ToneShape {
  readonly hertz: readonly number[]
  /** Durations of the tone and of the pause, in seconds. Without a pause, the tone plays once. */
  readonly onSeconds: number
  readonly offSeconds: number
}

export const RINGING: ToneShape = { hertz: [440, 480], onSeconds: 1.2, offSeconds: 2.8 }
export const TEST_TONE: ToneShape = { hertz: [523], onSeconds: 1.2, offSeconds: 0 }

const REPEATS = 30
const VOLUME = 0.12
const FADE_SECONDS = 0.02

/** Plays a tone on the selected speaker. */
export function playTone({ hertz, onSeconds, offSeconds }: ToneShape, speakerId: string): Tone {
  const context = new AudioContext()
  const gain = context.createGain()
  gain.gain.value = 0
  for (let n = 0; n < (offSeconds === 0 ? 1 : REPEATS); n++) {
    const at = context.currentTime + n * (onSeconds + offSeconds)
    gain.gain.setValueAtTime(0, at)
    gain.gain.linearRampToValueAtTime(VOLUME, at + FADE_SECONDS)
    gain.gain.setValueAtTime(VOLUME, at + onSeconds - FADE_SECONDS)
    gain.gain.linearRampToValueAtTime(0, at + onSeconds)
  }
  for (const frequency of hertz) {
    const oscillator = new OscillatorNode(context, { frequency })
    oscillator.connect(gain)
    oscillator.start()
  }
  const out = context.createMediaStreamDestination()
  gain.connect(out)
  const element = new Audio()
  element.srcObject = out.stream
  // The tone was stopped before it started.
  playOn(element, speakerId).catch(() => {})
  return {
    stop() {
      element.pause()
      element.srcObject = null
      if (context.state !== 'closed') void context.close()
    },
  }
}

/** Reports the volume of a stream, from 0 to 1, about twelve times per second. */
export function measure(stream: MediaStream, onLevel: (level: number) => void): Tone {
  const context = new AudioContext()
  const analyser = new AnalyserNode(context, { fftSize: 1_024 })
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const energy = Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length)
    // Speech has an energy between 0.01 and 0.3. The scale is logarithmic, like human hearing.
    onLevel(Math.min(1, Math.max(0, 1 + Math.log10(Math.max(energy, 1e-4) / 0.3) / 2)))
  }, 80)
  return {
    stop() {
      clearInterval(timer)
      if (context.state !== 'closed') void context.close()
    },
  }
}

/** A silent track, used instead of a microphone that was lost, because the call needs a track. */
export function createSilence(): Tone & { readonly track: MediaStreamTrack | undefined } {
  const context = new AudioContext()
  const out = context.createMediaStreamDestination()
  const [track] = out.stream.getAudioTracks()
  // Without a source, no packets would be sent.
  const nothing = new ConstantSourceNode(context, { offset: 0 })
  nothing.connect(out)
  nothing.start()
  return {
    track,
    stop() {
      track?.stop()
      if (context.state !== 'closed') void context.close()
    },
  }
}
