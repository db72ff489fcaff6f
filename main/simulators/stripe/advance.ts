import type Stripe from 'stripe'
import { nextDue, overdue } from './due.ts'
import { invalid, type Reader } from './form.ts'
import { clockId, idOf, type Work } from './unit.ts'

/** Advances a test clock, and runs everything that becomes due, in order. */
export function advanceClock(work: Work, id: string, params: Reader): Stripe.TestHelpers.TestClock {
  const clock = work.get('test_clock', id)
  const target = params.integer('frozen_time') ?? 0
  if (target <= clock.frozen_time) {
    throw invalid('Specify a time to advance to that is after the current frozen time.', 'frozen_time')
  }
  const isOnClock = (customer: string) => idOf(work.unit.find('customer', customer)?.test_clock) === id
  const setTo = (at: number) =>
    work.unit.put('test_clock', { ...work.get('test_clock', id), frozen_time: Math.max(at, clock.frozen_time) })
  runUntil(work, { isMeant: isOnClock, target, setTo })
  const after = setTo(target)
  work.tell('test_helpers.test_clock.ready', after)
  return after
}

/** The same for one customer whose time then continues. @returns how far it is ahead now. */
export function advanceCustomer(work: Work, customer: string, seconds: number): number {
  work.get('customer', customer)
  const real = work.now()
  const start = work.now(customer)
  const id = clockId(customer)
  const setTo = (at: number) => work.unit.put('customer_clock', { id, aheadSeconds: Math.max(at, start) - real })
  runUntil(work, { isMeant: (one) => one === customer, target: start + seconds, setTo })
  return setTo(start + seconds).aheadSeconds
}

const isInRealTime = (work: Work) => (customer: string) =>
  idOf(work.unit.find('customer', customer)?.test_clock) === null

export const hasDue = (work: Work): boolean => overdue(work, isInRealTime(work)) !== undefined

/** Runs what became due in real time, for customers without a test clock. */
export function runDue(work: Work): void {
  const isMeant = isInRealTime(work)
  for (let due = overdue(work, isMeant); due !== undefined; due = overdue(work, isMeant)) due.act(work)
}

function runUntil(
  work: Work,
  {
    isMeant,
    target,
    setTo,
  }: { isMeant: (customer: string) => boolean; target: number; setTo: (at: number) => unknown },
): void {
  for (let due = nextDue(work, isMeant); due !== undefined && due.at <= target; due = nextDue(work, isMeant)) {
    setTo(due.at)
    due.act(work)
  }
}
