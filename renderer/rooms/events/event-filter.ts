import { EVENT_TYPES, type EventType } from '../../../main/contract/events.ts'
import type { Network } from '../../../main/contract/shapes.ts'
import type { Notice } from '../../app/live.ts'
import { SPANS_MS, type Span } from '../webhooks/period.ts'

/** The filter of the event list. It is part of the address, so that a link can contain it. */
export interface EventFilter {
  readonly type?: EventType
  readonly instance?: string
  readonly span?: Span
  /** Set by the network switch in the sidebar. */
  readonly network?: Network
}

const one = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export function filterOf(query: Readonly<Record<string, unknown>>): EventFilter {
  const type = EVENT_TYPES.find((known) => known === query['type'])
  const instance = one(query['instance'])
  const span = one(query['span'])
  return {
    ...(type !== undefined && { type }),
    ...(instance !== undefined && { instance }),
    ...(span !== undefined && span in SPANS_MS && { span: span as Span }),
  }
}

export const isSameFilter = (one: EventFilter, other: EventFilter): boolean =>
  one.type === other.type && one.instance === other.instance && one.span === other.span && one.network === other.network

/** The filter as query parameters of the API. */
export const queryOf = ({ type, instance, span, network }: EventFilter, nowMs: number) => ({
  ...(network !== undefined && { network }),
  ...(type !== undefined && { type }),
  ...(instance !== undefined && { instance_id: instance }),
  ...(span !== undefined && { since: new Date(nowMs - SPANS_MS[span]).toISOString() }),
})

/** Whether the filter may include an event of this type and instance. */
export const concerns = ({ type, instance }: EventFilter, notice: Notice): boolean =>
  (type === undefined || notice.type === undefined || notice.type === type) &&
  (instance === undefined || notice.instance_id === undefined || notice.instance_id === instance)
