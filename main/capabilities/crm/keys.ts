import type { CrmLink } from './links.ts'

/** Prefixes of the keys of messages that CRM users write. */
const PREFIX = { ghl: 'ghl:', webhook: 'crm:' } as const satisfies Record<CrmLink['kind'], string>

/**
 * The Idempotency-Key of a CRM user's message. A message with several files becomes several here; all but the first
 * have a number in the key.
 */
export const keyOf = (kind: CrmLink['kind'], externalId: string, part: number): string =>
  `${PREFIX[kind]}${externalId}${part === 0 ? '' : `#${part}`}`
