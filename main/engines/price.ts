/** What a network reports about the price of a message, in its own words. */
export interface Price {
  /** `service`, `utility`, `marketing`, `authentication` …; null: it did not say. */
  readonly category: string | null
  /** `regular`, `free_entry_point`, `free_customer_service` …; networks add values. */
  readonly type: string | null
  readonly model: string | null
  readonly billable: boolean | null
}

/** With every status of a number that is billed by its network. */
export interface Billing {
  /** The number as the network bills it. */
  readonly numberId: string
  /** The business account that pays. */
  readonly businessId: string
  /** Digits of the person, if the network names them. */
  readonly recipient: string | null
  /** null: this status has no price. */
  readonly price: Price | null
}
