import type { Asked, Charged } from '../payment-provider.ts'
import { NotAnswered } from './client.ts'

/** The fields of Stripe's errors that are used. */
interface Fault {
  readonly type?: string
  readonly statusCode?: number
  readonly code?: string
  readonly decline_code?: string
  readonly message?: string
  readonly detail?: unknown
}

/** Converts the result of a request into one of our four outcomes. */
export async function asked<T>(request: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { kind: 'ok', value: await request() }
  } catch (error) {
    return outcomeOf(error)
  }
}

function outcomeOf(error: unknown): Exclude<Asked<never>, { kind: 'ok' }> {
  const fault = error as Fault
  if (fault.detail instanceof NotAnswered) return { kind: fault.detail.sent ? 'unknown' : 'not_sent' }
  const { statusCode: status } = fault
  if (status === undefined) {
    if (fault.type?.startsWith('Stripe') === true) return { kind: 'unknown' }
    throw error
  }
  // Too many requests: nothing was executed.
  if (status === 429) return { kind: 'not_sent' }
  // 409: the first request with this key is still running.
  if (status >= 500 || status === 409) return { kind: 'unknown' }
  return { kind: 'refused', code: fault.code ?? fault.type ?? 'refused', message: fault.message ?? '' }
}

const NEEDS_CARDHOLDER = new Set([
  'authentication_required',
  'subscription_payment_intent_requires_action',
  'payment_intent_authentication_failure',
  'invoice_payment_intent_requires_action',
])

/** Like `asked`, for charges: a declined card is a separate outcome. */
export async function charged<T>(request: () => Promise<T>, read: (value: T) => Charged): Promise<Charged> {
  try {
    return read(await request())
  } catch (error) {
    const { statusCode, code = '', decline_code: decline = '', message = '' } = error as Fault
    if (statusCode !== 402) return outcomeOf(error)
    if (NEEDS_CARDHOLDER.has(code) || NEEDS_CARDHOLDER.has(decline)) return { kind: 'action_required' }
    const isExpired = code === 'expired_card' || decline === 'expired_card'
    return { kind: 'declined', code: isExpired ? 'card_expired' : 'card_declined', message }
  }
}
