import { ApiError } from '../../contract/errors.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'
import { checkServiceUrl, isSameOrigin } from '../../outbound/service-address.ts'
import type { SpeechServices } from '../../voice/protocol.ts'
import type { Speech, SpeechBody } from './contract/services.ts'
import type { VoiceDeps } from './deps.ts'
import { saveSpeech, speechOf, type SpeechRow } from './setup-store.ts'
import type { RequireAccess } from '../handler.ts'

/** As stored. */
interface Services extends Omit<SpeechServices, 'apiKey' | 'accountId' | 'trustedRanges'> {
  /** The operator chose the addresses, so they may be in a trusted range. */
  readonly byOperator: boolean
}

const BUILT_IN: Services = {
  ...{ brain: 'script', sttUrl: null, sttModel: null, ttsUrl: null, ttsModel: null, ttsVoice: null },
  ...{ realtimeUrl: null, realtimeVoice: null, byOperator: false },
}
const ADDRESSES = [
  { field: 'stt_url', of: 'sttUrl', kind: 'http' },
  { field: 'tts_url', of: 'ttsUrl', kind: 'http' },
  { field: 'realtime_url', of: 'realtimeUrl', kind: 'websocket' },
] as const

const owner = (accountId: AccountId) => `voice speech:${accountId}`

/** The speech-to-text and text-to-speech services of an account's agents. */
export function createSpeech({
  db,
  clock,
  seal,
  config,
  ...guards
}: Pick<VoiceDeps, 'db' | 'clock' | 'seal' | 'config' | 'outbound' | 'publicOutbound'>) {
  const servicesIn = (row: SpeechRow | undefined): Services =>
    // This room stored it from a validated body.
    row === undefined ? BUILT_IN : { ...BUILT_IN, ...(JSON.parse(row.services) as Partial<Services>) }

  /**
   * The addresses in the form in which they are called. A member may change the operator's settings as long as the
   * addresses stay.
   */
  async function checkAddresses(body: SpeechBody, before: Services, isOperator: boolean): Promise<Services> {
    const keepsAll = ADDRESSES.every(({ field, of }) => !body[field] || body[field] === before[of])
    const byOperator = isOperator || (before.byOperator && keepsAll)
    const checked: Partial<Record<(typeof ADDRESSES)[number]['of'], string>> = {}
    for (const { field, of, kind } of ADDRESSES) {
      const text = body[field]
      if (text) checked[of] = (await checkServiceUrl(guards, text, { field, kind, byOperator })).href
    }
    return {
      ...{ ...BUILT_IN, ...checked, byOperator, brain: body.brain },
      ...{ sttModel: body.stt_model ?? null, ttsModel: body.tts_model ?? null, ttsVoice: body.tts_voice ?? null },
      realtimeVoice: body.realtime_voice ?? null,
    }
  }

  return {
    /** @throws ApiError sealed */
    async services(accountId: AccountId): Promise<SpeechServices> {
      const row = await db.readOne(speechOf, { accountId })
      const apiKey = row?.apiKey ? seal.open(row.apiKey, owner(accountId)).open() : null
      const { byOperator, ...services } = servicesIn(row)
      return { ...services, apiKey, accountId, trustedRanges: byOperator ? config.trustedRanges : [] }
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

    /**
     * @param isOperator addresses may be in a trusted range.
     * @throws ApiError validation_error, invalid_url, sealed
     */
    async set(
      accountId: AccountId,
      body: SpeechBody,
      isOperator: boolean,
      requireAccess: RequireAccess,
    ): Promise<void> {
      requireAddresses(body)
      const known = servicesIn(await db.readOne(speechOf, { accountId }))
      const services = await checkAddresses(body, known, isOperator)
      const { api_key: key } = body
      const sealed = typeof key === 'string' ? seal.seal(new Secret(key), owner(accountId)) : null
      await db.commit(async (tx) => {
        // Checked again, because the checks of the addresses take a while.
        await requireAccess(tx)
        const before = await tx.one(speechOf, { accountId })
        const stored = before?.apiKey ?? null
        if (key === undefined && stored !== null) requireKnownOrigins(services, servicesIn(before))
        const apiKey = key === undefined ? stored : sealed
        await tx.run(saveSpeech, { accountId, services: JSON.stringify(services), apiKey, now: clock.now() })
      })
    },
  }
}

/** A stored key is kept only for the servers for which it was entered. @throws ApiError validation_error */
function requireKnownOrigins(next: Services, before: Services): void {
  const known = ADDRESSES.flatMap(({ of }) => before[of] ?? [])
  for (const { field, of } of ADDRESSES) {
    const url = next[of]
    if (url === null || known.some((one) => isSameOrigin(one, url))) continue
    throw new ApiError(
      'validation_error',
      `api_key is required because ${field} names another server: the stored key is not sent there. Send the key again, or null to remove it.`,
    ).because('key_again', { field })
  }
}

function requireAddresses({ brain, stt_url: stt, tts_url: tts, realtime_url: realtime }: SpeechBody): void {
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
  if (missing !== null)
    throw new ApiError('validation_error', `${missing} is required for the brain ${brain}.`).because('field_required', {
      field: missing,
    })
}
