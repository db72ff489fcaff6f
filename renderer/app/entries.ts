import type { Ref } from 'vue'
import type { Feature } from '../../main/contract/features.ts'

/** Groups of the sidebar, in order. `top` and `bottom` have no heading. */
export const GROUPS = ['top', 'numbers', 'engage', 'automate', 'agency', 'developers', 'bottom'] as const
type Group = (typeof GROUPS)[number]

/** The badge of a sidebar entry: what needs a person. */
interface Badge {
  readonly count: number
  /** Locale key, counted: “1 call waits for approval”. */
  readonly words: string
  /** Default: warning. */
  readonly color?: 'primary' | 'warning'
}

/** How the overview shows an issue. */
export interface AttentionDisplay {
  /** Locale key of `text` (with a count), and of `act` if it has an action. */
  readonly words: string
  readonly icon: string
  /** Uses the texts of a health issue: `title`, and `text` for what to do. */
  readonly isIssue?: boolean
  /** Locale key of what to do, for other issues. */
  readonly help?: string
  /**
   * Target of its action; absent: the person can do nothing here. @param id of the object, if the issue concerns a
   * single one.
   */
  readonly to?: (id: string | null) => string
  /** For an issue of a client: the route in the client's account that shows it. */
  readonly inClient?: (params: Readonly<Record<string, string>>) => string
  /** A list that can be filtered to the affected objects: useAttention(). */
  readonly list?: string
}

/** A room's entry in the sidebar, the palette and the shortcuts. */
export interface Entry {
  /** Locale key of its name. */
  readonly words: string
  readonly group: Group
  /** Order within the group. */
  readonly order: number
  /** Paths below it belong to the entry. */
  readonly path: string
  /** Link target; default: its path. */
  readonly to?: string
  readonly icon: string
  /** Shown only to this role. */
  readonly role?: 'operator'
  /** Shown only in accounts with this feature. */
  readonly feature?: Feature
  /** Shown only in the operator's own account, not in a client's. */
  readonly isOwnAccount?: boolean
  /** Key to press after `g`. */
  readonly key?: string
  /** Called when the window frame is set up. */
  readonly useBadge?: () => Readonly<Ref<Badge>>
}

/** A command of the palette. */
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

/** Objects that the palette finds by name. */
export interface PaletteFinds {
  readonly items: Readonly<Ref<readonly PaletteItem[]>>
  /** Called when the palette opens. */
  readonly load?: () => Promise<unknown>
  /** Called shortly after typing; the items are the matches. Without it, the palette searches the items. */
  readonly search?: (words: string) => Promise<unknown>
}

/** A kind of ID that the palette recognizes when pasted completely. */
export interface KnownId {
  readonly pattern: RegExp
  /** Locale key of its kind. */
  readonly words: string
  readonly icon: string
  readonly to: (id: string) => string
}

export interface RoomEntries {
  readonly entries: readonly Entry[]
  /** Paths of the room that belong to another room's entry: `{ '/recordings': '/calls' }`. */
  readonly under?: Readonly<Record<string, string>>
  readonly actions?: readonly PaletteAction[]
  readonly ids?: readonly KnownId[]
  /** Its objects in the palette. `use` is called when the window frame is set up. */
  readonly finds?: { readonly words: string; readonly use: () => PaletteFinds }
  /** Its overview issues, by room and code of the service: `instances.banned`. */
  readonly attention?: Readonly<Record<string, AttentionDisplay>>
}

const modules = import.meta.glob<{ default: RoomEntries }>('../rooms/*/entry.ts', { eager: true })
const rooms = Object.values(modules).map((module) => module.default)

/** Every entry, in sidebar order. */
export const ENTRIES: readonly Entry[] = rooms
  .flatMap(({ entries }) => entries)
  .toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || a.order - b.order)

/** Commands of the palette. */
export const ACTIONS: readonly PaletteAction[] = rooms.flatMap(({ actions = [] }) => actions)

/** Objects that the palette finds by name, besides numbers. */
export const FINDS = rooms.flatMap(({ finds }) => finds ?? [])

/** Undefined if the text is not an ID with a screen in this window. */
export const findKnownId = (text: string): KnownId | undefined =>
  rooms.flatMap(({ ids = [] }) => ids).find(({ pattern }) => pattern.test(text))

/** Undefined for an issue that this window does not know. */
export const findAttentionDisplay = (room: string, code: string): AttentionDisplay | undefined =>
  rooms.find(({ attention }) => attention?.[`${room}.${code}`])?.attention?.[`${room}.${code}`]

/** Link target of an issue: its single object, or the list of exactly those it counted. */
export function attentionTarget(room: string, code: string, id: string | null): string | undefined {
  const { to, list } = findAttentionDisplay(room, code) ?? {}
  return id === null && list !== undefined ? `${list}?attention=${room}.${code}` : to?.(id)
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`)

const UNDER: readonly (readonly [path: string, entry: string])[] = rooms.flatMap(({ under = {} }) =>
  Object.entries(under),
)

/** The entry of a path: the one with the longest matching prefix. */
export const entryOf = (path: string): Entry | undefined => {
  const place = UNDER.find(([part]) => isWithin(path, part))?.[1] ?? path
  return ENTRIES.filter((entry) => isWithin(place, entry.path)).toSorted((a, b) => b.path.length - a.path.length)[0]
}
