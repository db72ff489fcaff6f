import { expect, test } from 'vitest'
import { StorageError } from '../../main/kernel/db.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createWorker, type Work } from '../../main/kernel/worker.ts'
import { fakeClock, settle } from '../support/clock.ts'

type Result = string

/** Jobs are numbers; what happened to them is written down. */
function scene(more: Partial<Work<number, Result>> = {}) {
  const clock = fakeClock()
  const due: number[] = []
  const claims: number[] = []
  const acted: number[] = []
  const recorded: string[] = []
  const work: Work<number, Result> = {
    name: 'numbers',
    deadlineMs: 30_000,
    async claim(limit) {
      claims.push(limit)
      await settle(1)
      return due.splice(0, limit)
    },
    async act(job) {
      acted.push(job)
      return 'done'
    },
    interruptedResult: () => 'cut off',
    async record(ended) {
      for (const { job, result } of ended) recorded.push(`${job} ${result}`)
    },
    ...more,
  }
  const worker = createWorker({ work, clock, apiActivity: { isRecent: () => true }, log: silentLog })
  return { clock, due, claims, acted, recorded, worker }
}

const never = () => new Promise<never>(() => {})

test('claims nothing before start; then claims due work immediately and every second', async () => {
  const { worker, due, recorded, clock } = scene()
  due.push(1)
  worker.wake()
  await settle()
  expect(recorded).toEqual([])
  worker.start()
  await settle()
  expect(recorded).toEqual(['1 done'])
  due.push(2)
  await clock.advance(999)
  expect(recorded).toHaveLength(1)
  await clock.advance(1)
  expect(recorded).toEqual(['1 done', '2 done'])
  await worker.stop(0)
})

test('several wake calls during a claim cause one more claim', async () => {
  const { worker, claims } = scene()
  worker.start()
  await settle()
  const before = claims.length
  for (let i = 0; i < 100; i++) worker.wake()
  await settle()
  expect(claims.length - before).toBe(2)
  await worker.stop(0)
})

test('a claim that used its whole budget is followed by another', async () => {
  const { worker, due, recorded, claims } = scene()
  due.push(...Array.from({ length: 300 }, (_, i) => i))
  worker.start()
  await settle(30)
  expect(recorded).toHaveLength(300)
  expect(Math.max(...claims)).toBe(64)
  await worker.stop(0)
})

test('claims nothing while 64 results are not stored', async () => {
  const writes: (() => void)[] = []
  const { worker, due, acted, clock } = scene({ record: () => new Promise((resolve) => writes.push(resolve)) })
  due.push(...Array.from({ length: 64 }, (_, i) => i))
  worker.start()
  await settle(20)
  expect(worker.gauges()).toMatchObject({ inFlight: 0, unrecorded: 64 })
  due.push(64, 65, 66)
  await clock.advance(5_000)
  expect(acted).toHaveLength(64)
  writes.shift()?.()
  await settle(20)
  expect(acted).toHaveLength(67)
  for (const write of writes.splice(0)) write()
  await worker.stop(0)
})

test('a job that throws is recorded as cut off', async () => {
  const { worker, due, recorded } = scene({ act: () => Promise.reject(new Error('a fault of ours')) })
  due.push(1)
  worker.start()
  await settle()
  expect(recorded).toEqual(['1 cut off'])
  await worker.stop(0)
})

test('a failed claim is retried with the next tick, and not before', async () => {
  let claims = 0
  const { worker, clock } = scene({
    claim() {
      claims++
      return Promise.reject(new StorageError('full', 'disk full'))
    },
  })
  worker.start()
  await settle()
  expect(claims).toBe(1)
  await clock.advance(2_000)
  expect(claims).toBe(3)
  await worker.stop(0)
})

test('a result that the storage refuses is kept and written later; a closed storage is not retried', async () => {
  const tries: number[] = []
  const { worker, due, clock } = scene({
    async record(ended) {
      tries.push(...ended.map(({ job }) => job))
      if (ended[0]?.job === 3) throw new StorageError('closed', 'closed')
      if (tries.length < 6) throw new StorageError('full', 'disk full')
    },
  })
  due.push(1, 2)
  worker.start()
  await settle()
  expect(tries).toEqual([1, 2])
  expect(worker.gauges().unrecorded).toBe(2)
  await clock.advance(5_000)
  expect(tries).toEqual([1, 2, 1, 2, 1, 2])
  expect(worker.gauges().unrecorded).toBe(0)
  due.push(3)
  await clock.advance(5_000)
  expect(tries).toEqual([1, 2, 1, 2, 1, 2, 3])
  expect(worker.gauges().unrecorded).toBe(0)
  await worker.stop(0)
})

test('a job that exceeds all its own deadlines is cut off after 30 seconds; its late result changes nothing', async () => {
  const ends: ((result: Result) => void)[] = []
  const { worker, due, recorded, clock } = scene({ act: () => new Promise((resolve) => ends.push(resolve)) })
  due.push(1)
  worker.start()
  await clock.advance(29_000)
  expect(recorded).toEqual([])
  await clock.advance(2_000)
  expect(recorded).toEqual(['1 cut off'])
  ends[0]?.('done')
  await settle()
  expect(recorded).toEqual(['1 cut off'])
  await worker.stop(0)
})

