import { SCOPE_ALIASES, SCOPES, type Scope, type AcceptedScope } from '../../../main/contract/scopes.ts'

/** The scopes of one area: usually one for reading, and others for actions. */
export interface Area {
  readonly area: string
  readonly icon: string
  readonly scopes: readonly Scope[]
}

/** In the order of the spec's table. The first three are what most keys need; the others are collapsed. */
export const AREAS: readonly Area[] = [
  { area: 'instances', icon: 'i-lucide-smartphone', scopes: ['instances:read', 'instances:write'] },
  { area: 'messages', icon: 'i-lucide-messages-square', scopes: ['messages:read', 'messages:send'] },
  { area: 'webhooks', icon: 'i-lucide-webhook', scopes: ['webhooks:read', 'webhooks:write'] },
  { area: 'ai', icon: 'i-lucide-sparkles', scopes: ['ai:read', 'ai:write'] },
  { area: 'voice', icon: 'i-lucide-phone', scopes: ['voice:read', 'voice:manage'] },
  { area: 'dispatch', icon: 'i-lucide-megaphone', scopes: ['dispatch:read', 'dispatch:manage'] },
  { area: 'billing', icon: 'i-lucide-credit-card', scopes: ['billing:read', 'billing:purchase'] },
  { area: 'ghl', icon: 'i-lucide-plug', scopes: ['ghl:manage'] },
  { area: 'agency', icon: 'i-lucide-building-2', scopes: ['agency:read', 'agency:manage'] },
  { area: 'links', icon: 'i-lucide-link', scopes: ['links:generate'] },
]
export const USUAL_AREAS = 3

/**
 * The areas with only the scopes that some operation of this version requires.
 * @param inUse scopes that at least one operation requires.
 */
export const areasInUse = (inUse: readonly Scope[]): readonly Area[] =>
  AREAS.map((area) => ({ ...area, scopes: area.scopes.filter((scope) => inUse.includes(scope)) })) //
    .filter(({ scopes }) => scopes.length > 0)

/** `messages:send` → `send`, which the locales show as a verb. */
export const verbOf = (scope: Scope): string => scope.slice(scope.indexOf(':') + 1)

/** Replaces the synonyms that older keys contain with today's scopes. */
function scopesOf(words: readonly AcceptedScope[]): ReadonlySet<Scope> {
  return new Set(words.map((word) => (word in SCOPE_ALIASES ? SCOPE_ALIASES[word as never] : word) as Scope))
}

export const isEverything = (words: readonly AcceptedScope[]): boolean => scopesOf(words).size === SCOPES.length

/** The permissions of a key by area, for a sentence such as “Messages: read, send”. */
export function permissionsOf(words: readonly AcceptedScope[]): { area: string; verbs: string[] }[] {
  const granted = scopesOf(words)
  return AREAS.map(({ area, scopes }) => ({ area, verbs: scopes.filter((scope) => granted.has(scope)).map(verbOf) })) //
    .filter(({ verbs }) => verbs.length > 0)
}

/** A key may act without reading, but a person who selects “send” rarely wants that, so reading is selected too. */
export function withScope(chosen: readonly Scope[], scope: Scope, isOn: boolean): Scope[] {
  const next = new Set(chosen)
  const reading = AREAS.find(({ scopes }) => scopes.includes(scope))?.scopes.find((one) => verbOf(one) === 'read')
  if (isOn) next.add(scope)
  else next.delete(scope)
  if (isOn && reading !== undefined) next.add(reading)
  return SCOPES.filter((one) => next.has(one))
}
