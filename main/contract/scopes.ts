/** The scopes of the spec (Authentication), in its order. */
export const SCOPES = [
  'instances:read',
  'instances:write',
  'messages:send',
  'messages:read',
  'webhooks:read',
  'webhooks:write',
  'ai:read',
  'ai:write',
  'voice:read',
  'voice:manage',
  'dispatch:read',
  'dispatch:manage',
  'billing:read',
  'billing:purchase',
  'ghl:manage',
  'agency:read',
  'agency:manage',
  'links:generate',
] as const

export type Scope = (typeof SCOPES)[number]

/** Names older keys still carry; each equals one scope of today (spec: Authentication and Versioning). */
export const SCOPE_ALIASES = {
  'instances:manage': 'instances:write',
  'ai:manage': 'ai:write',
} as const satisfies Record<string, Scope>

export type ScopeAlias = keyof typeof SCOPE_ALIASES

/** Every word a key may be created with: the scopes and their synonyms. */
export const ACCEPTED_SCOPES = [...SCOPES, ...(Object.keys(SCOPE_ALIASES) as ScopeAlias[])] as const

export type AcceptedScope = (typeof ACCEPTED_SCOPES)[number]

export function isAcceptedScope(word: string): word is AcceptedScope {
  return (ACCEPTED_SCOPES as readonly string[]).includes(word)
}

/** The scope a word stands for: itself, or what it is a synonym of. */
function scopeOf(word: AcceptedScope): Scope {
  return word in SCOPE_ALIASES ? SCOPE_ALIASES[word as ScopeAlias] : (word as Scope)
}

/** Whether a key with these words may do what asks for `needed`. `:write` does not imply `:read`. */
export function grants(words: readonly AcceptedScope[], needed: Scope): boolean {
  return words.some((word) => scopeOf(word) === needed)
}
