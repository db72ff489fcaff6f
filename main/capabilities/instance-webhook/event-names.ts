import { ApiError } from '../../contract/errors.ts'
import type { EventType } from '../../contract/events.ts'
import type { Engine } from '../../contract/shapes.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import { DEFAULT_NAMES, EVENT_NAMES, type EventName } from './contract.ts'

/**
 * The older name of each event. The events of CALL, GROUP, PRESENCE and CONTACT are in line-events.ts.
 * `instance.created` has a name too, although no webhook can exist before its instance.
 */
export const NAME_OF = {
  'instance.created': 'CONNECTION',
  'instance.updated': 'CONNECTION',
  'instance.connecting': 'CONNECTION',
  'instance.connected': 'CONNECTION',
  'instance.disconnected': 'CONNECTION',
  'instance.auth_failed': 'CONNECTION',
  'instance.qr.updated': 'QRCODE',
  'instance.deleted': 'CONNECTION',
  'message.received': 'MESSAGE',
  'message.sent': 'SEND_MESSAGE',
  'message.delivered': 'READ_RECEIPT',
  'message.read': 'READ_RECEIPT',
  'message.failed': 'SEND_MESSAGE',
  'message.edited': 'MESSAGE',
  'message.deleted': 'MESSAGE',
  'message.reaction': 'MESSAGE',
} as const satisfies Record<EventType, EventName>

export function wants(names: readonly EventName[], name: EventName): boolean {
  return names.includes('ALL') || names.includes(name)
}

/**
 * The event names of a webhook, without duplicates, in the caller's order. The official engine always sends all of
 * them.
 * @throws ApiError validation_error for an unknown name, and for an empty list.
 */
export function parseEventNames(engine: Engine, asked: readonly string[] = DEFAULT_NAMES): readonly EventName[] {
  if (!TRAITS[engine].choosesEvents) return ['ALL']
  const unknown = asked.find((name) => !isName(name))
  if (unknown !== undefined) {
    throw new ApiError(
      'validation_error',
      `${JSON.stringify(unknown)} is not a known event name. Use ${LIST}.`,
    ).because('field_choice', { field: 'events' })
  }
  const names = [...new Set(asked.filter(isName))]
  if (names.length > 0) return names
  throw new ApiError(
    'validation_error',
    `events must contain at least one of ${LIST}. Leave it out for MESSAGE and CONNECTION.`,
  ).because('field_empty', { field: 'events' })
}

const isName = (text: string): text is EventName => (EVENT_NAMES as readonly string[]).includes(text)

const LIST = EVENT_NAMES.join(', ')
