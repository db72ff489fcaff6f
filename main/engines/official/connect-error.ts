/** Why a number could not be connected. The page has the words, in the language of who reads them. */
export interface Reason {
  readonly code: ReasonCode
  /** What Meta or the network said; only where the sentence has a place for it. */
  readonly detail?: string
}

export type ReasonCode =
  /** What was typed cannot be what is asked for. */
  | 'phone_number_id_form'
  | 'waba_id_form'
  | 'access_token_form'
  | 'app_secret_form'
  | 'pin_form'
  /** Number and account do not belong together. */
  | 'other_account'
  | 'pin_needed'
  | 'other_app_secret'
  | 'token_dead'
  | 'permission'
  | 'unknown_id'
  | 'blocked'
  /** Meta's signup shared nothing that is new here. */
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
