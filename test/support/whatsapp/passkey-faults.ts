const PASSKEY_QUERIES = [
  'passkey_request_options',
  'ref',
  'passkey_prologue',
  'companion_nonce',
  'encrypted_pairing_request',
] as const
/** The queries of a client that links with a passkey, by tag. */
export type PasskeyQuery = (typeof PASSKEY_QUERIES)[number]
/** The notifications that it gets meanwhile, by type. */
export type PasskeyNotice = 'passkey_prologue_request' | 'crsc_continuation'
export type PasskeyStep = PasskeyQuery | PasskeyNotice | 'pair-success'

/** Faults while a client links with a passkey. */
export type PasskeyFault =
  /** Answered with an error. */
  | { readonly at: PasskeyQuery; readonly kind: 'refused'; readonly code: 400 | 401 | 429 | 500 }
  /** Never answered. */
  | { readonly at: PasskeyQuery; readonly kind: 'unanswered' }
  /** The connection is cut instead of an answer; for a notification, right after the client has acknowledged it. */
  | { readonly at: PasskeyStep; readonly kind: 'cut' }
  /** The options for the browser are missing or unusable. */
  | {
      readonly at: 'passkey_prologue_request'
      readonly kind: 'options'
      readonly options: 'absent' | 'empty' | 'not_json' | 'oversized'
    }
  /** Before the server, somebody else sends the same notification with other content. */
  | { readonly at: PasskeyNotice; readonly kind: 'foreign' }
  /** The phone's nonce has 31 bytes. */
  | { readonly at: 'crsc_continuation'; readonly kind: 'short_nonce' }
  /** The content arrives as text instead of bytes. */
  | { readonly at: 'ref'; readonly kind: 'text' }

export const isPasskeyQuery = (tag: string): tag is PasskeyQuery => PASSKEY_QUERIES.some((one) => one === tag)
