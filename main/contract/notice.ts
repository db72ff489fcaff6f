/**
 * Topics of notices. Each room adds its own in its contract.ts: `declare module '../../contract/notice.ts' {
 * interface Topics { campaigns: true } }`.
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- the rooms fill it
export interface Topics {}

/** Each store of the console subscribes to its own topics. */
export type Topic = keyof Topics

/** Reports that something changed, without its new value: the window refetches. Contains no content of messages. */
export interface Notice {
  readonly topic: Topic
  /** Id of the changed instance, webhook or approval, if there is a single one. For `deliveries`, id of the webhook. */
  readonly id?: string
  readonly instance_id?: string
  /** For `events`, the event type. For `deliveries`, `exhausted`, and for `webhooks`, `deactivated`, if that just happened. */
  readonly type?: string
}
