import type { CallSettings } from '../../../main/capabilities/calls/contract.ts'

/** What the form shows of the settings; an empty text is none. */
export interface CallForm {
  readonly choice: 'ring' | 'reject'
  readonly message: string
}

export const formOf = ({ reject, message }: CallSettings): CallForm => ({
  choice: reject ? 'reject' : 'ring',
  message: message ?? '',
})

/** The text is kept while calls ring, so that it is there when they are rejected again. */
export const settingsOf = ({ choice, message }: CallForm): CallSettings => ({
  reject: choice === 'reject',
  message: message.trim() === '' ? null : message.trim(),
})

/** Whoever rejects calls for the first time is offered a text. */
export const chosen = (form: CallForm, choice: CallForm['choice'], saved: CallSettings, suggestion: string): CallForm =>
  choice === 'reject' && form.message === '' && !saved.reject ? { choice, message: suggestion } : { ...form, choice }
