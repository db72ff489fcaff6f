import { ApiError } from '../../contract/errors.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'
import type { SpeechServices } from '../../voice/protocol.ts'
import type { Speech, SpeechBody } from './contract.ts'
import type { VoiceDeps } from './deps.ts'
import { saveSpeech, speechOf, type SpeechRow } from './setup-store.ts'

type Services = Omit<SpeechServices, 'apiKey'>

const BUILT_IN: Services = {
  ...{ brain: 'script', sttUrl: null, sttModel: null, ttsUrl: null, ttsModel: null, ttsVoice: null },
  ...{ realtimeUrl: null, realtimeVoice: null },
}

const owner = (accountId: AccountId) => `voice speech:${accountId}`

/** How the agents of an account hear and speak. */
export function createSpeech({ db, clock, seal }: Pick<VoiceDeps, 'db' | 'clock' | 'seal'>) {
  const servicesIn = (row: SpeechRow | undefined): Services =>
    // Written by us, from a checked body.
    row === undefined ? BUILT_IN : { ...BUILT_IN, ...(JSON.parse(row.services) as Partial<Services>) }

  return {
    /** @throws ApiError sealed */
    async services(accountId: AccountId): Promise<SpeechServices> {
      const row = await db.readOne(speechOf, { accountId })
      const apiKey = row?.apiKey ? seal.open(row.apiKey, owner(accountId)).open() : null
      return { ...servicesIn(row), apiKey }
    },

    async read(accountId: AccountId): Promise<Speech> {
      const row = await db.readOne(speechOf, { accountId })
      const services = servicesIn(row)
      return {
        brain: services.brain,
        ...{ stt_url: services.sttUrl, stt_model: services.sttModel },
        ...{ tts_url: services.ttsUrl, tts_model: services.ttsModel, tts_voice: services.ttsVoice },
        ...{ realtime_url: services.realtimeUrl, realtime_voice: services.realtimeVoice },
        key_configured: (row?.apiKey ?? null) !== null,
      }
    },

    /** @throws ApiError validation_error, sealed */
    async set(accountId: AccountId, body: SpeechBody): Promise<void> {
      requireAddresses(body)
      const services: Services = {
        brain: body.brain,
        ...{ sttUrl: body.stt_url ?? null, sttModel: body.stt_model ?? null },
        ...{ ttsUrl: body.tts_url ?? null, ttsModel: body.tts_model ?? null, ttsVoice: body.tts_voice ?? null },
        ...{ realtimeUrl: body.realtime_url ?? null, realtimeVoice: body.realtime_voice ?? null },
      }
      const { api_key: key } = body
      const sealed = typeof key === 'string' ? seal.seal(new Secret(key), owner(accountId)) : null
      await db.commit(async (tx) => {
        const before = await tx.one(speechOf, { accountId })
        const apiKey = key === undefined ? (before?.apiKey ?? null) : sealed
        await tx.run(saveSpeech, { accountId, services: JSON.stringify(services), apiKey, now: clock.now() })
      })
    },
  }
}

function requireAddresses({ brain, stt_url: stt, tts_url: tts, realtime_url: realtime }: SpeechBody): void {
  const named = { stt_url: stt, tts_url: tts, realtime_url: realtime }
  for (const [name, url] of Object.entries(named)) {
    if (url && !URL.canParse(url)) throw new ApiError('invalid_url', `${name} is not a URL.`)
    if (url && /^ws/.test(url) !== (name === 'realtime_url'))
      throw new ApiError('invalid_url', `${name} must begin with ${name === 'realtime_url' ? 'wss://' : 'https://'}.`)
  }
  const missing =
    brain === 'pipeline'
      ? stt
        ? tts
          ? null
          : 'tts_url'
        : 'stt_url'
      : brain === 'realtime' && !realtime
        ? 'realtime_url'
        : null
  if (missing !== null) throw new ApiError('validation_error', `${missing} is required for the brain ${brain}.`)
}
