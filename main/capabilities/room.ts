import type { ServiceNotice } from '../contract/service-notice.ts'
import type { ConsoleRole, Contract } from '../contract/operation.ts'
import type { Network } from '../contract/shapes.ts'
import type { Chore } from '../kernel/housekeeping.ts'
import type { IssueFacts } from '../engines/engine.ts'
import type { AccountId } from '../kernel/ids.ts'
import type { MovePerson } from '../kernel/person-move.ts'
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
  /** What is known of all issues that the line is about. */
  readonly facts?: IssueFacts
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
  /** Before the service listens, after the rooms that this one uses: takes up what an earlier process left unfinished. */
  readonly recover?: (() => Promise<unknown>) | undefined
  /** After the engines have begun and the door listens, and after the rooms that this one uses. */
  readonly start?: (() => unknown) | undefined
  /** Ends the work in flight within `drainMs` and records it. All rooms stop in parallel, while the door is closing. */
  readonly stop?: ((drainMs: number) => Promise<void>) | undefined
  /** After the engines have closed, and before the rooms that this one uses: releases timers and buffers. */
  readonly close?: (() => unknown) | undefined
  /** Housekeeping, run once an hour. */
  readonly chores?: readonly Chore[] | undefined
  /** What the person at this machine should know now; sentences. */
  readonly problems?: (() => readonly ServiceNotice[]) | undefined
  /** Its lines of the overview. */
  readonly attention?: ((query: AttentionQuery) => Promise<readonly AttentionLine[]>) | undefined
  /** In the commit in which two names turn out to be one person: moves what this room keeps under the old name. */
  readonly movePerson?: MovePerson | undefined
}

/** A room that was built. */
export interface Room<Api = unknown> extends RoomLife {
  /** The name of its folder. */
  readonly name: string
  readonly operations: readonly ServedOperation[]
  /** What other rooms may use. */
  readonly api: Api
}

/** What a room builds: how its operations are carried out, what other rooms may use, and its part in the service's life. */
interface RoomParts<C extends Contract, Api> extends RoomLife {
  readonly handlers: Handlers<C>
  readonly existence?: Existence<C>
  readonly api: Api
}

/** A room as a value: what it is called, what it uses, and how it is built. rooms.ts has the list. */
export interface RoomDefinition<Api, Deps> {
  readonly name: string
  readonly uses: UsedRooms
  /** @param rooms what `uses` names. */
  readonly build: (deps: Deps, rooms: Readonly<Record<string, unknown>>) => Room<Api>
}

/** Other rooms, under the names that `build` knows them by. */
export type UsedRooms = Readonly<Record<string, RoomDefinition<unknown, never>>>

export type ApiOf<R> = R extends RoomDefinition<infer Api, never> ? Api : never

/**
 * Defines a room. `uses` decides the types of what `build` is given, which rooms are built and started before this one,
 * and which other rooms' files this one may import. A missing handler does not compile.
 */
export function defineRoom<C extends Contract, Uses extends UsedRooms, Deps, Api>(definition: {
  /** The name of its folder. */
  readonly name: string
  readonly contract: C
  readonly uses: Uses
  /** @param deps what no room owns: storage, time, ways out of the process. */
  readonly build: (deps: Deps, rooms: { readonly [K in keyof Uses]: ApiOf<Uses[K]> }) => RoomParts<C, Api>
}): RoomDefinition<Api, Deps> {
  const { name, contract, uses, build } = definition
  return {
    name,
    uses,
    build(deps, rooms) {
      const { handlers, existence, ...rest } = build(deps, rooms as Parameters<typeof build>[1])
      const operations = Object.entries(contract).map(([id, operation]) => {
        // Both have only names of C, and each entry was checked against its own operation when it was written.
        return { operation, handler: handlers[id] as Handler, exists: existence?.[id] }
      })
      return { ...rest, name, operations }
    },
  }
}
