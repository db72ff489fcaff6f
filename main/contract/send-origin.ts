/**
 * The row of another room for which a message is sent. The sending room sets it and reads it from the message's
 * events, so that no room parses Idempotency-Keys. Not part of the API.
 */
export type SendOrigin =
  /** A recipient of a campaign. */
  | { readonly kind: 'campaign'; readonly campaignId: string; readonly position: number }
  /** A part of an agent's answer in one turn of a chat. */
  | { readonly kind: 'agent'; readonly turnSeq: number; readonly part: number }
  /** A message that a CRM user wrote. */
  | { readonly kind: 'crm'; readonly link: 'ghl' | 'webhook'; readonly externalId: string }
