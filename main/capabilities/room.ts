import type { ServiceNotice } from '../contract/service-notice.ts'
import type { ConsoleRole, Contract } from '../contract/operation.ts'
import type { Network } from '../contract/shapes.ts'
import type { Chore } from '../kernel/housekeeping.ts'
import type { IssueFacts } from '../engines/engine.ts'
import type { AccountId } from '../kernel/ids.ts'
import type { MovePerson } from '../kernel/person-move.ts'
import type { Existence, Handler, Handlers, ServedOperation } from './handler.ts'

/** An issue for a person. The window has the text, `<room>.attention.<code>`, and knows the link. */
export interface AttentionLine {
  /** Unique within the room. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** Number of affected objects; at least 1. */
  readonly count: number
  /** The affected object, if there is only one. */
  readonly subject: { readonly id: string; readonly name: string } | null
  /** The ids of all affected objects, if a list can show only these. */
  readonly ids?: readonly string[]
  readonly sinceMs: number | null
  /** A sentence, if the code alone does not explain the problem. */
  readonly text: string | null
  /** The same for the window: a code below that of the issue, and its values. */
  readonly detail?: { readonly code: string; readonly params: Readonly<Record<string, string>> }
  /** Facts that all issues behind this entry share. */
  readonly facts?: IssueFacts
}

export interface AttentionQuery {
  readonly accountId: AccountId
  /** Role of the viewer. Issues of the computer are shown to operators only. */
  readonly role: ConsoleRole | null
  /** Only issues of this network; null: both. */
  readonly network: Network | null
}

/** A room's hooks in the life of the service. A room omits those it does not need. */
interface RoomLife {
  /**
   * Runs before the service listens, after the rooms that this one uses: resumes what an earlier process left
   * unfinished.
   */
  readonly recover?: (() => Promise<unknown>) | undefined
  /** Runs after the engines have started and the service listens, and after the rooms that this one uses. */
  readonly start?: (() => unknown) | undefined
  /**
   * Finishes running work within `drainMs` and records it. All rooms stop in parallel, while the HTTP server is
   * closing.
   */
  readonly stop?: ((drainMs: number) => Promise<void>) | undefined
  /** Runs after the engines have closed, and before the rooms that this one uses: releases timers and buffers. */
  readonly close?: (() => unknown) | undefined
  /** Maintenance that runs once an hour. */
  readonly chores?: readonly Chore[] | undefined
  /** Notices for the person at this machine, as sentences. */
  readonly problems?: (() => readonly ServiceNotice[]) | undefined
  /** Its issues for the overview. */
  readonly attention?: ((query: AttentionQuery) => Promise<readonly AttentionLine[]>) | undefined
  /** Runs in the commit that finds two names to be one person: moves what this room stores under the old name. */
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

/** What a room provides: its handlers, its API for other rooms, and its hooks in the life of the service. */
interface RoomParts<C extends Contract, Api> extends RoomLife {
  readonly handlers: Handlers<C>
  readonly existence?: Existence<C>
  readonly api: Api
}

/** The definition of a room: its name, the rooms it uses, and how it is built. rooms.ts has the list. */
export interface RoomDefinition<Api, Deps> {
  readonly name: string
  readonly uses: UsedRooms
  /** @param rooms the rooms named in `uses`. */
  readonly build: (deps: Deps, rooms: Readonly<Record<string, unknown>>) => Room<Api>
}

/** Other rooms, by the names that `build` uses. */
export type UsedRooms = Readonly<Record<string, RoomDefinition<unknown, never>>>

export type ApiOf<R> = R extends RoomDefinition<infer Api, never> ? Api : never

/**
 * Defines a room. `uses` determines the types of `build`'s arguments, the rooms that are built and started first, and
 * the rooms whose files may be imported. A missing handler does not compile.
 */
export function defineRoom<C extends Contract, Uses extends UsedRooms, Deps, Api>(definition: {
  /** The name of its folder. */
  readonly name: string
  readonly contract: C
  readonly uses: Uses
  /** @param deps what belongs to no room: storage, time, outbound connections. */
  readonly build: (deps: Deps, rooms: { readonly [K in keyof Uses]: ApiOf<Uses[K]> }) => RoomParts<C, Api>
}): RoomDefinition<Api, Deps> {
  const { name, contract, uses, build } = definition
  return {
    name,
    uses,
    build(deps, rooms) {
      const { handlers, existence, ...rest } = build(deps, rooms as Parameters<typeof build>[1])
      const operations = Object.entries(contract).map(([id, operation]) => {
        // Both have only operations of C, and each entry was type-checked against its own operation.
        return { operation, handler: handlers[id] as Handler, exists: existence?.[id] }
      })
      return { ...rest, name, operations }
    },
  }
}
