/** Why a number could not be connected. The page shows it in the reader's language. */
export interface Reason {
  readonly code: ReasonCode
  /** What Meta or the network answered. Set only if the sentence has a place for it. */
  readonly detail?: string
}

export type ReasonCode =
  /** The entered value has the wrong form. */
  | 'phone_number_id_form'
  | 'waba_id_form'
  | 'access_token_form'
  | 'app_secret_form'
  | 'pin_form'
  /** The number does not belong to the account. */
  | 'other_account'
  | 'pin_needed'
  | 'other_app_secret'
  | 'token_dead'
  | 'permission'
  | 'unknown_id'
  | 'blocked'
  /** Meta's signup shared no number that is new here. */
  | 'no_number'
  | 'unreachable'
  | 'refused'

/** Why Meta could not call this service back. */
export interface CallbackFault {
  readonly code: CallbackFaultCode
  /** The host of the callback address. */
  readonly host: string
  /** A scheme, a status or an error code. */
  readonly detail: string
}

export type CallbackFaultCode =
  | 'not_https'
  | 'not_public'
  | 'no_name'
  | 'certificate'
  | 'silent'
  | 'unreachable'
  | 'other'
