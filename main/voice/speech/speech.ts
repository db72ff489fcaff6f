/** Text to speech. */
export interface Tts {
  /**
   * In chunks of any length at 16 kHz, as they are generated. Rejects on failure. @param voice a name of this
   * service.
   */
  say(text: string, voice: string, signal: AbortSignal): AsyncIterable<Int16Array>
}

/** Speech to text. */
export interface Stt {
  /** @param pcm an utterance at 16 kHz. */
  transcribe(pcm: Int16Array, signal: AbortSignal): Promise<string>
}

/** Why a speech service failed. The message contains no text from the service. */
export class SpeechFailure extends Error {
  override readonly name = 'SpeechFailure'
}

/** Voices included in Switchboard. */
export const AGENT_VOICE = 'slt'
export const PERSON_VOICE = 'rms'
