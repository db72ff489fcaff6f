import type { CallSettings } from '../../../main/capabilities/calls/contract.ts'

/** The call settings as the form shows them; an empty text means none. */
export interface CallForm {
  readonly choice: 'ring' | 'reject'
  readonly message: string
}

export const formOf = ({ reject, message }: CallSettings): CallForm => ({
  choice: reject ? 'reject' : 'ring',
  message: message ?? '',
})

/** The text is kept while calls are not rejected, so that it is still there when rejecting is turned on again. */
export const settingsOf = ({ choice, message }: CallForm): CallSettings => ({
  reject: choice === 'reject',
  message: message.trim() === '' ? null : message.trim(),
})

/** Suggests a text when calls are rejected for the first time. */
export const chosen = (form: CallForm, choice: CallForm['choice'], saved: CallSettings, suggestion: string): CallForm =>
  choice === 'reject' && form.message === '' && !saved.reject ? { choice, message: suggestion } : { ...form, choice }
