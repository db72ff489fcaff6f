import type { Speech, SpeechBody } from '../../../main/capabilities/voice/contract.ts'

export const BRAINS = ['script', 'pipeline', 'realtime'] as const
type Brain = (typeof BRAINS)[number]

/** Empty texts leave the choice to the service. */
export interface SpeechForm {
  brain: Brain
  sttUrl: string
  sttModel: string
  ttsUrl: string
  ttsModel: string
  ttsVoice: string
  realtimeUrl: string
  realtimeVoice: string
  /** A new key; empty keeps the stored one. */
  key: string
}

export const speechFormOf = (speech: Speech): SpeechForm => ({
  brain: speech.brain,
  ...{ sttUrl: speech.stt_url ?? '', sttModel: speech.stt_model ?? '' },
  ...{ ttsUrl: speech.tts_url ?? '', ttsModel: speech.tts_model ?? '', ttsVoice: speech.tts_voice ?? '' },
  ...{ realtimeUrl: speech.realtime_url ?? '', realtimeVoice: speech.realtime_voice ?? '' },
  key: '',
})

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

export const speechBodyOf = (form: SpeechForm): SpeechBody => ({
  brain: form.brain,
  ...{ stt_url: orNull(form.sttUrl), stt_model: orNull(form.sttModel) },
  ...{ tts_url: orNull(form.ttsUrl), tts_model: orNull(form.ttsModel), tts_voice: orNull(form.ttsVoice) },
  ...{ realtime_url: orNull(form.realtimeUrl), realtime_voice: orNull(form.realtimeVoice) },
  ...(form.key.trim() !== '' && { api_key: form.key.trim() }),
})

export type SpeechFault = 'sttUrl' | 'ttsUrl' | 'realtimeUrl' | 'key'

const isUrl = (text: string, schemes: RegExp) => schemes.test(text.trim()) && URL.canParse(text.trim())

const originOf = (text: string): string | undefined => URL.parse(text.trim())?.origin

/** Whether the stored key can be kept. It is sent only to the servers it was entered for. */
export function keepsKey({ sttUrl, ttsUrl, realtimeUrl }: SpeechForm, speech: Speech): boolean {
  const known = [speech.stt_url, speech.tts_url, speech.realtime_url].map((url) => originOf(url ?? ''))
  const named = [sttUrl, ttsUrl, realtimeUrl].filter((text) => text.trim() !== '')
  return speech.key_configured && named.every((text) => known.includes(originOf(text)))
}

/** Missing fields of the selected mode, and a key that must be entered again. */
export function listSpeechFaults(form: SpeechForm, speech: Speech): SpeechFault[] {
  const isKeyMissing = speech.key_configured && !keepsKey(form, speech) && form.key.trim() === ''
  return [...listAddressFaults(form), ...(isKeyMissing ? (['key'] as const) : [])]
}

function listAddressFaults({ brain, sttUrl, ttsUrl, realtimeUrl }: SpeechForm): SpeechFault[] {
  if (brain === 'script') return []
  if (brain === 'realtime') return isUrl(realtimeUrl, /^wss?:/) ? [] : ['realtimeUrl']
  return [
    ...(isUrl(sttUrl, /^https?:/) ? [] : (['sttUrl'] as const)),
    ...(isUrl(ttsUrl, /^https?:/) ? [] : (['ttsUrl'] as const)),
  ]
}
