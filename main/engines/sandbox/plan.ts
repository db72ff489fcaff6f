import type { MessageErrorShape } from '../../contract/shapes.ts'
import type { Due } from '../../kernel/due.ts'
import type { MessageId } from '../../kernel/ids.ts'
import type { EngineSignal } from '../engine.ts'
import type { Phone } from './phones.ts'

/** Milliseconds after a send at which it is accepted, sent, delivered and read. */
export type TimelineMs = readonly [accepted: number, sent: number, delivered: number, read: number]

/** What happens to a message after the network accepted it. */
export type Path =
  | { readonly kind: 'ordinary' }
  | { readonly kind: 'undelivered' }
  | { readonly kind: 'fails'; readonly after: 'accepted' | 'sent'; readonly error: MessageErrorShape }
  /** Silent for `silentMs`, then sent and delivered. */
  | { readonly kind: 'silent'; readonly silentMs: number }

/** A future signal. `onPhone`: the phone sends it, so it waits until the phone is online. */
interface Step {
  readonly step: number
  readonly due: Due | null
  readonly offsetMs: number
  readonly onPhone: boolean
  readonly signal: EngineSignal
}

export interface Plan {
  /** `sent` if acceptance and confirmation happen at the same time. */
  readonly status: 'queued' | 'sent'
  /** When it arrives on the phone; null: never, or not yet known. */
  readonly arrivesAt: Due | null
  /** Delivered when the phone comes online. */
  readonly waits: boolean
  readonly steps: readonly Step[]
}

/** Order of the receipts among signals that are due at the same time. */
export const STEPS = { sent: 0, delivered: 1, read: 2, failed: 3 } as const

interface Sent {
  readonly messageId: MessageId
  readonly engineMessageId: string
  readonly startedAt: Due
  readonly phone: Phone
  readonly timelineMs: TimelineMs
}

/** Everything that will happen to a message, decided from what is known when it is sent. */
export function planFor(path: Path, sent: Sent): Plan {
  const times = timesOf(path, sent)
  const isAtOnce = path.kind !== 'silent' && sent.timelineMs[1] <= sent.timelineMs[0]
  const goesOut = path.kind !== 'fails' || path.after === 'sent'
  const arrives = path.kind === 'ordinary' || path.kind === 'silent'
  const { online } = sent.phone
  return {
    status: goesOut && isAtOnce ? 'sent' : 'queued',
    arrivesAt: arrives && online ? times.delivered : null,
    waits: arrives && !online,
    steps: [
      ...(goesOut && !isAtOnce ? [receipt(sent, 'sent', times.sent)] : []),
      ...(path.kind === 'fails'
        ? [failure(sent, path.error, path.after === 'sent' ? times.delivered : times.sent)]
        : []),
      ...(arrives ? receiptsOfPhone(path, sent, times) : []),
    ],
  }
}

interface Times {
  readonly sent: Due
  readonly delivered: Due
  readonly read: Due
}

function timesOf(path: Path, { startedAt, phone, timelineMs }: Sent): Times {
  const [, sent, delivered, read] = timelineMs
  const from = path.kind === 'silent' ? startedAt.plus(path.silentMs - sent) : startedAt
  const { delayMs } = phone
  return { sent: from.plus(sent), delivered: from.plus(delivered + delayMs), read: from.plus(read + delayMs) }
}

/** The receipts that the phone sends: as far as its settings allow, and after a silence only delivered. */
function receiptsOfPhone(path: Path, sent: Sent, times: Times): Step[] {
  const { receipts, dropReceipts, duplicateReceipts, online } = sent.phone
  const steps: Step[] = []
  const add = (status: 'delivered' | 'read') => {
    const due = times[status]
    const offsetMs = due.atMs - times.delivered.atMs
    const step = { ...receipt(sent, status, due), due: online ? due : null, offsetMs, onPhone: true }
    steps.push(step, ...(duplicateReceipts ? [step] : []))
  }
  if (receipts !== 'none' && !dropReceipts) add('delivered')
  if (receipts === 'read' && path.kind === 'ordinary') add('read')
  return steps
}

function receipt({ messageId, engineMessageId }: Sent, status: 'sent' | 'delivered' | 'read', due: Due): Step {
  // Its time is set when it is reported.
  const signal = { kind: 'receipt', messageId, status, atMs: due.atMs, engineMessageId } as const
  return { step: STEPS[status], due, offsetMs: 0, onPhone: false, signal }
}

function failure({ messageId }: Sent, error: MessageErrorShape, due: Due): Step {
  return {
    step: STEPS.failed,
    due,
    offsetMs: 0,
    onPhone: false,
    signal: { kind: 'failed', messageId, error, atMs: due.atMs },
  }
}
