/** Behavior of a test card. Stripe: https://docs.stripe.com/testing. */
interface Behaviour {
  /** Result of attaching it to a customer. */
  readonly attach: Verdict
  readonly charge: Verdict
}

export type Verdict = 'ok' | 'challenge' | Decline

export interface Decline {
  readonly code: 'card_declined' | 'expired_card'
  readonly decline_code: string
  readonly message: string
}

const DECLINED: Decline = {
  code: 'card_declined',
  decline_code: 'generic_decline',
  message: 'Your card was declined.',
}
const NO_FUNDS: Decline = {
  code: 'card_declined',
  decline_code: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
}
const EXPIRED: Decline = {
  code: 'expired_card',
  decline_code: 'expired_card',
  message: 'Your card has expired.',
}

export interface TestCard extends Behaviour {
  readonly brand: 'visa' | 'mastercard'
  /** Id of the payment method in Stripe's test mode. */
  readonly alias: string
}

const card = (brand: TestCard['brand'], alias: string, attach: Verdict, charge: Verdict): TestCard => ({
  ...{ brand, alias, attach, charge },
})

/** The only accepted numbers. Any other may be a real card: it is refused and not stored. */
export const TEST_CARDS: Readonly<Record<string, TestCard>> = {
  '4242424242424242': card('visa', 'pm_card_visa', 'ok', 'ok'),
  '5555555555554444': card('mastercard', 'pm_card_mastercard', 'ok', 'ok'),
  '4000000000000341': card('visa', 'pm_card_chargeCustomerFail', 'ok', DECLINED),
  '4000000000003220': card('visa', 'pm_card_threeDSecure2Required', 'ok', 'challenge'),
  '4000000000000002': card('visa', 'pm_card_chargeDeclined', DECLINED, DECLINED),
  '4000000000009995': card('visa', 'pm_card_chargeDeclinedInsufficientFunds', NO_FUNDS, NO_FUNDS),
  '4000000000000069': card('visa', 'pm_card_chargeDeclinedExpiredCard', EXPIRED, EXPIRED),
}

/** Their last four digits differ, so the full number is not stored. */
const BY_LAST4 = new Map(Object.entries(TEST_CARDS).map(([number, found]) => [number.slice(-4), found]))
const BY_ALIAS = new Map(Object.entries(TEST_CARDS).map(([number, found]) => [found.alias, number]))

export const numberOfAlias = (alias: string): string | undefined => BY_ALIAS.get(alias)

const isPast = (month: number, year: number, nowSeconds: number) => Date.UTC(year, month, 1) <= nowSeconds * 1_000

interface Shown {
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
}

export const judgeCharge = ({ last4, exp_month, exp_year }: Shown, nowSeconds: number): Verdict =>
  isPast(exp_month, exp_year, nowSeconds) ? EXPIRED : (BY_LAST4.get(last4)?.charge ?? DECLINED)

export const judgeAttach = ({ last4, exp_month, exp_year }: Shown, nowSeconds: number): Verdict =>
  isPast(exp_month, exp_year, nowSeconds) ? EXPIRED : (BY_LAST4.get(last4)?.attach ?? DECLINED)
