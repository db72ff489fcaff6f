import type { ServiceNotice } from '../contract/service-notice.ts'
import type { ConsoleRole, Contract } from '../contract/operation.ts'
import type { Network } from '../contract/shapes.ts'
import type { Chore } from '../kernel/housekeeping.ts'
import type { AccountId } from '../kernel/ids.ts'
import type { Existence, Handler, Handlers, ServedOperation } from './handler.ts'

/** Something a person should look at. The window has the words, `<room>.attention.<code>`, and knows where it leads. */
export interface AttentionLine {
  /** Unique within the room. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** How many things it concerns; at least 1. */
  readonly count: number
  /** The thing, if it concerns a single one. */
  readonly subject: { readonly id: string; readonly name: string } | null
  /** The ids of all of them, if a list can show only these. */
  readonly ids?: readonly string[]
  readonly sinceMs: number | null
  /** A sentence, if the code alone does not say what is wrong. */
  readonly text: string | null
  /** The same for the words of the window: a code within that of the line, and its values. */
  readonly detail?: { readonly code: string; readonly params: Readonly<Record<string, string>> }
}

export interface AttentionQuery {
  readonly accountId: AccountId
  /** Of the person who looks. What concerns the computer is for operators. */
  readonly role: ConsoleRole | null
  /** Only what concerns this network; null: both. */
  readonly network: Network | null
}

/** A room's part in the life of the service. A room leaves out what it does not need. */
interface RoomLife {
  /** Before the service listens, in the order of the list: takes up what an earlier process left unfinished. */
  readonly recover?: (() => Promise<unknown>) | undefined
  /** After the engines have begun and the door listens, in the order of the list. */
  readonly start?: (() => unknown) | undefined
  /** Ends the work in flight within `drainMs` and records it. All rooms stop in parallel, while the door is closing. */
  readonly stop?: ((drainMs: number) => Promise<void>) | undefined
  /** After the engines have closed, in the reverse order of the list: releases timers and buffers. */
  readonly close?: (() => unknown) | undefined
  /** Housekeeping, run once an hour. */
  readonly chores?: readonly Chore[] | undefined
  /** What the person at this machine should know now; sentences. */
  readonly problems?: (() => readonly ServiceNotice[]) | undefined
  /** Its lines of the overview. */
  readonly attention?: ((query: AttentionQuery) => Promise<readonly AttentionLine[]>) | undefined
}

/** A capability as the composition root sees it (service/rooms.ts has the list). */
export interface Room<Api = unknown> extends RoomLife {
  /** The name of its folder. */
  readonly name: string
  readonly operations: readonly ServedOperation[]
  /** What other rooms may use. */
  readonly api: Api
}

interface RoomParts<C extends Contract, Api> extends RoomLife {
  readonly name: string
  readonly contract: C
  readonly handlers: Handlers<C>
  readonly existence?: Existence<C>
  readonly api: Api
}

/** Puts a room together. A missing handler does not compile. */
export function room<C extends Contract, Api>(parts: RoomParts<C, Api>): Room<Api> {
  const { contract, handlers, existence, ...rest } = parts
  const operations = Object.entries(contract).map(([id, operation]) => {
    // Both have only names of C, and each entry was checked against its own operation when it was written.
    return { operation, handler: handlers[id] as Handler, exists: existence?.[id] }
  })
  return { ...rest, operations }
}
