import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { systemRandom } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createStripeSimulator } from '../../main/simulators/stripe/index.ts'
import { fakeClock } from '../support/clock.ts'
import { testDatabase } from '../support/database.ts'
import { testJobs } from '../support/jobs.ts'

/** The official client at the simulator. */
export async function stripeBench() {
  const clock = fakeClock(Date.UTC(2026, 0, 31, 12))
  const { db, close } = await testDatabase(undefined, { clock })
  const jobs = testJobs(db, clock)
  const received: { signature: string; body: string }[] = []
  const server = createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const part of request) body += String(part)
      received.push({ signature: String(request.headers['stripe-signature']), body })
      response.end()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const localUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const simulator = createStripeSimulator({
    ...{ db, clock, jobs, random: systemRandom, log: silentLog },
    resolve: () => Promise.resolve(['127.0.0.1']),
    localUrl: () => localUrl,
    pagesUrl: () => 'http://127.0.0.1:4780/sandbox/stripe',
  })
  await simulator.begin()
  const url = new URL(await simulator.listen())
  const clientFor = (key: string) =>
    new Stripe(key, {
      host: url.hostname,
      port: Number(url.port),
      protocol: 'http',
      telemetry: false,
      maxNetworkRetries: 0,
    })
  jobs.start()
  return {
    ...{ clock, simulator, clientFor, received, localUrl },
    async close() {
      await jobs.stop(0)
      await simulator.close()
      await close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
