import { GraphFault } from './answers.ts'
import type { GraphNumber } from './store.ts'

/** Whether Meta refuses in the answer to the send, or later in a status. */
export type PaymentRefusal = 'answer' | 'status'

export type Payments = ReturnType<typeof createPayments>

const DETAILS = 'Message failed to send because there were one or more errors related to your payment method.'

export const UNPAID_FAULT = new GraphFault(400, 131_042, '(#131042) Business eligibility payment issue', DETAILS)
export const UNPAID_STATUS = { code: 'engine_rejected', provider_code: 131_042, message: DETAILS } as const

/** Business accounts whose card has expired. Kept in memory, so a restart ends them, as for faults. */
export function createPayments() {
  const expired = new Map<string, PaymentRefusal>()
  return {
    expire: ({ wabaId }: GraphNumber, how: PaymentRefusal) => void expired.set(wabaId, how),
    replace: ({ wabaId }: GraphNumber) => void expired.delete(wabaId),
    /** @returns undefined if the account can pay. */
    refusalOf: ({ wabaId }: GraphNumber): PaymentRefusal | undefined => expired.get(wabaId),
  }
}
