/** The scopes, in the order of the spec (Authentication). */
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

/** Former scope names that older keys still have (spec: Authentication and Versioning). */
export const SCOPE_ALIASES = {
  'instances:manage': 'instances:write',
  'ai:manage': 'ai:write',
} as const satisfies Record<string, Scope>

export type ScopeAlias = keyof typeof SCOPE_ALIASES

/** Every scope name a new key may use: current and former ones. */
export const ACCEPTED_SCOPES = [...SCOPES, ...(Object.keys(SCOPE_ALIASES) as ScopeAlias[])] as const

export type AcceptedScope = (typeof ACCEPTED_SCOPES)[number]

export function isAcceptedScope(name: string): name is AcceptedScope {
  return (ACCEPTED_SCOPES as readonly string[]).includes(name)
}

/** Resolves a former name to the current scope. */
function scopeOf(name: AcceptedScope): Scope {
  return name in SCOPE_ALIASES ? SCOPE_ALIASES[name as ScopeAlias] : (name as Scope)
}

/** Whether a key with these scopes has `needed`. `:write` does not imply `:read`. */
export function grants(scopes: readonly AcceptedScope[], needed: Scope): boolean {
  return scopes.some((scope) => scopeOf(scope) === needed)
}
