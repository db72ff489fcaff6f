/** Makes speech of text. */
export interface Tts {
  /** In pieces of any length at 16 kHz, as they are made. Rejects if it cannot. @param voice a name of this service. */
  say(text: string, voice: string, signal: AbortSignal): AsyncIterable<Int16Array>
}

/** Makes text of speech. */
export interface Stt {
  /** @param pcm an utterance at 16 kHz. */
  transcribe(pcm: Int16Array, signal: AbortSignal): Promise<string>
}

/** Why a speech service failed. Nothing that the service said is in the message. */
export class SpeechFailure extends Error {
  override readonly name = 'SpeechFailure'
}

/** Voices that come with Switchboard. */
export const AGENT_VOICE = 'slt'
export const PERSON_VOICE = 'rms'
