import type { Engine } from './shapes.ts'

/** Properties of an engine on which rules depend. Its abilities are in `abilities.ts`. */
export interface EngineTraits {
  /** A phone linked with a code; otherwise a number of a business account, connected on Meta's pages. */
  readonly isLinkedPhone: boolean
  /**
   * A person who has not written for 24 hours can only get a template. Messages may be Cloud API payloads, with
   * buttons and lists.
   */
  readonly needsTemplates: boolean
  /** First contacts are counted for all numbers of a portfolio; otherwise per number and day. */
  readonly sharesLimit: boolean
  /** The network charges for messages. */
  readonly isBilled: boolean
  /** Only file types in Meta's documentation are accepted. */
  readonly hasMediaRules: boolean
  /** Short videos can repeat like a GIF. */
  readonly hasGifs: boolean
  /** It can check which numbers are on WhatsApp. */
  readonly checksNumbers: boolean
  /** Meta's user ids are valid recipients. */
  readonly hasUserIds: boolean
  /** Groups support mentions and interactive messages like other chats. */
  readonly hasFullGroups: boolean
  /** The events of the instance webhook can be chosen; otherwise it gets all. */
  readonly choosesEvents: boolean
  /** It supports WhatsApp calls. */
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
