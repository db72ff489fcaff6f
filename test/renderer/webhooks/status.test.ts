import { describe, expect, it } from 'vitest'
import { requestDuration } from '../../../renderer/app/numbers.ts'
import { EVENT_TYPES } from '../../../main/contract/events.ts'
import {
  AREA_NAMES,
  AREAS,
  standing,
  toggle,
  toggleAll,
  toggleArea,
} from '../../../renderer/rooms/webhooks/event-choice.ts'
import { bodyOf, catcherAddress, emptyForm, formError } from '../../../renderer/rooms/webhooks/form.ts'
import { fromLocalInput, periodError, toLocalInput } from '../../../renderer/rooms/webhooks/period.ts'
import {
  addressOf,
  catcherOf,
  countdown,
  deliveryStateOf,
  hasOutcome,
  stateOf,
} from '../../../renderer/rooms/webhooks/status.ts'

describe('the event picker', () => {
  it('offers exactly the types of the contract', () => {
    expect(AREA_NAMES.flatMap((area) => AREAS[area])).toEqual(EVENT_TYPES)
  })
  it('distinguishes “all” from all sixteen types, because it includes future ones', () => {
    expect(toggleAll([])).toEqual(['*'])
    expect(toggleAll(['*'])).toEqual([])
    expect(toggleArea(toggleArea([], 'instance'), 'message')).toEqual(EVENT_TYPES)
  })
  it('removing one type from “all” leaves the other fifteen', () => {
    expect(toggle(['*'], 'message.read')).toEqual(EVENT_TYPES.filter((type) => type !== 'message.read'))
  })
  it('completes a partly selected area and clears a full one', () => {
    const some = toggle([], 'message.read')
    expect(standing(some, 'message')).toBe('some')
    expect(standing(some, 'instance')).toBe('none')
    const full = toggleArea(some, 'message')
    expect(standing(full, 'message')).toBe('all')
    expect(toggleArea(full, 'message')).toEqual([])
  })
})

describe('the form', () => {
  it('requires an https URL and at least one event', () => {
    expect(formError(emptyForm())).toBe('url')
    expect(formError({ ...emptyForm(), url: 'http://example.com' })).toBe('url')
    expect(formError({ ...emptyForm(), url: 'https://example.com', events: [] })).toBe('events')
    expect(formError({ ...emptyForm(), url: ' https://example.com/hook ' })).toBeUndefined()
  })
  it('sends null for an empty description, and trims the URL', () => {
    expect(bodyOf({ ...emptyForm(), url: ' https://example.com ', description: '  ' })).toEqual({
      url: 'https://example.com',
      description: null,
      events: ['*'],
      max_in_flight: 8,
    })
  })
  it('suggests a catcher that no other webhook uses', () => {
    expect(catcherAddress([])).toBe('https://catcher.sandbox/first-try')
    expect(catcherAddress(['https://catcher.sandbox/first-try', 'https://catcher.sandbox/try-2'])).toBe(
      'https://catcher.sandbox/try-3',
    )
  })
})

