import { ApiError } from '../contract/errors.ts'
import type { PasskeyState } from './engine.ts'

/**
 * Checks that an answer is for the current step and request.
 * @throws ApiError invalid_state
 */
export function requireStep<T extends Pick<PasskeyState, 'step' | 'attempt'>>(
  state: T | undefined,
  step: PasskeyState['step'],
  attempt: number,
): asserts state is T {
  if (state === undefined) throw notAsked('No passkey is requested now')
  if (state.attempt !== attempt) {
    throw new ApiError(
      'invalid_state',
      `WhatsApp has asked again since (passkey_superseded). Read the QR view and answer attempt ${state.attempt}.`,
    ).because('passkey_superseded')
  }
  if (state.step !== step) throw notAsked(`The confirmation is in step ${state.step}`)
}

const notAsked = (what: string) =>
  new ApiError('invalid_state', `${what} (passkey_not_asked). GET …/qr shows the current step.`).because(
    'passkey_ended',
  )
