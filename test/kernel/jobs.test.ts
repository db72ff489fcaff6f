import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JobKindName } from '../../main/contract/job-kinds.ts'
import type { Db } from '../../main/kernel/db.ts'
import { dueIn } from '../../main/kernel/due.ts'
import type { AccountId, BootId } from '../../main/kernel/ids.ts'
import type { JobKind, JobOutcome, JobRun } from '../../main/kernel/job.ts'
import { createJobs, type JobQueue, type Jobs } from '../../main/kernel/jobs.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createNodes } from '../../main/kernel/nodes.ts'
import { fakeClock, settle, type FakeClock } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

const ACCOUNT = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId
const DAY = 86_400_000
/** A kind that no room has. */
const NAME = 'test.act' as JobKindName

const accountOf = (name: string | number) => `0197f0c2-0000-7c51-9d2b-account${name}` as AccountId

interface Input {
  readonly name: string
}

let clock: FakeClock
let data: TestDatabase
let opened: Jobs[]
beforeEach(async () => {
  clock = fakeClock()
  data = await testDatabase(undefined, { clock })
  opened = []
})
afterEach(async () => {
  for (const jobs of opened) await jobs.stop(0)
  await data.close()
})

type Act = JobKind<Input, JobOutcome>['act']
type Opened = Jobs & { readonly queue: JobQueue<Input> }

/** The jobs of a node with one kind; `act` decides how its runs end. */
function open(
  act: Act,
  more: Partial<JobKind<Input, JobOutcome>> = {},
  id: BootId = data.db.boot,
  db: Db = data.db,
): Opened {
  const nodes = { id, aliveSinceMs: () => 0 }
  const jobs = createJobs({ db, clock, log: silentLog, nodes, apiActivity: { isRecent: () => false } })
  const queue = jobs.define<Input, JobOutcome>({
    name: NAME,
    perLane: 1,
    concurrency: 10,
    deadlineMs: 30_000,
    retryDelaysMs: [10_000, 60_000],
    act,
    record: async (_tx, _run, outcome) => outcome,
    ...more,
  })
  opened.push(jobs)
  return { ...jobs, queue }
}

const add = ({ queue }: Opened, name: string, more: object = {}) =>
  data.db.commit((tx) => queue.add(tx, { accountId: ACCOUNT, subjectId: 'subject', input: { name }, ...more }))

const done = async (): Promise<JobOutcome> => ({ kind: 'done' })

/** Runs that wait until the test ends them. */
function held() {
  const runs = new Map<string, { end(outcome: JobOutcome): void; signal: AbortSignal; attempt: number }>()
  const act = ({ input, attempt }: JobRun<Input>, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<JobOutcome>()
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    runs.set(input.name, { end: resolve, signal, attempt })
    return promise
  }
  return { runs, act }
}

