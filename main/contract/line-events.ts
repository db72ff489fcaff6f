/**
 * What happens on a line besides messages and its connection. The webhook of a single instance receives it under one of
 * its older names; it is no event of account webhooks, whose types are fixed. In the words of the wire.
 */
export interface LineEventData {
  'call.offered': CallData & { video: boolean; group_id: string | null }
  'call.accepted': CallData
  'call.rejected': CallData
  'call.ended': CallData & { reason: string | null }
  'group.joined': GroupData & { subject: string; participants: string[] }
  'group.participants_changed': GroupData & {
    action: 'add' | 'remove' | 'promote' | 'demote' | 'modify'
    participants: string[]
  }
  /** Told to admins of groups whose newcomers an admin has to let in. */
  'group.join_requests_changed': GroupData & {
    action: 'requested' | 'withdrawn' | 'rejected'
    /** Those who ask, or asked, to join. */
    participants: string[]
  }
  'group.updated': GroupData & {
    /** Only what changed. */
    changes: {
      subject?: string
      description?: string | null
      announce?: boolean
      locked?: boolean
      picture?: 'changed' | 'removed'
    }
  }
  'presence.updated': {
    chat: string
    from: string
    state: 'available' | 'unavailable' | 'composing' | 'recording'
    last_seen_at: string | null
  }
  'contact.updated': { number: string; name?: string; picture?: 'changed' | 'removed' }
}

interface CallData {
  call_id: string
  /** Digits, else the hidden id. */
  from: string
  timestamp: string
}

interface GroupData {
  group_id: string
  /** Who did it; null where the network does not say. */
  by: string | null
}

export type LineEventType = keyof LineEventData

/** One of them, typed by its type. */
export type LineEvent = { [T in LineEventType]: { readonly type: T; readonly data: LineEventData[T] } }[LineEventType]
