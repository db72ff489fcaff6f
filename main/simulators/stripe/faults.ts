import type Stripe from 'stripe'

/** The body of an error in Stripe's format. */
export interface StripeErrorBody {
  readonly type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  readonly message: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
  readonly payment_intent?: Stripe.PaymentIntent
  readonly setup_intent?: Stripe.SetupIntent
  readonly payment_method?: Stripe.PaymentMethod
  readonly charge?: string
}

/** An error answer. May be thrown by any code of a route; staged changes of the request are then dropped. */
export class StripeFault extends Error {
  readonly status: number
  readonly body: StripeErrorBody

  constructor(status: number, body: StripeErrorBody) {
    super(body.message)
    this.name = 'StripeFault'
    this.status = status
    this.body = body
  }
}

/** A card was declined. Objects of the attempt, such as a failed payment intent, are kept if `keeps`. */
export class CardFault extends StripeFault {
  readonly keeps: boolean

  constructor(body: Omit<StripeErrorBody, 'type'>, keeps: boolean) {
    super(402, { type: 'card_error', ...body })
    this.name = 'CardFault'
    this.keeps = keeps
  }
}

export const missing = (param: string) =>
  new StripeFault(400, {
    type: 'invalid_request_error',
    code: 'parameter_missing',
    message: `Missing required param: ${param}.`,
    param,
  })

export const noSuch = (kind: string, id: string, param = 'id') =>
  new StripeFault(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param,
  })

export const unexpected = (code: string, message: string) =>
  new StripeFault(400, { type: 'invalid_request_error', code, message })
