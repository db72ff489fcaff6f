import type { EventData, EventType } from '../../contract/events.ts'
import type { EngineSignal } from '../../engines/engine.ts'
import type { Trigger } from './status.ts'
import type { Link } from './store.ts'

/** What an engine reports about a link; its other signals are about messages. */
export type LinkSignal = Extract<EngineSignal, { kind: Trigger }>

export type LinkEvent =
  | LinkSignal
  | { readonly kind: 'start'; readonly by: 'restart' | 'pairing' }
  /** `moved`: the session goes to another Switchboard. */
  | { readonly kind: 'stop'; readonly logout: boolean; readonly moved?: true }
  /** Time of the loss that this is about. */
  | { readonly kind: 'outage'; readonly linkLostAtMs: number }
  | { readonly kind: 'session_lost' }
  | { readonly kind: 'recreate' }
  | { readonly kind: 'wiped' }

export type Announcement = { [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType]

export interface Change {
  readonly link: Link
  readonly announcement: Announcement | null
  /** The connection is back with the same session, after its loss was announced. */
  readonly reconnected: boolean
}
