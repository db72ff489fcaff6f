import type { Ref } from 'vue'
import type { Feature } from '../../main/contract/features.ts'

/** Groups of the sidebar, in their order. `top` and `bottom` have no heading. */
export const GROUPS = ['top', 'numbers', 'engage', 'automate', 'agency', 'developers', 'bottom'] as const
type Group = (typeof GROUPS)[number]

/** What waits for a person, beside an entry of the sidebar. */
interface Badge {
  readonly count: number
  /** Locale key, counted: “1 call waits for approval”. */
  readonly words: string
  /** Default: warning. */
  readonly color?: 'primary' | 'warning'
}

/** How the overview shows a line of what needs attention. */
export interface AttentionDisplay {
  /** Locale key of `text` (counted), and of `act` unless there is no action. */
  readonly words: string
  readonly icon: string
  /** Its words are those of a health issue: `title`, and `text` says what to do. */
  readonly isIssue?: boolean
  /** Locale key of what to do, for other lines. */
  readonly help?: string
  /** Where its action leads; absent: the person can do nothing here. @param id of the thing, if the line concerns a single one. */
  readonly to?: (id: string | null) => string
  /** Of a line about a client: the route in its account that shows what the line is about. */
  readonly inClient?: (params: Readonly<Record<string, string>>) => string
  /** A list that can show several of them, and only them: useAttention(). */
  readonly list?: string
}

/** A room's place in the sidebar, the palette and the shortcuts. */
export interface Entry {
  /** Locale key of its name. */
  readonly words: string
  readonly group: Group
  /** Within the group. */
  readonly order: number
  /** What lies under it belongs to the entry. */
  readonly path: string
  /** Where it leads; default: its path. */
  readonly to?: string
  readonly icon: string
  /** Absent for others. */
  readonly role?: 'operator'
  /** Absent in an account that may not use it. */
  readonly feature?: Feature
  /** Only in the operator's own account, not in that of a client. */
  readonly isOwnAccount?: boolean
  /** Pressed after `g`. */
  readonly key?: string
  /** Called while the frame is set up. */
  readonly useBadge?: () => Readonly<Ref<Badge>>
}

/** Something the palette does. */
export interface PaletteAction {
  readonly words: string
  readonly icon: string
  readonly to: string
}

interface PaletteItem {
  readonly label: string
  readonly suffix?: string
  readonly icon: string
  readonly to: string
}

/** What the palette finds by name. */
export interface PaletteFinds {
  readonly items: Readonly<Ref<readonly PaletteItem[]>>
  /** Called when the palette opens. */
  readonly load?: () => Promise<unknown>
  /** Called a moment after words were typed; the items are what matches them. Without it, the palette searches the items. */
  readonly search?: (words: string) => Promise<unknown>
}

/** A kind of ID the palette recognizes when one is pasted whole. */
export interface KnownId {
  readonly pattern: RegExp
  /** Locale key of what it is. */
  readonly words: string
  readonly icon: string
  readonly to: (id: string) => string
}

export interface RoomEntries {
  readonly entries: readonly Entry[]
  /** Paths of the room that belong to the entry of another one: `{ '/recordings': '/calls' }`. */
  readonly under?: Readonly<Record<string, string>>
  readonly actions?: readonly PaletteAction[]
  readonly ids?: readonly KnownId[]
  /** Its things in the palette. `use` is called while the frame is set up. */
  readonly finds?: { readonly words: string; readonly use: () => PaletteFinds }
  /** Its lines of the overview, by room and code of the service: `instances.banned`. */
  readonly attention?: Readonly<Record<string, AttentionDisplay>>
}

const modules = import.meta.glob<{ default: RoomEntries }>('../rooms/*/entry.ts', { eager: true })
const rooms = Object.values(modules).map((module) => module.default)

/** Every entry, in the order of the sidebar. */
export const ENTRIES: readonly Entry[] = rooms
  .flatMap(({ entries }) => entries)
  .toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || a.order - b.order)

/** What the palette can do. */
export const ACTIONS: readonly PaletteAction[] = rooms.flatMap(({ actions = [] }) => actions)

/** What the palette finds by name, besides numbers. */
export const FINDS = rooms.flatMap(({ finds }) => finds ?? [])

/** Undefined if the text is no ID this window has a screen for. */
export const findKnownId = (text: string): KnownId | undefined =>
  rooms.flatMap(({ ids = [] }) => ids).find(({ pattern }) => pattern.test(text))

/** Undefined for a line that this window does not know. */
export const findAttentionDisplay = (room: string, code: string): AttentionDisplay | undefined =>
  rooms.find(({ attention }) => attention?.[`${room}.${code}`])?.attention?.[`${room}.${code}`]

/** Where the action of a line leads: to the one thing it is about, or to the list of exactly those it counted. */
export function attentionTarget(room: string, code: string, id: string | null): string | undefined {
  const { to, list } = findAttentionDisplay(room, code) ?? {}
  return id === null && list !== undefined ? `${list}?attention=${room}.${code}` : to?.(id)
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`)

const UNDER: readonly (readonly [path: string, entry: string])[] = rooms.flatMap(({ under = {} }) =>
  Object.entries(under),
)

/** The entry a path belongs to: the longest that begins it. */
export const entryOf = (path: string): Entry | undefined => {
  const place = UNDER.find(([part]) => isWithin(path, part))?.[1] ?? path
  return ENTRIES.filter((entry) => isWithin(place, entry.path)).toSorted((a, b) => b.path.length - a.path.length)[0]
}
