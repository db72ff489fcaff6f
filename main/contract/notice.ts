/** What a notice can be about. The console’s stores each listen to theirs. */
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

/** That something changed, and never what it is now: whoever shows it asks again. It holds no word of anybody's. */
export interface Notice {
  readonly topic: Topic
  /** Of the thing itself, where the notice is about one: of an instance, a webhook, an approval. For `deliveries` the webhook's. */
  readonly id?: string
  readonly instance_id?: string
  /** Of `events`: which type of event. Of `deliveries`: `exhausted`, of `webhooks`: `deactivated`, where that has just happened. */
  readonly type?: string
}