describe('a job', () => {
  test('runs once, at its time, and is then done', async () => {
    const names: string[] = []
    const jobs = open(async ({ input }) => {
      names.push(input.name)
      return { kind: 'done' }
    })
    jobs.start()
    await add(jobs, 'now')
    await add(jobs, 'later', { runAt: dueIn(clock, 60_000) })
    await clock.advance(1_000)
    expect(names).toEqual(['now'])
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ state: 'open', waiting: 1, done: 1, failed: 0 })
    await clock.advance(60_000)
    expect(names).toEqual(['now', 'later'])
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ waiting: 0, running: 0, done: 2, nextAtMs: null })
  })

  test('that is added while the runner looks for one runs immediately', async () => {
    const names: string[] = []
    let isLooking = false
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
    // As a database at the other end of a network would answer: some time after it looked.
    const slow: Db = {
      ...data.db,
      async readOne(statement, params) {
        const found = await data.db.readOne(statement, params)
        isLooking = true
        await answered
        return found
      },
    }
    const act: Act = async ({ input }) => {
      names.push(input.name)
      return { kind: 'done' }
    }
    const jobs = open(act, {}, data.db.boot, slow)
    jobs.start()
    await settle()
    expect(isLooking).toBe(true)
    await add(jobs, 'meanwhile')
    answer(undefined)
    await settle()
    expect(names).toEqual(['meanwhile'])
  })

  test('whose result cannot be stored runs again, and does not stay leased until a restart', async () => {
    let isBroken = true
    const jobs = open(done, {
      record: async (_tx, _run, outcome) => {
        if (isBroken) throw new TypeError('a fault of ours')
        return outcome
      },
    })
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(1_000)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ running: 0, waiting: 1 })
    isBroken = false
    await clock.advance(10_000)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ running: 0, waiting: 0, done: 1, failed: 0 })
  })

  test('that fell due during sleep runs within a second of the wake-up', async () => {
    const names: string[] = []
    const jobs = open(async ({ input }) => {
      names.push(input.name)
      return { kind: 'done' }
    })
    jobs.start()
    await add(jobs, 'later', { runAt: dueIn(clock, 60_000) })
    await clock.advance(1_000)
    clock.suspend(60_000)
    await clock.advance(1_000)
    expect(names).toEqual(['later'])
  })

  test('that must not be given up is retried with its last delay', async () => {
    let runs = 0
    const jobs = open(
      async () => {
        runs++
        throw new Error('no')
      },
      { keepsTrying: true },
    )
    jobs.start()
    await add(jobs, 'a')
    for (let i = 0; i < 6; i++) await clock.advance(61_000)
    expect(runs).toBeGreaterThan(5)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ waiting: 1, failed: 0 })
  })

  test('is added with its commit or not at all, and once for each key, even after it has ended', async () => {
    const jobs = open(done)
    jobs.start()
    const undone = data.db.commit(async (tx) => {
      await jobs.queue.add(tx, { accountId: ACCOUNT, subjectId: 'subject', input: { name: 'a' } })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await jobs.queue.findSubject('subject')).toBeUndefined()
    expect(await add(jobs, 'a', { key: 'order-1' })).toBe(true)
    await clock.advance(1_000)
    expect(await add(jobs, 'b', { key: 'order-1' })).toBe(false)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ waiting: 0, done: 1 })
  })

  test('kind can be defined only once', () => {
    const jobs = open(done)
    const again = { name: NAME, perLane: 1, concurrency: 1, deadlineMs: 1, retryDelaysMs: [], act: done }
    expect(() => jobs.define(again)).toThrow(TypeError)
  })

  test('that fails is retried after each delay, and has then failed, in the commit that records it', async () => {
    const failures: string[] = []
    let runs = 0
    const jobs = open(
      async () => {
        runs++
        throw new Error('no answer')
      },
      { recordFailure: async (_tx, _run, error) => void failures.push(error) },
    )
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(9_000)
    expect(runs).toBe(1)
    await clock.advance(3_000)
    expect(runs).toBe(2)
    await clock.advance(62_000)
    expect(runs).toBe(3)
    expect(failures).toEqual(['no answer'])
    const [job] = await jobs.queue.list('subject', { after: 0, limit: 10 })
    expect(job).toMatchObject({ state: 'failed', attempt: 3, error: 'no answer' })
  })

  test('may ask to continue later, which does not count as a failure', async () => {
    let runs = 0
    const jobs = open(async () => (++runs < 5 ? { kind: 'again', at: dueIn(clock, 5_000) } : { kind: 'done' }))
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(30_000)
    expect(runs).toBe(5)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ done: 1, failed: 0 })
  })

  test('that exceeds its own deadline is aborted and retried', async () => {
    const { runs, act } = held()
    const jobs = open(act, { deadlineMs: 120_000 })
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(119_000)
    expect(runs.get('a')?.signal.aborted).toBe(false)
    await clock.advance(2_000)
    expect(runs.get('a')?.signal.aborted).toBe(true)
    await clock.advance(11_000)
    expect(runs.get('a')?.attempt).toBe(2)
  })

  test('reports progress, at most once a second', async () => {
    const { act } = held()
    const jobs = open((run, signal) => {
      for (let percent = 0; percent <= 50; percent++) run.report({ percent })
      return act(run, signal)
    })
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(2_500)
    const [job] = await jobs.queue.list('subject', { after: 0, limit: 10 })
    expect(job).toMatchObject({ state: 'running', progress: { percent: 50 } })
  })

  test('stores progress once a second even if reported more often, and the last progress when the run ends', async () => {
    const progressOf = async () => (await jobs.queue.list('subject', { after: 0, limit: 10 }))[0]?.progress
    const jobs = open(async (run) => {
      for (let step = 1; step <= 8; step++) {
        run.report({ step })
        await clock.sleep(400)
      }
      return { kind: 'done' }
    })
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(1_500)
    expect(await progressOf()).toMatchObject({ step: expect.toSatisfy((step: number) => step >= 2) as number })
    await clock.advance(3_000)
    expect(await progressOf()).toEqual({ step: 8 })
  })

  test('is pruned 30 days after it ended, and still counts as done for its subject', async () => {
    const jobs = open(done)
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(1_000)
    clock.suspend(30 * DAY + 1_000)
    expect(await jobs.retention.begin()()).toBe(false)
    expect(await jobs.queue.list('subject', { after: 0, limit: 10 })).toEqual([])
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ done: 1 })
  })
})

