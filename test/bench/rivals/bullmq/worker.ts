import { createRequire } from 'node:module'
import { answerAs } from '../../lib/peer.ts'
import { payloads, signedPost } from '../../reference/signed-post.ts'

/**
 * The same deliveries as BullMQ jobs. The job is the record of an attempt: Redis counts the attempt before the worker
 * gets the job.
 */
// This package is installed only in this folder, when it is first needed.
const { Queue, Worker } = createRequire(import.meta.url)('bullmq')

const connection = { host: '127.0.0.1', port: Number(process.env['REDIS_PORT']) }
const concurrency = Number(process.env['IN_FLIGHT'])
const post = signedPost(Number(process.env['PORT']), process.env['SECRET'] ?? '', concurrency)
const name = `deliveries-${process.pid}`
const defaultJobOptions = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 30_000 },
  removeOnComplete: { count: 1000 },
  removeOnFail: { age: 86_400 },
}
const queue = new Queue(name, { connection, defaultJobOptions })
let left = 0
let finished = () => {}
const worker = new Worker(
  name,
  async (job: { attemptsMade: number; data: { payload: string } }) => {
    const status = await post(job.data.payload, job.attemptsMade + 1)
    if (status >= 300) throw new Error(`HTTP ${status}`)
    return status
  },
  { connection, concurrency, autorun: false },
)
worker.on('completed', () => --left === 0 && finished())
worker.on('error', (error: Error) => console.error(error))
await worker.waitUntilReady()
let isRunning = false

answerAs(
  {
    async load({ count, together }: { count: number; together: number }) {
      left += count
      const jobs = payloads(count)
      for (let i = 0; i < count; i += together) {
        await Promise.all(jobs.slice(i, i + together).map((payload) => queue.add('delivery', { payload })))
      }
    },
    async drain() {
      const done = new Promise<void>((resolve) => (finished = resolve))
      if (isRunning) worker.resume()
      else void worker.run()
      isRunning = true
      await done
      await worker.pause()
    },
  },
  async () => {
    await worker.close(true)
    await queue.close()
  },
)
