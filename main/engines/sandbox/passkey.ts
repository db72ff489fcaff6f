import { ApiError } from '../../contract/errors.ts'
import type { PasskeyCredential } from '../../contract/instance.ts'
import { SANDBOX_CREDENTIAL } from '../../contract/sandbox.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineInstance, EngineSignal, PasskeyFailure, PasskeyState } from '../engine.ts'
import { requireStep } from '../passkey-step.ts'
import { crockford } from './network-ids.ts'

const SIGN_MS = 600_000
const STEP_MS = 120_000
/** Simulated time that the phone needs. */
const PHONE_MS = 1_000

interface PasskeysDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly alarms: Alarms
  publish(id: InstanceId, signal: EngineSignal): void
  /** Connects the instance with the number of the phone. @returns whether it could. */
  pair(instance: EngineInstance, number: string): Promise<boolean>
}

interface Ceremony extends PasskeyState {
  readonly instance: EngineInstance
  readonly number: string
}

/** Passkey confirmations: the steps of the real network, without its cryptography. */
export function createPasskeys({ clock, random, alarms, publish, pair }: PasskeysDeps) {
  const ceremonies = new Map<InstanceId, Ceremony>()

  function enter(ceremony: Ceremony, step: Ceremony['step'], limitMs: number, code: string | null = null): void {
    const { id } = ceremony.instance
    const deadlineMs = clock.now() + limitMs
    const options = step === 'sign' ? ceremony.options : null
    ceremonies.set(id, { ...ceremony, step, options, code, deadlineMs })
    alarms.set(ending(id), deadlineMs, () => fail(id, step === 'sign' ? 'expired' : 'phone_silent'))
    publish(id, { kind: 'passkey_required' })
  }

  function fail(id: InstanceId, reason: PasskeyFailure): void {
    end(id)
    publish(id, { kind: 'passkey_failed', reason, code: null })
  }

  function end(id: InstanceId): void {
    alarms.clear(ending(id))
    alarms.clear(phone(id))
    ceremonies.delete(id)
  }

  function find({ id }: EngineInstance, step: Ceremony['step'], attempt: number): Ceremony {
    const ceremony = ceremonies.get(id)
    requireStep(ceremony, step, attempt)
    return ceremony
  }

  async function finish({ instance, number }: Ceremony): Promise<void> {
    const { id } = instance
    end(id)
    publish(id, { kind: 'passkey_accepted' })
    if (!(await pair(instance, number))) publish(id, { kind: 'passkey_failed', reason: 'refused', code: null })
  }

  return {
    view: (id: InstanceId): PasskeyState | undefined => ceremonies.get(id),
    begin(instance: EngineInstance, number: string): void {
      const options = {
        challenge: random.bytes(32).toString('base64url'),
        ...{ timeout: SIGN_MS, rpId: 'whatsapp.com', allowCredentials: [], userVerification: 'required' },
      }
      enter({ instance, number, options, attempt: 1, step: 'sign', code: null, deadlineMs: 0 }, 'sign', SIGN_MS)
    },
    /** @throws ApiError invalid_state, validation_error */
    respond(instance: EngineInstance, attempt: number, { id, type }: PasskeyCredential): void {
      const ceremony = find(instance, 'sign', attempt)
      if (type !== 'public-key' || id !== SANDBOX_CREDENTIAL.id) throw unknownCredential()
      enter(ceremony, 'phone', STEP_MS)
      alarms.set(phone(instance.id), clock.now() + PHONE_MS, () => {
        const code = crockford(random.bytes(5))
        enter(ceremony, 'compare', STEP_MS, `${code.slice(0, 4)}-${code.slice(4)}`)
      })
    },
    /** @throws ApiError invalid_state */
    confirm(instance: EngineInstance, attempt: number, match: boolean): void {
      const ceremony = find(instance, 'compare', attempt)
      if (!match) return fail(instance.id, 'differs')
      enter(ceremony, 'finishing', STEP_MS)
      alarms.set(phone(instance.id), clock.now() + PHONE_MS, () => void finish(ceremony))
    },
    end,
  }
}

const ending = (id: InstanceId) => `passkey ${id}`
const phone = (id: InstanceId) => `passkey phone ${id}`

const unknownCredential = () =>
  new ApiError(
    'validation_error',
    `credential.id is not the passkey of a sandbox phone. Send type "public-key" and id "${SANDBOX_CREDENTIAL.id}".`,
  ).because('passkey_wrong')