describe('a lane', () => {
  test('runs its waiting jobs without a pause, also when a run asks to continue', async () => {
    let runs = 0
    const jobs = open(async () => (++runs <= 20 ? { kind: 'again', at: dueIn(clock, 0) } : { kind: 'done' }))
    jobs.start()
    for (let n = 1; n <= 10; n++) await add(jobs, `${n}`)
    await clock.advance(1_000)
    const startedAtMs = clock.now()
    while ((await jobs.queue.findSubject('subject'))?.done !== 10) await clock.advance(10)
    expect(runs).toBe(30)
    expect(clock.now() - startedAtMs).toBeLessThan(500)
  })

  test('runs as many jobs in parallel as its kind allows, in order, and does not wait for other lanes', async () => {
    const { runs, act } = held()
    const jobs = open(act)
    jobs.start()
    for (const lane of ['one', 'two']) for (let n = 1; n <= 3; n++) await add(jobs, `${lane} ${n}`, { lane })
    await clock.advance(1_000)
    expect([...runs.keys()].toSorted()).toEqual(['one 1', 'two 1'])
    runs.get('one 1')?.end({ kind: 'done' })
    await clock.advance(1_000)
    expect([...runs.keys()].toSorted()).toEqual(['one 1', 'one 2', 'two 1'])
  })

  test('waits for only one job of each other lane, however many jobs they have', async () => {
    const { runs, act } = held()
    const jobs = open(act, { concurrency: 1 })
    jobs.start()
    for (const name of ['a 1', 'a 2', 'a 3', 'b 1', 'c 1', 'b 2']) {
      await add(jobs, name, { lane: name.slice(0, 1) })
      await clock.advance(1)
    }
    for (let n = 1; n <= 5; n++) {
      const [, run] = [...runs].at(-1) ?? []
      run?.end({ kind: 'done' })
      await clock.advance(1_000)
    }
    expect([...runs.keys()]).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'a 3'])
  })

  test('never holds more parallel jobs than its kind may run in this process', async () => {
    const { runs, act } = held()
    const jobs = open(act, { concurrency: 3 })
    jobs.start()
    for (let n = 1; n <= 5; n++) await add(jobs, `${n}`, { lane: `lane ${n}`, accountId: accountOf(n) })
    await clock.advance(2_000)
    expect(runs.size).toBe(3)
    runs.get('1')?.end({ kind: 'done' })
    await clock.advance(1_000)
    expect(runs.size).toBe(4)
  })
})

test('waiting jobs can be made due earlier, never later, and those of other lanes do not change', async () => {
  const names: string[] = []
  const jobs = open(async ({ input }) => {
    names.push(input.name)
    return { kind: 'done' }
  })
  jobs.start()
  for (const lane of ['a', 'b']) await add(jobs, lane, { lane, runAt: dueIn(clock, 600_000) })
  const hasten = (ms: number) =>
    data.db.commit((tx) => jobs.queue.hasten(tx, { subjectId: 'subject', lane: 'a' }, dueIn(clock, ms)))
  await hasten(900_000)
  await hasten(5_000)
  await clock.advance(4_000)
  expect(names).toEqual([])
  await clock.advance(2_000)
  expect(names).toEqual(['a'])
  await clock.advance(595_000)
  expect(names).toEqual(['a', 'b'])
})

