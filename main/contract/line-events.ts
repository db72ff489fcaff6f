/**
 * Events of an instance other than messages and its connection. The webhook of a single instance receives them under
 * their older names; account webhooks, whose types are fixed, do not. Fields are named as in the API.
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
  /** Sent to admins of groups in which an admin must approve new members. */
  'group.join_requests_changed': GroupData & {
    action: 'requested' | 'withdrawn' | 'rejected'
    /** People who ask or asked to join. */
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
  /** Digits, or the hidden id. */
  from: string
  timestamp: string
}

interface GroupData {
  group_id: string
  /** The person who made the change; null if the network does not say. */
  by: string | null
}

export type LineEventType = keyof LineEventData

/** An event with the data of its type. */
export type LineEvent = { [T in LineEventType]: { readonly type: T; readonly data: LineEventData[T] } }[LineEventType]
