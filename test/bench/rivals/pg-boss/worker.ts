import { createRequire } from 'node:module'
import { answerAs } from '../../lib/peer.ts'
import { payloads, signedPost } from '../../reference/signed-post.ts'

/** The same deliveries as pg-boss jobs, fetched and completed in batches, which is the fastest way. */
// This package is installed only in this folder, when it is first needed.
const PgBoss = createRequire(import.meta.url)('pg-boss')

interface Job {
  id: string
  data: { payload: string }
}
const QUEUE = 'deliveries'
const BATCH = 256
const RESULTS_MS = 4
const inFlightMost = Number(process.env['IN_FLIGHT'])
const post = signedPost(Number(process.env['PORT']), process.env['SECRET'] ?? '', inFlightMost)
const boss = new PgBoss({ connectionString: process.env['POSTGRES'], max: 10, supervise: false, schedule: false })
boss.on('error', (error: Error) => console.error(error))
await boss.start()
await boss.createQueue(QUEUE, { retryLimit: 8, retryBackoff: true, retryDelay: 30 })
let left = 0

function drain(): Promise<undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  let fetched: Job[] = []
  let toStart = left
  let inFlight = 0
  let ended: string[] = []
  let isFetching = false
  const complete = async () => {
    const ids = ended
    ended = []
    await boss.complete(QUEUE, ids)
    left -= ids.length
    if (left === 0) resolve(undefined)
  }
  const fetch = async () => {
    isFetching = true
    fetched = [...(((await boss.fetch(QUEUE, { batchSize: BATCH })) as Job[] | null) ?? []).toReversed(), ...fetched]
    isFetching = false
    pump()
  }
  const start = (job: Job) => {
    inFlight++
    toStart--
    post(job.data.payload, 1).then(() => {
      inFlight--
      if (ended.push(job.id) === 1) setTimeout(() => void complete().catch(reject), RESULTS_MS)
      pump()
    }, reject)
  }
  const pump = () => {
    if (!isFetching && fetched.length < inFlightMost && fetched.length < toStart) fetch().catch(reject)
    while (inFlight < inFlightMost && fetched.length > 0) start(fetched.pop() as Job)
  }
  pump()
  return promise
}

answerAs(
  {
    async load({ count, together }: { count: number; together: number }) {
      left += count
      const jobs = payloads(count)
      for (let i = 0; i < count; i += together) {
        await Promise.all(jobs.slice(i, i + together).map((payload) => boss.send(QUEUE, { payload })))
      }
    },
    drain,
  },
  () => boss.stop({ graceful: false, close: true }),
)