describe('an account', () => {
  /** Holds jobs of three accounts that have forty due in lanes of their own each, and of a fourth with one. */
  async function busy(concurrency: number, perLane: number, lanes: number) {
    const { runs, act } = held()
    const jobs = open(act, { concurrency, perLane })
    jobs.start()
    for (const name of ['a', 'b', 'c']) {
      const place = { accountId: accountOf(name), subjectId: name }
      for (let n = 1; n <= 40; n++) await add(jobs, `${name} ${n}`, { ...place, lane: `${n % lanes}` })
      await clock.advance(1_000)
    }
    await add(jobs, 'd', { accountId: accountOf('d'), subjectId: 'd' })
    await clock.advance(1_000)
    const heldBy = (name: string) => [...runs.keys()].filter((run) => run.startsWith(name)).length
    return { runs, jobs, heldBy }
  }

  test.each([
    { perLane: 1, lanes: 40 },
    { perLane: 40, lanes: 1 },
  ])('leaves capacity for others, however slow its jobs are ($lanes lanes)', async ({ perLane, lanes }) => {
    const { runs, heldBy } = await busy(64, perLane, lanes)
    // The more the others held, the fewer each got.
    expect([heldBy('a'), heldBy('b'), heldBy('c')]).toEqual([32, 13, 6])
    expect(runs.has('d')).toBe(true)
  })

  test('gets its next job when one of its own ends, and more when others have less work', async () => {
    const { runs, heldBy } = await busy(64, 1, 40)
    runs.get('c 1')?.end({ kind: 'done' })
    await clock.advance(1_000)
    expect(heldBy('c')).toBe(7)
    for (const [name, run] of runs) if (!name.startsWith('c')) run.end({ kind: 'done' })
    await clock.advance(1_000)
    expect(heldBy('c')).toBeGreaterThan(7)
  })

  test('alone on a kind that runs two jobs in parallel holds one slot', async () => {
    const { runs, act } = held()
    const jobs = open(act, { concurrency: 2 })
    jobs.start()
    for (let n = 1; n <= 3; n++) await add(jobs, `a ${n}`, { lane: `${n}`, accountId: accountOf('a') })
    await clock.advance(1_000)
    expect([...runs.keys()]).toEqual(['a 1'])
    await add(jobs, 'b 1', { lane: 'b', accountId: accountOf('b') })
    await settle()
    expect([...runs.keys()]).toEqual(['a 1', 'b 1'])
  })

  test.each([1, 2, 3, 10])(
    'that is new gets a slot after at most one job of each of %i accounts with many endless jobs',
    async (accounts) => {
      const deadlineMs = 60_000
      const begun: string[] = []
      const { act } = held()
      const noted: typeof act = (run, signal) => {
        begun.push(run.lane.split(' ')[0] ?? '')
        return act(run, signal)
      }
      const jobs = open(noted, { concurrency: 2, deadlineMs })
      jobs.start()
      for (let account = 0; account < accounts; account++)
        for (let n = 0; n < 100; n++)
          await add(jobs, `${account} ${n}`, { lane: `${account} ${n}`, accountId: accountOf(`${account}`) })
      await clock.advance(1_000)
      await add(jobs, 'new', { lane: 'new', accountId: accountOf('new') })
      const before = begun.length
      const rounds = Math.ceil(accounts / 2)
      for (let ms = 0; ms < rounds * (deadlineMs + 2_000); ms += 1_000) await clock.advance(1_000)
      expect(begun).toContain('new')
      expect(begun.slice(before).indexOf('new')).toBeLessThanOrEqual(accounts)
    },
  )

  test('that holds its full share causes no commits while its jobs wait', async () => {
    const { act } = held()
    let commits = 0
    const counted: Db = {
      ...data.db,
      commit(work) {
        commits++
        return data.db.commit(work)
      },
    }
    const jobs = open(act, { concurrency: 2 }, data.db.boot, counted)
    jobs.start()
    for (let n = 1; n <= 3; n++) await add(jobs, `${n}`, { lane: `${n}` })
    await clock.advance(1_000)
    const before = commits
    await clock.advance(20_000)
    expect(commits).toBe(before)
  })

  test('that takes over a lane is charged for its next job, and the previous account no longer is', async () => {
    const { runs, act } = held()
    const jobs = open(act, { concurrency: 2 })
    jobs.start()
    await add(jobs, 'a 1', { lane: 'moved', accountId: accountOf('a') })
    await clock.advance(1_000)
    runs.get('a 1')?.end({ kind: 'done' })
    await add(jobs, 'b 1', { lane: 'moved', accountId: accountOf('b') })
    await clock.advance(1_000)
    await add(jobs, 'a 2', { lane: 'other', accountId: accountOf('a') })
    await clock.advance(1_000)
    expect([...runs.keys()]).toEqual(['a 1', 'b 1', 'a 2'])
  })
})

