export const MODELS = ['sandbox-1', 'sandbox-embedding', 'sandbox-transcribe', 'sandbox-speech'] as const

/** Names of real models are accepted too, so that adapters configured for one can be tested. */
const KNOWN = /^(sandbox-|gpt-|chatgpt-|o\d|claude-|gemini-|text-embedding-|embedding-|whisper|tts)/

export const isKnownModel = (name: string): boolean => KNOWN.test(name)
