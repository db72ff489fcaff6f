import type { CrmLink } from './links.ts'

/** What the keys of messages begin with that users of a CRM write. */
const PREFIX = { ghl: 'ghl:', webhook: 'crm:' } as const satisfies Record<CrmLink['kind'], string>

/**
 * The Idempotency-Key of a message that a user of a CRM wrote. One with several files becomes several here, and only the
 * first has the key without a number.
 */
export const keyOf = (kind: CrmLink['kind'], externalId: string, part: number): string =>
  `${PREFIX[kind]}${externalId}${part === 0 ? '' : `#${part}`}`
