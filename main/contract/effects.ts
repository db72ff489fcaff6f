import type { ApprovalPolicy } from './approval.ts'

/** The consequences of an effect. Request checks, approvals, MCP and the API document use it. */
interface EffectRule {
  /** For the API document. */
  readonly about: string
  /** The weakest policy under which a call of an assistant needs approval. `always`: no key can turn it off. */
  readonly asksUnder: 'always' | 'destructive' | 'sending'
  /** A suspended account may not make the call: 403 `account_suspended`. */
  readonly closedWhenSuspended: boolean
  /** An account that owes money may not make the call: 409 `invalid_state`. */
  readonly closedWhenFrozen: boolean
  /** MCP `openWorldHint`: it touches people or systems outside the service. */
  readonly openWorld: boolean
}

const open = { closedWhenSuspended: false, closedWhenFrozen: false } as const

/**
 * What a call can do besides changing records of its account. An injected message can make an assistant call anything
 * its key allows, so an operation declares what it can do at most; `test/faces/effects.test.ts` records what it does.
 * Reading, receiving, exporting, disconnecting and paying stay open to suspended and frozen accounts.
 */
export const EFFECTS = {
  people: {
    about: 'reaches people now, or starts what does: messages, read marks, group changes, calls, pairing code requests',
    asksUnder: 'sending',
    ...{ closedWhenSuspended: true, closedWhenFrozen: true, openWorld: true },
  },
  people_later: {
    about: 'changes what people receive later, or who does: agents, FAQ, contacts, opt-outs',
    asksUnder: 'sending',
    ...{ ...open, openWorld: false },
  },
  outbound: {
    about: 'sends data of the account to a destination that was set before: tests, replays, models and tools of agents',
    asksUnder: 'destructive',
    ...{ closedWhenSuspended: true, closedWhenFrozen: false, openWorld: true },
  },
  simulated_people: {
    about: 'lets a simulated person write or call, whom agents may answer with their models and tools',
    asksUnder: 'destructive',
    ...{ ...open, openWorld: true },
  },
  destination: {
    about: 'sets where data goes from now on: URLs, allowed origins, proxies, credentials of other services',
    asksUnder: 'destructive',
    ...{ ...open, openWorld: true },
  },
  access: {
    about: 'creates a key, secret or password, or lets somebody in',
    asksUnder: 'destructive',
    ...{ ...open, openWorld: false },
  },
  invitation: {
    about: 'creates a link that lets somebody in who has no key',
    asksUnder: 'destructive',
    ...{ closedWhenSuspended: true, closedWhenFrozen: false, openWorld: false },
  },
  connection: {
    about: 'connects a number again, or ends its connection',
    asksUnder: 'destructive',
    ...{ ...open, openWorld: true },
  },
  money: {
    about: 'spends or moves money',
    asksUnder: 'always',
    ...{ ...open, openWorld: true },
  },
  removal: {
    about: 'removes or ends something',
    asksUnder: 'destructive',
    ...{ ...open, openWorld: false },
  },
} as const satisfies Record<string, EffectRule>

export type Effect = keyof typeof EFFECTS
export const EFFECT_NAMES = Object.keys(EFFECTS) as readonly Effect[]

/** For an operation whose arguments decide. */
interface EffectsByArgument {
  /**
   * Arguments of the path, query or body; `config.budget` is a field of one. Their values, joined by `/`, are the keys of
   * `effects`; '' if missing. A field of an argument that is null is not missing: its key is `null`.
   */
  readonly by: readonly string[]
  readonly effects: Readonly<Record<string, readonly Effect[]>>
  /** Effects of every value that is not listed. */
  readonly otherwise: readonly Effect[]
}

/** An empty list: the operation only reads, or changes records of its own account without reaching anybody. */
export type Effects = readonly Effect[] | EffectsByArgument

interface Declared {
  readonly effects: Effects
}

type Arguments = Readonly<Record<string, unknown>>

/** @param args values of path, query and body. Without them: every effect that a call of the operation can have. */
export function effectsOf({ effects }: Declared, args?: Arguments): readonly Effect[] {
  if (!('by' in effects)) return effects
  const { by, effects: listed, otherwise } = effects
  if (args === undefined)
    return EFFECT_NAMES.filter((name) => [...Object.values(listed), otherwise].flat().includes(name))
  const value = by.map((name) => wordOf(argumentAt(args, name))).join('/')
  return Object.hasOwn(listed, value) ? (listed[value] ?? otherwise) : otherwise
}

function argumentAt(args: Arguments, name: string): unknown {
  const [first = '', field] = name.split('.')
  const argument = args[first]
  if (field === undefined) return argument
  if (typeof argument !== 'object' || argument === null) return undefined
  const value: unknown = (argument as Arguments)[field]
  return value === null ? 'null' : value
}

/** A value that is not a word is never listed, so `otherwise` applies. */
function wordOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Whether a call of an assistant needs a person's approval. @param args as in `effectsOf`. */
export function needsApproval(policy: ApprovalPolicy, operation: Declared, args?: Arguments): boolean {
  return effectsOf(operation, args).some((effect) => {
    const { asksUnder } = EFFECTS[effect]
    return asksUnder === 'always' || policy === 'sending' || policy === asksUnder
  })
}

/** @param args as in `effectsOf`. */
export const isClosedWhenSuspended = (operation: Declared, args?: Arguments): boolean =>
  effectsOf(operation, args).some((effect) => EFFECTS[effect].closedWhenSuspended)

/** @param args as in `effectsOf`. */
export const isClosedWhenFrozen = (operation: Declared, args?: Arguments): boolean =>
  effectsOf(operation, args).some((effect) => EFFECTS[effect].closedWhenFrozen)

/** Whether the call removes or ends something: clients ask a person first. @param args as in `effectsOf`. */
export const isDestructive = (operation: Declared, args?: Arguments): boolean =>
  effectsOf(operation, args).includes('removal')

export const isOpenWorld = (operation: Declared): boolean =>
  effectsOf(operation).some((effect) => EFFECTS[effect].openWorld)
