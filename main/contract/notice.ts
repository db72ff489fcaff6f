/** What a notice is about. Each store of the console subscribes to its own topics. */
export type Topic =
  | 'instances'
  | 'messages'
  | 'webhooks'
  | 'deliveries'
  | 'keys'
  | 'approvals'
  | 'sandbox'
  | 'account'
  | 'tool-calls'
  | 'assistants'
  | 'events'
  | 'fusion'
  | 'service'

/** Says that something changed, never what it is now: the window refetches. Contains no content of any message. */
export interface Notice {
  readonly topic: Topic
  /** Id of the changed instance, webhook or approval, if there is a single one. For `deliveries`, id of the webhook. */
  readonly id?: string
  readonly instance_id?: string
  /** For `events`, the event type. For `deliveries`, `exhausted`, and for `webhooks`, `deactivated`, if that just happened. */
  readonly type?: string
}
