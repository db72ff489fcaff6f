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
export const SCOPE_SYNONYMS = {
  'instances:manage': 'instances:write',
  'ai:manage': 'ai:write',
} as const satisfies Record<string, Scope>

export type ScopeSynonym = keyof typeof SCOPE_SYNONYMS

/** Every word a key may be created with: the scopes and their synonyms. */
export const SCOPE_WORDS = [...SCOPES, ...(Object.keys(SCOPE_SYNONYMS) as ScopeSynonym[])] as const

export type ScopeWord = (typeof SCOPE_WORDS)[number]

export function isScopeWord(word: string): word is ScopeWord {
  return (SCOPE_WORDS as readonly string[]).includes(word)
}

/** The scope a word stands for: itself, or what it is a synonym of. */
function scopeOf(word: ScopeWord): Scope {
  return word in SCOPE_SYNONYMS ? SCOPE_SYNONYMS[word as ScopeSynonym] : (word as Scope)
}

/** Whether a key with these words may do what asks for `needed`. `:write` does not imply `:read`. */
export function grants(words: readonly ScopeWord[], needed: Scope): boolean {
  return words.some((word) => scopeOf(word) === needed)
}
