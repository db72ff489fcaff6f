export const MODELS = ['sandbox-1', 'sandbox-embedding', 'sandbox-transcribe', 'sandbox-speech'] as const

/** Names that real services use are known as well: adapters that are set to one are tested with it. */
const KNOWN = /^(sandbox-|gpt-|chatgpt-|o\d|claude-|gemini-|text-embedding-|embedding-|whisper|tts)/

export const isKnownModel = (name: string): boolean => KNOWN.test(name)