describe('a subject', () => {
  test('that is paused starts nothing until it is resumed, but lets running jobs end', async () => {
    const { runs, act } = held()
    const jobs = open(act)
    jobs.start()
    for (const name of ['a', 'b']) await add(jobs, name)
    await clock.advance(1_000)
    await data.db.commit((tx) => jobs.queue.pause(tx, 'subject'))
    runs.get('a')?.end({ kind: 'done' })
    await clock.advance(5_000)
    expect([...runs.keys()]).toEqual(['a'])
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ state: 'paused', waiting: 1, done: 1 })
    await data.db.commit((tx) => jobs.queue.resume(tx, 'subject'))
    await clock.advance(1_000)
    expect([...runs.keys()]).toEqual(['a', 'b'])
  })

  test('that is canceled aborts running jobs, drops waiting ones, cannot be resumed, and does not affect other subjects', async () => {
    const { runs, act } = held()
    const jobs = open(act)
    jobs.start()
    for (let n = 0; n < 1_200; n++) await add(jobs, `${n}`)
    await add(jobs, 'other', { subjectId: 'other' })
    await clock.advance(1_000)
    await data.db.commit((tx) => jobs.queue.cancel(tx, 'subject'))
    await clock.advance(5_000)
    await data.db.commit((tx) => jobs.queue.resume(tx, 'subject'))
    await clock.advance(5_000)
    expect([...runs.keys()]).toEqual(['0', 'other'])
    expect(runs.get('other')?.signal.aborted).toBe(false)
    expect(await jobs.queue.findSubject('subject')).toEqual({
      ...{ state: 'canceled', nextAtMs: null, waiting: 0, running: 0, done: 0, failed: 0, canceled: 1_200 },
    })
  })
})

describe('a node', () => {
  test('that died returns its jobs, with a higher attempt; jobs of a living node do not change', async () => {
    const dead = held()
    const before = open(dead.act, {}, 'boot_dead' as BootId)
    before.start()
    await add(before, 'a')
    await clock.advance(1_000)
    expect(dead.runs.size).toBe(1)

    const after = held()
    const jobs = open(after.act)
    await createNodes({ db: data.db, clock }).register()
    data.raw.prepare("INSERT INTO nodes (id, started_at, seen_at) VALUES ('boot_dead', 0, 0)").run()
    await jobs.recover()
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ running: 1, waiting: 0 })
    data.raw.prepare("DELETE FROM nodes WHERE id = 'boot_dead'").run()
    await jobs.recover()
    jobs.start()
    await clock.advance(1_000)
    expect(after.runs.get('a')?.attempt).toBe(2)

    // The dead node was only slow: its result comes too late and changes nothing.
    dead.runs.get('a')?.end({ kind: 'failed', error: 'too late' })
    await clock.advance(1_000)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ running: 1, failed: 0 })
    after.runs.get('a')?.end({ kind: 'done' })
    await clock.advance(1_000)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ running: 0, done: 1, failed: 0 })
  })

  test('that starts removes the nodes before it, because SQLite has only one node', async () => {
    data.raw.prepare("INSERT INTO nodes (id, started_at, seen_at) VALUES ('boot_dead', 0, 0)").run()
    await createNodes({ db: data.db, clock }).register()
    expect(data.raw.prepare('SELECT id FROM nodes').all()).toEqual([{ id: data.db.boot }])
  })

  test('that stops lets runs end, then aborts them; they are due again and count no failure', async () => {
    const { runs, act } = held()
    const jobs = open(act)
    jobs.start()
    for (const lane of ['one', 'two']) await add(jobs, lane, { lane })
    await clock.advance(1_000)
    const stopped = jobs.stop(5_000)
    runs.get('one')?.end({ kind: 'done' })
    await settle()
    await clock.advance(5_000)
    await stopped
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ running: 0, waiting: 1, done: 1, failed: 0 })
  })
})

