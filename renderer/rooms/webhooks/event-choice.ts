import { EVENT_TYPES, type EventType } from '../../../main/contract/events.ts'

export const AREA_NAMES = ['instance', 'message'] as const

export type Area = (typeof AREA_NAMES)[number]

/** The area of an event type is the first part of its name. Every type belongs to an area. */
type AreaOf<T extends EventType> = T extends `${infer A}.${string}` ? A : never
const areaOf = (type: EventType) => type.split('.')[0] as AreaOf<EventType> satisfies Area

/** In the order of the specification. */
export const AREAS = {
  instance: EVENT_TYPES.filter((type) => areaOf(type) === 'instance'),
  message: EVENT_TYPES.filter((type) => areaOf(type) === 'message'),
} as const satisfies Record<Area, readonly EventType[]>

/**
 * The events a webhook receives. `'*'` also includes types that are added later, so it differs from selecting every
 * type.
 */
export type Choice = readonly (EventType | '*')[]

export const isAll = (choice: Choice): boolean => choice.includes('*')

export const has = (choice: Choice, type: EventType): boolean => isAll(choice) || choice.includes(type)

/** `'some'` is shown as a dash in the checkbox of the area. */
export function standing(choice: Choice, area: Area): 'all' | 'some' | 'none' {
  const chosen = AREAS[area].filter((type) => has(choice, type)).length
  if (chosen === 0) return 'none'
  return chosen === AREAS[area].length ? 'all' : 'some'
}

/** In the order of the specification, not in the order of the clicks. */
const ordered = (wanted: (type: EventType) => boolean): Choice => EVENT_TYPES.filter(wanted)

export const toggleAll = (choice: Choice): Choice => (isAll(choice) ? [] : ['*'])

export const toggle = (choice: Choice, type: EventType): Choice =>
  ordered((other) => (other === type ? !has(choice, type) : has(choice, other)))

export function toggleArea(choice: Choice, area: Area): Choice {
  const isFull = standing(choice, area) === 'all'
  const types: readonly EventType[] = AREAS[area]
  return ordered((type) => (types.includes(type) ? !isFull : has(choice, type)))
}
