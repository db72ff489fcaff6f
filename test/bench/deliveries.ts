import { deliveringProduct, deliveryRound, PRODUCT, type Deliverer } from './lib/delivery-round.ts'
import { goal, type Report } from './lib/report.ts'
import { inRounds } from './lib/rounds.ts'
import { BULLMQ, openPlace, REFERENCE, SECRET, startSenders, type Place } from './lib/senders.ts'
import { median, paired } from './lib/table.ts'

/**
 * Signed deliveries per second over TLS, each attempt durable. The product is compared with a batch pipeline that has
 * none of its rules, and with queues by others.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const DELIVERIES = Number(process.env['DELIVERIES'] ?? 12_000)
const IN_FLIGHT = (process.env['IN_FLIGHT'] ?? '8,64').split(',').map(Number)
const WARM_UP = Math.min(DELIVERIES, 2_000)
/** How many callers' jobs are written together. */
const TOGETHER = 64

interface Contender extends Deliverer {
  readonly rounds: Awaited<ReturnType<typeof deliveryRound>>[]
}

export async function deliveries(): Promise<Report[]> {
  const place = await openPlace()
  try {
    const reports: Report[] = []
    for (const inFlight of IN_FLIGHT) reports.push(await atOnce(place, inFlight))
    return reports
  } finally {
    await place.close()
  }
}

async function atOnce(place: Place, inFlight: number): Promise<Report> {
  const deliverers = [await deliveringProduct(place, inFlight), ...(await others(place, inFlight))]
  const contenders: Contender[] = deliverers.map((deliverer) => ({ ...deliverer, rounds: [] }))
  try {
    for (const contender of contenders) await deliveryRound(place, contender, WARM_UP)
    await inRounds(ROUNDS, contenders, async (contender) => {
      contender.rounds.push(await deliveryRound(place, contender, DELIVERIES))
    })
  } finally {
    for (const contender of contenders) await contender.stop()
  }
  return reportOf(place, contenders, inFlight)
}

async function others(place: Place, inFlight: number): Promise<Deliverer[]> {
  return (await startSenders(place, inFlight)).map(({ name, pids, ask, stop }) => ({
    ...{ name, pids, stop, secret: SECRET },
    load: async (count) => {
      await ask('load', { count, together: TOGETHER })
      return Date.now()
    },
    drain: () => ask('drain'),
  }))
}

function reportOf({ redis, missing }: Place, contenders: readonly Contender[], inFlight: number): Report {
  const of = (name: string) => contenders.find((one) => one.name === name)?.rounds ?? []
  const rates = (name: string) => of(name).map(({ perSecond }) => perSecond)
  const cpus = (name: string) => of(name).map(({ cpu }) => cpu)
  const rate = (than: string) => paired(rates(PRODUCT), rates(than))
  const what = `deliveries at ${inFlight} in flight`
  return {
    title: `Deliveries over TLS, ${inFlight} in flight, ${DELIVERIES} in each of ${ROUNDS} rounds, medians; ratios are medians of same-round ratios`,
    rows: contenders.map(({ name }) => ({
      program: name,
      'per second': median(rates(name)),
      'CPU µs each, with its store': median(cpus(name)),
      'rate of the pipeline': paired(rates(name), rates(REFERENCE)),
      'CPU of the pipeline': paired(cpus(name), cpus(REFERENCE)),
      ...(redis && { 'rate of BullMQ': paired(rates(name), rates(BULLMQ)) }),
    })),
    goals: [
      goal(`${what}, of the batched pipeline's rate`, rate(REFERENCE), 'at least', 0.7),
      goal(`${what}, times the rate of BullMQ`, rate(BULLMQ), 'at least', 2),
      goal(`${what}, CPU of BullMQ's`, paired(cpus(PRODUCT), cpus(BULLMQ)), 'at most', 0.4),
    ],
    ...(missing.length > 0 && { notes: [`Not measured beside: ${missing.join(', ')}.`] }),
  }
}
