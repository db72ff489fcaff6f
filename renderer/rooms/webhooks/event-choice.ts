import type { EventType } from '../../../main/contract/events.ts'

/** The 16 types by area, in the order of the specification. A test holds them to the contract. */
export const AREAS = {
  instance: [
    'instance.created',
    'instance.updated',
    'instance.connecting',
    'instance.connected',
    'instance.disconnected',
    'instance.auth_failed',
    'instance.qr.updated',
    'instance.deleted',
  ],
  message: [
    'message.received',
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
    'message.edited',
    'message.deleted',
    'message.reaction',
  ],
} as const satisfies Record<string, readonly EventType[]>

export type Area = keyof typeof AREAS

export const AREA_NAMES = Object.keys(AREAS) as readonly Area[]

export const ALL_TYPES: readonly EventType[] = [...AREAS.instance, ...AREAS.message]

/** What a webhook listens to: `'*'` also takes types that are added later, so it is kept apart from sixteen ticks. */
export type Choice = readonly (EventType | '*')[]

export const isAll = (choice: Choice): boolean => choice.includes('*')

export const has = (choice: Choice, type: EventType): boolean => isAll(choice) || choice.includes(type)

export const countOf = (choice: Choice): number => (isAll(choice) ? ALL_TYPES.length : choice.length)

/** `'some'` shows as a dash in the box of the area. */
export function standing(choice: Choice, area: Area): 'all' | 'some' | 'none' {
  const chosen = AREAS[area].filter((type) => has(choice, type)).length
  if (chosen === 0) return 'none'
  return chosen === AREAS[area].length ? 'all' : 'some'
}

/** In the order of the specification, whatever the order of the clicks. */
const ordered = (wanted: (type: EventType) => boolean): Choice => ALL_TYPES.filter(wanted)

export const toggleAll = (choice: Choice): Choice => (isAll(choice) ? [] : ['*'])

export const toggle = (choice: Choice, type: EventType): Choice =>
  ordered((other) => (other === type ? !has(choice, type) : has(choice, other)))

export function toggleArea(choice: Choice, area: Area): Choice {
  const isFull = standing(choice, area) === 'all'
  const types: readonly EventType[] = AREAS[area]
  return ordered((type) => (types.includes(type) ? !isFull : has(choice, type)))
}
