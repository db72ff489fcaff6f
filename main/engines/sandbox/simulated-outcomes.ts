import type { Engine, MessageErrorShape } from '../../contract/shapes.ts'

/** The outcome of a message on the sandbox network. */
export type SimulatedOutcome =
  | { readonly kind: 'ordinary' }
  /** Sent, and never delivered. */
  | { readonly kind: 'undelivered' }
  /** Refused immediately and permanently. */
  | { readonly kind: 'refused'; readonly error: MessageErrorShape; readonly restricts?: true }
  /** Accepted, then failed, either before or after it counts as sent. */
  | { readonly kind: 'fails'; readonly after: 'accepted' | 'sent'; readonly error: MessageErrorShape }
  /** Nothing leaves the machine. */
  | { readonly kind: 'unreachable' }
  /** No answer to the send, but the message is sent and shows up later. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'throttled' }
  /** The access token is no longer valid. */
  | { readonly kind: 'token_dead' }

const failure = (
  code: MessageErrorShape['code'],
  provider_code: number | null,
  message: string,
): MessageErrorShape => ({
  code,
  message,
  provider_code,
})

export const REACHOUT_RESTRICTED: SimulatedOutcome = {
  kind: 'refused',
  restricts: true,
  error: failure(
    'reachout_restricted',
    463,
    'The network is restricting first messages from this number. You can still reply to people who wrote to you. Do not ' +
      'retry until the restriction shown in the health of the instance ends.',
  ),
}

export const SPAM_LIMITED: SimulatedOutcome = {
  kind: 'fails',
  after: 'accepted',
  error: failure(
    'engine_rejected',
    131048,
    'The network limits this number because people blocked or reported it. Send less, and only to people who opted in.',
  ),
}

/** Meta accepts the message and reports in a status that it failed. */
export const OUTSIDE_WINDOW: SimulatedOutcome = {
  kind: 'fails',
  after: 'accepted',
  error: failure(
    'outside_window',
    131047,
    'This person has not written to this number in the last 24 hours. Send an approved template instead.',
  ),
}

const SHARED: Readonly<Record<string, SimulatedOutcome>> = {
  '0502': { kind: 'unreachable' },
  '0504': { kind: 'silent' },
  '0007': { kind: 'undelivered' },
}

/** Test numbers with special outcomes, by their last four digits. */
const OUTCOMES: Readonly<Record<Engine, Readonly<Record<string, SimulatedOutcome>>>> = {
  smv2: {
    ...SHARED,
    '0463': REACHOUT_RESTRICTED,
    '0404': {
      kind: 'refused',
      error: failure(
        'not_on_whatsapp',
        null,
        'This number is not on WhatsApp. Check the number before you send again.',
      ),
    },
    '0410': {
      kind: 'fails',
      after: 'sent',
      error: failure(
        'engine_rejected',
        479,
        'The network rejected the message after accepting it. Send it again as a new message.',
      ),
    },
  },
  official: {
    ...SHARED,
    '0463': SPAM_LIMITED,
    '0404': {
      kind: 'refused',
      error: failure(
        'undeliverable',
        131026,
        'The message cannot be delivered because the number is not on WhatsApp or has not accepted its terms. Check the number.',
      ),
    },
    '0410': {
      kind: 'fails',
      after: 'sent',
      error: failure(
        'engine_rejected',
        131000,
        'The network failed while handling the message. Send it again as a new message.',
      ),
    },
    '0047': OUTSIDE_WINDOW,
    '0026': {
      kind: 'refused',
      error: failure(
        'undeliverable',
        131026,
        'The message cannot be delivered because this person uses an old app or blocks business messages. Contact them another way.',
      ),
    },
    '0429': { kind: 'throttled' },
    '0190': { kind: 'token_dead' },
  },
}

const ORDINARY: SimulatedOutcome = { kind: 'ordinary' }

/** Whether the number is on WhatsApp. */
export function isRegistered(number: string): boolean {
  const course = outcomeForNumber('smv2', number)
  return course.kind !== 'refused' || course.error.code !== 'not_on_whatsapp'
}

/** The outcome that the number's digits select; other numbers accept, deliver and read. */
export function outcomeForNumber(engine: Engine, to: string): SimulatedOutcome {
  return OUTCOMES[engine][to.slice(-4)] ?? ORDINARY
}