test('stop claims nothing new, lets running jobs end, cuts off the rest, and waits until their results are stored', async () => {
  const { worker, due, recorded, clock } = scene({
    act: (job) => (job === 1 ? clock.sleep(2_000).then(() => 'done') : never()),
    async record(ended) {
      await clock.sleep(100)
      for (const { job, result } of ended) recorded.push(`${job} ${result}`)
    },
  })
  due.push(1, 2)
  worker.start()
  await settle()
  due.push(3)
  let isStopped = false
  void worker.stop(5_000).then(() => (isStopped = true))
  await clock.advance(4_900)
  expect(recorded).toEqual(['1 done'])
  await clock.advance(150)
  expect(isStopped).toBe(false)
  await clock.advance(50)
  expect(isStopped).toBe(true)
  expect(recorded).toEqual(['1 done', '2 cut off'])
  expect(due).toEqual([3])
  expect(clock.waiting()).toBe(0)
})

test('stop returns only after the results of jobs that it cuts off are stored', async () => {
  const { worker, due, recorded } = scene({ act: never })
  due.push(1, 2)
  worker.start()
  await settle()
  await worker.stop(0)
  expect(recorded).toEqual(['1 cut off', '2 cut off'])
  expect(worker.gauges()).toMatchObject({ inFlight: 0, unrecorded: 0 })
})

test('ticks never overlap, and one that fails does not stop the next', async () => {
  let ticks = 0
  const ends: (() => void)[] = []
  const { worker, clock } = scene({
    tick() {
      ticks++
      if (ticks === 1) return Promise.reject(new Error('once'))
      return new Promise((resolve) => ends.push(resolve))
    },
  })
  worker.start()
  await clock.advance(5_000)
  expect(ticks).toBe(2)
  ends.shift()?.()
  await clock.advance(1_000)
  expect(ticks).toBe(3)
  const stopped = worker.stop(0)
  ends.shift()?.()
  await stopped
})

test('results wait briefly for other jobs that are about to end, and no longer', async () => {
  const ends: (() => void)[] = []
  const batches: number[][] = []
  const { worker, due, clock } = scene({
    act: () => new Promise((resolve) => ends.push(() => resolve('done'))),
    async record(ended) {
      batches.push(ended.map(({ job }) => job))
    },
  })
  due.push(1, 2, 3, 4)
  worker.start()
  await settle()
  ends[0]?.()
  await settle()
  ends[1]?.()
  await settle()
  expect(batches).toEqual([])
  await clock.advance(2)
  expect(batches).toEqual([[1, 2]])
  ends[2]?.()
  await settle()
  // No running job is left that could end.
  ends[3]?.()
  await settle()
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
  await worker.stop(0)
})

test('64 results are written without waiting for more', async () => {
  const ends: (() => void)[] = []
  const batches: number[] = []
  const { worker, due } = scene({
    act: () => new Promise((resolve) => ends.push(() => resolve('done'))),
    async record(ended) {
      batches.push(ended.length)
    },
  })
  due.push(...Array.from({ length: 80 }, (_, n) => n))
  worker.start()
  await settle()
  for (const end of ends.slice(0, 64)) end()
  await settle()
  expect(batches).toEqual([64])
  await worker.stop(0)
})

test('a result that cannot be written does not stop the others from being written', async () => {
  const written: number[] = []
  const { worker, due } = scene({
    async record(ended) {
      if (ended.some(({ job }) => job === 2)) throw new Error('a fault of ours')
      written.push(...ended.map(({ job }) => job))
    },
  })
  due.push(1, 2, 3)
  worker.start()
  await settle()
  expect(written).toEqual([1, 3])
  expect(worker.gauges().unrecorded).toBe(0)
  await worker.stop(0)
})

test('the budget halves when event loop rounds take 5 ms or more, but only during API activity', async () => {
  const clock = fakeClock()
  let roundMs = 8
  let mono = 0
  // Each look at the clock is as far from the last as a round of a busy loop.
  const laggy = { ...clock, mono: () => (mono += roundMs) }
  const budgets: number[] = []
  let areHere = false
  const worker = createWorker<number, Result>({
    clock: laggy,
    apiActivity: { isRecent: () => areHere },
    log: silentLog,
    work: {
      name: 'numbers',
      deadlineMs: 30_000,
      async claim(limit) {
        budgets.push(limit)
        await settle(2)
        return []
      },
      act: never,
      interruptedResult: () => '',
      record: async () => {},
    },
  })
  worker.start()
  const again = async () => {
    worker.wake()
    await settle(3)
  }
  for (let i = 0; i < 6; i++) await again()
  expect(worker.gauges()).toMatchObject({ budget: 64, lagMs: 8 })
  areHere = true
  for (let i = 0; i < 6; i++) await again()
  expect(budgets[0]).toBe(64)
  expect(worker.gauges()).toMatchObject({ budget: 8, lagMs: 8 })
  expect(budgets.every((budget, i) => i === 0 || budget <= (budgets[i - 1] ?? 0))).toBe(true)
  roundMs = 1
  for (let i = 0; i < 10; i++) await again()
  expect(worker.gauges()).toMatchObject({ budget: 64, lagMs: 1 })
  await worker.stop(0)
})
