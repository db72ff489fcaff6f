/**
 * The row of another room that a message was sent for. The room that sends gives it, and reads it in the events of the
 * message; what its Idempotency-Key says is for nobody to read. The API does not show it.
 */
export type SendOrigin =
  /** A recipient of a campaign. */
  | { readonly kind: 'campaign'; readonly campaignId: string; readonly position: number }
  /** A part of what an agent answers in one turn of a chat. */
  | { readonly kind: 'agent'; readonly turnSeq: number; readonly part: number }
  /** What a user of a CRM wrote there. */
  | { readonly kind: 'crm'; readonly link: 'ghl' | 'webhook'; readonly externalId: string }