describe('the words', () => {
  it('a webhook’s state is that of its newest finished delivery', () => {
    const delivery = { status: 'delivered', final_reason: null, next_attempt_at: null } as const
    const retrying = { ...delivery, status: 'failed', next_attempt_at: '2026-03-01T09:00:00.000Z' } as const
    const waiting = [
      { ...delivery, status: 'pending' },
      { ...delivery, status: 'failed', final_reason: 'expired' },
      { ...delivery, status: 'failed', final_reason: 'overflow' },
    ] as const
    const health = (newestFirst: readonly Parameters<typeof hasOutcome>[0][]) =>
      stateOf({ active: true, disabled_reason: null }, newestFirst.find(hasOutcome))
    expect(health([...waiting, retrying, delivery])).toBe('failing')
    expect(health([...waiting, { ...delivery, status: 'exhausted' }, delivery])).toBe('failing')
    expect(health([...waiting, delivery, retrying])).toBe('active')
    expect(health(waiting)).toBe('active')
  })
  it('an inactive webhook without a reason is paused', () => {
    expect(stateOf({ active: true, disabled_reason: null })).toBe('active')
    expect(stateOf({ active: true, disabled_reason: null }, null)).toBe('active')
    const delivery = { status: 'delivered', final_reason: null, next_attempt_at: null } as const
    expect(stateOf({ active: true, disabled_reason: null }, delivery)).toBe('active')
    expect(stateOf({ active: true, disabled_reason: null }, { ...delivery, status: 'pending' })).toBe('active')
    for (const next_attempt_at of [null, '2026-03-01T09:00:00.000Z'])
      expect(stateOf({ active: true, disabled_reason: null }, { ...delivery, status: 'failed', next_attempt_at })).toBe(
        'failing',
      )
    expect(stateOf({ active: false, disabled_reason: null }, { ...delivery, status: 'failed' })).toBe('paused')
    expect(stateOf({ active: false, disabled_reason: null })).toBe('paused')
    expect(stateOf({ active: false, disabled_reason: 'gone' })).toBe('gone')
  })

  it('waits while the account is suspended, unless it is paused or deactivated', () => {
    const held = (active: boolean, disabled_reason: 'gone' | null = null) =>
      stateOf({ active, disabled_reason }, null, true)
    expect([held(true), held(false), held(false, 'gone')]).toEqual(['held', 'paused', 'gone'])
  })
  it('a failed delivery is either retried or closed', () => {
    const failed = { status: 'failed', final_reason: null, next_attempt_at: '2026-03-01T09:30:00.000Z' } as const
    expect(deliveryStateOf(failed)).toBe('retrying')
    expect(deliveryStateOf({ ...failed, final_reason: 'expired', next_attempt_at: null })).toBe('expired')
    expect(deliveryStateOf({ ...failed, status: 'delivered', next_attempt_at: null })).toBe('delivered')
  })
  it('recognizes a catcher only by its full URL', () => {
    expect(catcherOf('https://catcher.sandbox/orders')).toBe('orders')
    expect(catcherOf('https://catcher.sandbox/a/b')).toBeUndefined()
    expect(catcherOf('https://catcher.sandbox.example.com/orders')).toBeUndefined()
  })
  it('splits a URL after the host', () => {
    expect(addressOf('https://hooks.example.com/a?b=1')).toEqual({ host: 'hooks.example.com', rest: '/a?b=1' })
    expect(addressOf('https://hooks.example.com/')).toEqual({ host: 'hooks.example.com', rest: '' })
  })
  it('counts down in hours, minutes and seconds to nothing', () => {
    expect(countdown(86_400_000, 0)).toBe('24:00:00')
    expect(countdown(61_000, 500)).toBe('00:01:01')
    expect(countdown(1_000, 1_000)).toBeUndefined()
  })
  it('shows milliseconds below a second', () => {
    expect(requestDuration(389, 'en')).toBe('389 ms')
    expect(requestDuration(10_020, 'en')).toBe('10 sec')
  })
})

describe('the period of a replay', () => {
  const nowMs = Date.parse('2026-03-10T12:00:00Z')
  const ago = (hours: number) => new Date(nowMs - hours * 3_600_000).toISOString()

  it('keeps a time to the minute', () => {
    expect(fromLocalInput(toLocalInput(nowMs))).toBe(new Date(nowMs).toISOString())
    expect(fromLocalInput('')).toBeUndefined()
  })
  it('begins within the last seven days and ends later', () => {
    expect(periodError(ago(24), undefined, nowMs)).toBeUndefined()
    expect(periodError(ago(168), ago(1), nowMs)).toBeUndefined()
    expect(periodError(undefined, undefined, nowMs)).toBe('since_missing')
    expect(periodError(ago(169), undefined, nowMs)).toBe('too_old')
    expect(periodError(ago(-1), undefined, nowMs)).toBe('in_future')
    expect(periodError(ago(2), ago(3), nowMs)).toBe('backwards')
  })
})
