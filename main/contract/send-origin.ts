/**
 * The row of another room that a message was sent for. The room that sends sets it, and reads it from the events of the
 * message. No room parses Idempotency-Keys. The API does not show it.
 */
export type SendOrigin =
  /** A recipient of a campaign. */
  | { readonly kind: 'campaign'; readonly campaignId: string; readonly position: number }
  /** A part of what an agent answers in one turn of a chat. */
  | { readonly kind: 'agent'; readonly turnSeq: number; readonly part: number }
  /** What a user of a CRM wrote there. */
  | { readonly kind: 'crm'; readonly link: 'ghl' | 'webhook'; readonly externalId: string }
