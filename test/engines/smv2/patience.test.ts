import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import { createBackoff } from '../../../main/engines/smv2/backoff.ts'
import { createLiveness, type Liveness } from '../../../main/engines/smv2/liveness.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'

const atMost = (fraction: number) => ({ bytes: () => Buffer.alloc(0), fraction: () => fraction })

describe('the delays between connection attempts', () => {
  test('double up to five minutes, and are random within that time', () => {
    const longest = createBackoff(fakeClock(), atMost(1))
    expect(Array.from({ length: 11 }, () => longest.next() / 1_000)).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300,
    ])
    expect(createBackoff(fakeClock(), atMost(0.25)).next()).toBe(250)
  })

  test('start again from the shortest only after a connection of a minute', async () => {
    const clock = fakeClock()
    const backoff = createBackoff(clock, atMost(1))
    backoff.next()
    backoff.stood()
    await clock.advance(59_999)
    expect([backoff.fell(), backoff.next()]).toEqual([false, 2_000])
    backoff.stood()
    await clock.advance(60_000)
    expect([backoff.fell(), backoff.next()]).toEqual([true, 1_000])
  })
})

describe('the liveness check of an open connection', () => {
  let clock: FakeClock
  let liveness: Liveness
  const onSilence = vi.fn()

  beforeEach(() => {
    clock = fakeClock()
    onSilence.mockReset()
    liveness = createLiveness({ clock, alarms: createAlarms(clock), id: 'one' as InstanceId, onSilence })
  })

  test('closes it after 25 seconds of silence while it opens', async () => {
    liveness.opening()
    await clock.advance(24_000)
    liveness.frame()
    await clock.advance(24_900)
    expect(onSilence).not.toHaveBeenCalled()
    await clock.advance(200)
    expect(onSilence).toHaveBeenCalledOnce()
  })

  test('reports it as doubtful after 35 seconds of silence, and closes it after 45', async () => {
    liveness.opened()
    liveness.frame()
    await clock.advance(34_900)
    expect(liveness.evidence().doubtfulSinceMs).toBeNull()
    await clock.advance(200)
    expect(liveness.evidence().doubtfulSinceMs).toBe(liveness.evidence().lastSeenAtMs)
    expect(onSilence).not.toHaveBeenCalled()
    await clock.advance(10_000)
    expect(onSilence).toHaveBeenCalledOnce()
  })

  test('reports it as doubtful after one unanswered message, and renews it after two', () => {
    liveness.opened()
    expect(liveness.unanswered()).toBe(false)
    expect(liveness.evidence().doubtfulSinceMs).toBe(clock.now())
    liveness.answered(12.4)
    expect(liveness.evidence()).toMatchObject({ doubtfulSinceMs: null, latencyMs: 12 })
    expect([liveness.unanswered(), liveness.unanswered()]).toEqual([false, true])
  })

  test('leaves no timer', () => {
    liveness.opened()
    liveness.stop()
    expect(clock.waiting()).toBe(0)
  })
})
