import type { Item } from './callback-items.ts'
import { each, secondsAt, type Reading } from './callback-reading.ts'
import { digitsOf, recordAt, recordsAt, textAt, type Json } from './json.ts'

/** Calls that start or end, and status changes of ringing calls. */
export function readCalls(value: Json): Reading {
  const calls = each(recordsAt(value, 'calls'), 'calls', readCall)
  const statuses = each(recordsAt(value, 'statuses'), 'statuses', readCallStatus)
  return { items: [...calls.items, ...statuses.items], problems: [...calls.problems, ...statuses.problems] }
}

function readCall(call: Json): Item | null | undefined {
  const networkId = textAt(call, 'id')
  const atMs = secondsAt(call, 'timestamp')
  if (networkId === null || atMs === null) return undefined
  if (textAt(call, 'event') === 'terminate') {
    const failed = textAt(call, 'status') === 'FAILED'
    return { kind: 'call', event: { kind: 'ended', networkId, failed }, atMs }
  }
  const sdp = textAt(recordAt(call, 'session'), 'sdp')
  if (textAt(call, 'event') !== 'connect' || sdp === null) return undefined
  if (textAt(call, 'direction') !== 'USER_INITIATED')
    return { kind: 'call', event: { kind: 'answer', networkId, sdp }, atMs }
  const from = digitsOf(textAt(call, 'from') ?? '')
  return { kind: 'call', event: { kind: 'offered', networkId, from, sdp }, atMs }
}

const CALL_STATUSES: Readonly<Record<string, 'ringing' | 'accepted' | 'rejected'>> = {
  RINGING: 'ringing',
  ACCEPTED: 'accepted',
  REJECTED: 'rejected',
}

function readCallStatus(status: Json): Item | null | undefined {
  const networkId = textAt(status, 'id')
  const atMs = secondsAt(status, 'timestamp')
  const word = textAt(status, 'status')
  if (networkId === null || atMs === null || word === null) return undefined
  const kind = Object.hasOwn(CALL_STATUSES, word) ? CALL_STATUSES[word] : undefined
  return kind === undefined ? null : { kind: 'call', event: { kind, networkId }, atMs }
}
