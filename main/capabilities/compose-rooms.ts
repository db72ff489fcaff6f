import type { ServiceNotice } from '../contract/service-notice.ts'
import type { ApiOf, AttentionLine, AttentionQuery, Room, RoomDefinition } from './room.ts'

type AnyRoom = RoomDefinition<unknown, never>

/** The dependencies of all these rooms, apart from each other. */
type DepsOf<R> = (R extends RoomDefinition<unknown, infer Deps> ? (deps: Deps) => void : never) extends (
  deps: infer All,
) => void
  ? All
  : never

/** The API of a room that was built. @throws Error before it is built. */
export type FindRoom = <R extends AnyRoom>(room: R) => ApiOf<R>

export interface Composition {
  /** Each room comes after those that it uses, otherwise in the order of the list. */
  readonly rooms: readonly Room[]
  readonly find: FindRoom
  /** What needs attention in any room, with the room's name. */
  attention(query: AttentionQuery): Promise<(AttentionLine & { readonly room: string })[]>
  /** Notices of all rooms for a person who maintains the service. */
  problems(): ServiceNotice[]
}

/**
 * Builds every room after the rooms that it uses.
 * @param makeDeps its `find` is for functions called once the service runs, because a room that uses a later one
 * would be a cycle.
 * @throws Error if a room uses one that is missing from the list, or two rooms have the same name.
 */
export function composeRooms<const Rooms extends readonly AnyRoom[]>(
  list: Rooms,
  makeDeps: (find: FindRoom) => DepsOf<Rooms[number]>,
): Composition {
  const built = new Map<AnyRoom, Room>()
  const find: FindRoom = (room) => {
    const found = built.get(room)
    if (found === undefined) throw new Error(`The room ${room.name} is not built yet.`)
    return found.api as ApiOf<typeof room>
  }
  const deps = makeDeps(find)
  for (const room of inOrder(list)) {
    const used = Object.entries(room.uses).map(([name, other]) => [name, find(other)] as const)
    // The types check for the whole list that each room gets what it needs.
    built.set(room, room.build(deps as never, Object.fromEntries(used)))
  }
  const rooms = [...built.values()]
  return {
    rooms,
    find,
    async attention(query) {
      const lines = rooms.map(async ({ name, attention }) =>
        ((await attention?.(query)) ?? []).map((line) => ({ ...line, room: name })),
      )
      return (await Promise.all(lines)).flat()
    },
    problems: () => rooms.flatMap((room) => room.problems?.() ?? []),
  }
}

/** @throws Error */
export function inOrder(list: readonly AnyRoom[]): readonly AnyRoom[] {
  const names = new Set(list.map(({ name }) => name))
  if (names.size !== list.length) throw new Error('Two rooms have the same name.')
  const ordered = new Set<AnyRoom>()
  const visit = (room: AnyRoom, path: readonly AnyRoom[]) => {
    if (ordered.has(room)) return
    const trace = [...path, room].map(({ name }) => name).join(' → ')
    if (path.includes(room)) throw new Error(`Rooms use each other in a circle: ${trace}.`)
    if (!list.includes(room)) throw new Error(`A room is used that is not in the list: ${trace}.`)
    for (const other of Object.values(room.uses)) visit(other, [...path, room])
    ordered.add(room)
  }
  for (const room of list) visit(room, [])
  return [...ordered]
}
