import { closeStream } from './microphone.ts'
import { createPeer } from './peer.ts'
import { measure, playOn, playTone, RINGING, createSilence, type Tone } from './sound.ts'

interface LineDeps {
  /** Opens the selected microphone. @throws MicrophoneError */
  readonly open: () => Promise<MediaStream>
  readonly speaker: () => string
  readonly onLevel: (level: number) => void
  /** Called when the microphone is lost, and when there is one again. */
  readonly onUnheard: (isUnheard: boolean) => void
  readonly onBroken: () => void
}

export interface Line {
  offer(): Promise<string>
  accept(answer: string): Promise<void>
  /** Plays a ringing tone until the call is answered. */
  ring(): void
  answered(): void
  mute(isMuted: boolean): void
  /** Switches to the selected microphone. */
  reopen(): Promise<void>
  useSpeaker(): Promise<void>
  close(): void
}

/** The audio of a call: the microphone, the speaker, and the connection to the service. @throws MicrophoneError */
export async function createLine(deps: LineDeps): Promise<Line> {
  let stream = await deps.open()
  const [first] = stream.getAudioTracks()
  if (first === undefined) throw new Error('The microphone has no track.')
  const speaker = new Audio()
  let meter: Tone | undefined
  let ringing: Tone | undefined
  let silence: ReturnType<typeof createSilence> | undefined
  let isMuted = false
  let isClosed = false
  const peer = createPeer(first, {
    onSound(theirs) {
      speaker.srcObject = theirs
      playOn(speaker, deps.speaker()).catch(() => {})
    },
    onBroken: deps.onBroken,
  })
  attach()

  function attach(): void {
    meter?.stop()
    meter = measure(stream, deps.onLevel)
    for (const track of stream.getAudioTracks()) {
      track.enabled = !isMuted
      // `ended` is not raised by our own stop(): the microphone was disconnected, or the permission was withdrawn.
      track.addEventListener('ended', () => void lost(track))
    }
  }

  async function lost(track: MediaStreamTrack): Promise<void> {
    if (isClosed || !stream.getTracks().includes(track)) return
    silence?.stop()
    silence = createSilence()
    if (silence.track !== undefined) await peer.replace(silence.track)
    deps.onUnheard(true)
    await reopen()
  }

  async function reopen(): Promise<void> {
    try {
      const next = await deps.open()
      const [track] = next.getAudioTracks()
      if (isClosed || track === undefined) return closeStream(next)
      await peer.replace(track)
      const before = stream
      stream = next
      closeStream(before)
      silence?.stop()
      attach()
      deps.onUnheard(false)
    } catch {
      // The store of the devices keeps the reason.
    }
  }

  function quiet(): void {
    ringing?.stop()
    ringing = undefined
  }

  return {
    offer: peer.offer,
    accept: peer.accept,
    ring() {
      if (!isClosed) ringing ??= playTone(RINGING, deps.speaker())
    },
    answered: quiet,
    mute(is) {
      isMuted = is
      for (const track of stream.getAudioTracks()) track.enabled = !is
    },
    reopen,
    async useSpeaker() {
      if (speaker.srcObject !== null) await playOn(speaker, deps.speaker()).catch(() => {})
    },
    close() {
      isClosed = true
      quiet()
      meter?.stop()
      silence?.stop()
      peer.close()
      closeStream(stream)
      speaker.srcObject = null
    },
  }
}