describe('a job that runs at most once fails, and is not retried, if its run was interrupted', () => {
  const once = { isAtMostOnce: true } as const
  const failed = expect.objectContaining({ state: 'failed', attempt: 1, error: expect.stringContaining('not known') })
  const listed = (jobs: Opened) => jobs.queue.list('subject', { after: 0, limit: 10 })

  test('by a crash', async () => {
    const before = open(held().act, once, 'boot_dead' as BootId)
    before.start()
    await add(before, 'a')
    await clock.advance(1_000)
    const failures: string[] = []
    const { runs, act } = held()
    const jobs = open(act, { ...once, recordFailure: async (_tx, _run, error) => void failures.push(error) })
    await jobs.recover()
    jobs.start()
    await clock.advance(120_000)
    expect(runs.size).toBe(0)
    expect(await listed(jobs)).toEqual([failed])
    expect(failures).toHaveLength(1)
    expect(await jobs.queue.findSubject('subject')).toMatchObject({ running: 0, waiting: 0, failed: 1 })
  })

  test('at shutdown', async () => {
    const jobs = open(held().act, once)
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(1_000)
    await jobs.stop(0)
    expect(await listed(jobs)).toEqual([failed])
  })

  test('at its deadline', async () => {
    const jobs = open(() => new Promise(() => {}), once)
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(60_000)
    expect(await listed(jobs)).toEqual([failed])
  })

  test('before its result was stored', async () => {
    const jobs = open(done, {
      ...once,
      record: () => Promise.reject(new TypeError('a fault of ours')),
    })
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(60_000)
    expect(await listed(jobs)).toEqual([failed])
  })

  test('but is retried if it reports that nothing was done', async () => {
    const { runs, act } = held()
    const jobs = open(act, once)
    jobs.start()
    await add(jobs, 'a')
    await clock.advance(1_000)
    runs.get('a')?.end({ kind: 'retry', error: 'no answer' })
    await clock.advance(12_000)
    expect(runs.get('a')?.attempt).toBe(2)
  })
})

test('the counters of a lane match its jobs after random operations', async () => {
  const act = fc.constantFrom('add', 'add later', 'advance', 'pause', 'resume', 'crash')
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), fc.infiniteStream(fc.nat(4)), async (acts, ends) => {
      const subjectId = `subject ${clock.now()}`
      const outcomes = ends[Symbol.iterator]()
      const end = async (): Promise<JobOutcome> => {
        const n = outcomes.next().value as number
        if (n === 0) throw new Error('failed')
        if (n === 1) return { kind: 'again', at: dueIn(clock, 3_000) }
        return n === 2 ? { kind: 'failed', error: 'refused' } : { kind: 'done' }
      }
      let jobs = open(end)
      jobs.start()
      for (const [n, what] of acts.entries()) {
        const lane = `lane ${n % 2}`
        if (what === 'add') await add(jobs, 'x', { subjectId, lane })
        else if (what === 'add later') await add(jobs, 'x', { subjectId, lane, runAt: dueIn(clock, 7_000) })
        else if (what === 'pause') await data.db.commit((tx) => jobs.queue.pause(tx, subjectId))
        else if (what === 'resume') await data.db.commit((tx) => jobs.queue.resume(tx, subjectId))
        else if (what === 'advance') await clock.advance(4_000)
        else {
          await jobs.stop(0)
          jobs = open(end)
          jobs.start()
        }
        const counted = data.raw.prepare(
          `SELECT lane, sum(state = 'waiting') AS waiting, sum(state = 'running') AS running, sum(state = 'done') AS done,
             sum(state = 'failed') AS failed, sum(state = 'canceled') AS canceled
           FROM jobs WHERE subject_id = ? GROUP BY lane ORDER BY lane`,
        )
        const kept = data.raw.prepare(
          `SELECT lane, waiting, running, done, failed, canceled FROM job_lanes WHERE subject_id = ? ORDER BY lane`,
        )
        expect(kept.all(subjectId)).toEqual(counted.all(subjectId))
      }
      await jobs.stop(0)
      clock.suspend(1_000)
    }),
    { numRuns: 30, seed: 20_261_123 },
  )
})
