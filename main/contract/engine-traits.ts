import type { Engine } from './shapes.ts'

/** How a kind of number works, for the rules that depend on it. What it can do is in `abilities.ts`. */
export interface EngineTraits {
  /** A phone that is linked with a code; otherwise a number of a business account, connected on Meta's pages. */
  readonly isLinkedPhone: boolean
  /**
   * Who has not written for 24 hours gets a template and nothing else. Messages may then be Cloud API payloads, and
   * have buttons and lists.
   */
  readonly needsTemplates: boolean
  /** The new people it may write to are counted for all numbers of its portfolio; otherwise for each number and day. */
  readonly sharesLimit: boolean
  /** The network charges for messages. */
  readonly isBilled: boolean
  /** Only files that Meta's documentation names are taken. */
  readonly hasMediaRules: boolean
  /** Short videos can repeat like a GIF. */
  readonly hasGifs: boolean
  /** It can be asked which numbers have WhatsApp. */
  readonly checksNumbers: boolean
  /** Meta's user ids are addresses, too. */
  readonly hasUserIds: boolean
  /** Groups take mentions and interactive messages as other chats do. */
  readonly hasFullGroups: boolean
  /** The events that its own webhook gets can be chosen; otherwise it gets all. */
  readonly choosesEvents: boolean
  /** WhatsApp carries calls to and from it. */
  readonly hasCalls: boolean
}

/** Sandbox numbers have the traits of the engine they simulate. */
export const TRAITS: Readonly<Record<Engine, EngineTraits>> = {
  smv2: {
    ...{ isLinkedPhone: true, needsTemplates: false, sharesLimit: false, isBilled: false, hasMediaRules: false },
    ...{ hasGifs: true, checksNumbers: true, hasUserIds: false, hasFullGroups: true, choosesEvents: true },
    hasCalls: false,
  },
  official: {
    ...{ isLinkedPhone: false, needsTemplates: true, sharesLimit: true, isBilled: true, hasMediaRules: true },
    ...{ hasGifs: false, checksNumbers: false, hasUserIds: true, hasFullGroups: false, choosesEvents: false },
    hasCalls: true,
  },
}
