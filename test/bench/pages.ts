import { availableParallelism, loadavg } from 'node:os'
import { Client } from 'undici'
import { SIZES, type FullHome } from './lib/full-home.ts'
import { largeHome } from './lib/large-home.ts'
import { goal, type Report } from './lib/report.ts'
import { startService } from './lib/service.ts'
import { median } from './lib/table.ts'

/**
 * Pages of large lists over HTTP, with one connection and one request at a time, so that each time is the complete
 * time of a page. Each round restarts the service, so that no part of the database is in its memory; `first` is the
 * first request of a query after that. All other figures are medians over the rounds, including the first requests.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3)
const REQUESTS = Number(process.env['REQUESTS'] ?? 200)
const GOAL_MS = 20

interface Query {
  readonly name: string
  readonly key: string
  readonly isHeldToGoal: boolean
  /** These paths are requested in turn. */
  readonly paths: readonly string[]
}

interface Timing {
  readonly first: number
  readonly p50: number
  readonly p99: number
  readonly rowsPerSecond: number
}

interface Page {
  readonly data?: readonly unknown[]
  readonly next_cursor?: string | null
}

type Ask = (path: string, key: string) => Promise<{ ms: number; page: Page }>

export async function pages(): Promise<Report[]> {
  const { home, key, ...full } = largeHome()
  const all = await serving(home, (ask) => allQueries(ask, key, full))
  // In a home that is too small for a query, there is no cursor to start from.
  const queries = all.filter(({ paths }) => paths.length > 0)
  const rounds: Timing[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await serving(home, (ask) => inTurn(queries, (query) => time(ask, query))))
  }
  return [reportOf(queries, rounds)]
}

async function serving<T>(home: string, act: (ask: Ask) => Promise<T>): Promise<T> {
  const { program, url } = await startService(home)
  const client = new Client(url)
  try {
    return await act(async (path, key) => {
      const begun = performance.now()
      const { statusCode, body } = await client.request({
        path: `/v1${path}`,
        method: 'GET',
        headers: { authorization: `Bearer ${key}` },
      })
      const text = await body.text()
      const ms = performance.now() - begun
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`)
      return { ms, page: JSON.parse(text) as Page }
    })
  } finally {
    await client.close()
    await program.stop()
  }
}

async function inTurn<A, B>(all: readonly A[], act: (each: A) => Promise<B>): Promise<B[]> {
  const done: B[] = []
  for (const each of all) done.push(await act(each))
  return done
}

async function time(ask: Ask, { paths, key }: Query): Promise<Timing> {
  const times: number[] = []
  let rows = 0
  for (let i = 0; i < REQUESTS; i++) {
    const { ms, page } = await ask(paths[i % paths.length] ?? '', key)
    times.push(ms)
    rows += page.data?.length ?? 1
  }
  const sorted = times.toSorted((a, b) => a - b)
  const rowsPerSecond = (rows * 1000) / times.reduce((sum, ms) => sum + ms, 0)
  return {
    first: times[0] ?? 0,
    p50: median(times),
    p99: sorted[Math.ceil(times.length * 0.99) - 1] ?? 0,
    rowsPerSecond,
  }
}

/** Filters that match many rows, few rows, only the oldest row, or none; and cursors from every part of a list. */
async function allQueries(ask: Ask, key: string, full: FullHome): Promise<Query[]> {
  const { smallKey, busyInstance: busy, quietInstance: quiet, webhooks, messages, startMs } = full
  const after = (days: number) => new Date(startMs + days * 86_400_000).toISOString()
  const deep = (path: string) => everyPart(ask, key, path)
  const [instances, deliveries, events] = ['/instances?limit=50', '/webhooks/deliveries?limit=50', '/events?limit=50']
  const of = (list: string, isHeldToGoal: boolean) => {
    const query = (name: string, ...paths: readonly string[]): Query => ({
      name: `${list}${name}`,
      key,
      isHeldToGoal,
      paths,
    })
    return query
  }
  const instance = of('instances', true)
  const delivery = of('deliveries', true)
  const many = of('deliveries', false)
  const event = of('events', false)
  const message = of('message', false)
  const statuses = ['pending', 'failed', 'exhausted', 'delivered'].map((status) =>
    delivery(`, ${status}`, `${deliveries}&status=${status}`),
  )
  return [
    instance(', newest', instances),
    instance(', every part', ...(await deep(instances))),
    instance(' since, first page', ...[0, 1, 2, 3, 4, 5].map((days) => `${instances}&updated_since=${after(days)}`)),
    instance(' since, every part', ...(await deep(`${instances}&updated_since=${after(0)}`))),
    instance(' by external_ref', `${instances}&external_ref=${full.externalRef}`),
    { ...instance(' of a small account', instances), key: smallKey },
    delivery(', newest', deliveries),
    delivery(', every part', ...(await deep(deliveries))),
    delivery(' since', ...[0, 1, 2, 3, 4, 5].map((days) => `${deliveries}&since=${after(days)}`)),
    delivery(' of a webhook', `${deliveries}&webhook_id=${webhooks.all}`),
    delivery(' of a webhook with one', `${deliveries}&webhook_id=${webhooks.silent}`),
    delivery(' of a webhook with none', `${deliveries}&webhook_id=${webhooks.unused}`),
    delivery(' of a busy instance', `${deliveries}&instance_id=${busy}`),
    delivery(' of a quiet instance', `${deliveries}&instance_id=${quiet}`),
    ...statuses,
    delivery(', frequent type', `${deliveries}&event_type=message.received`),
    delivery(', rare type', `${deliveries}&event_type=message.failed`),
    delivery(', type of the oldest', `${deliveries}&event_type=instance.auth_failed`),
    delivery(', type of none', `${deliveries}&event_type=instance.deleted`),
    // Both values are frequent but never occur together. No index contains the pair, so all rows of one filter are
    // read. The time is shown without a goal.
    many(', webhook + type apart', `${deliveries}&webhook_id=${webhooks.inbox}&event_type=message.sent`),
    many(', webhook + status apart', `${deliveries}&webhook_id=${webhooks.inbox}&status=exhausted`),
    delivery(', webhook + type, oldest', `${deliveries}&webhook_id=${webhooks.all}&event_type=instance.auth_failed`),
    delivery(', webhook + status, none', `${deliveries}&webhook_id=${webhooks.unused}&status=exhausted`),
    delivery(', instance + status, rare', `${deliveries}&instance_id=${busy}&status=exhausted`),
    delivery(', instance + type, none', `${deliveries}&instance_id=${busy}&event_type=instance.deleted`),
    delivery(', instance + webhook, none', `${deliveries}&instance_id=${busy}&webhook_id=${webhooks.unused}`),
    delivery(', type + status, none', `${deliveries}&event_type=instance.deleted&status=exhausted`),
    { ...delivery(' of a small account', deliveries), key: smallKey },
    event(', newest', events),
    event(', every part', ...(await deep(events))),
    event(' since', ...[0, 1, 2, 3, 4, 5].map((days) => `${events}&since=${after(days)}`)),
    event(' of a busy instance', `${events}&instance_id=${busy}`),
    event(' of a quiet instance', `${events}&instance_id=${quiet}`),
    event(', frequent type', `${events}&type=message.received`),
    event(', type of the oldest', `${events}&type=instance.auth_failed`),
    event(', type of none', `${events}&type=instance.deleted`),
    event(', instance + type, none', `${events}&instance_id=${busy}&type=instance.deleted`),
    { ...event(' of a small account', events), key: smallKey },
    message(' by id', ...messages.map(({ id, instanceId }) => `/instances/${instanceId}/messages/${id}`)),
    message(' by key', ...messages.map((each) => `/instances/${each.instanceId}/messages?idempotency_key=${each.key}`)),
  ]
}

/** Reads a list to its end and collects cursors: 20 for each page of the longest list. */
async function everyPart(ask: Ask, key: string, path: string): Promise<string[]> {
  const kept: string[] = []
  for (let pages = 1, cursor = ''; ; pages++) {
    const { page } = await ask(`${path.replace('limit=50', 'limit=200')}${cursor}`, key)
    if (typeof page.next_cursor !== 'string') return kept
    cursor = `&cursor=${page.next_cursor}`
    if (pages % 20 === 0) kept.push(`${path}${cursor}`)
  }
}

function reportOf(queries: readonly Query[], rounds: readonly Timing[][]): Report {
  const value = (i: number, of: keyof Timing) => median(rounds.map((round) => round[i]?.[of] ?? Number.NaN))
  const held = queries.map((query, i) => ({ query, p99: value(i, 'p99') })).filter(({ query }) => query.isHeldToGoal)
  const worst = held.reduce((a, b) => (b.p99 > a.p99 ? b : a))
  return {
    title:
      `Pages: 50 of ${count(SIZES.instances)} instances, ${count(SIZES.deliveries)} deliveries, ${count(SIZES.events)} events; ` +
      `${REQUESTS} requests each, medians of ${ROUNDS} rounds; ${others()}`,
    rows: queries.map((query, i) => ({
      query: query.name,
      'first ms': value(i, 'first'),
      'p50 ms': value(i, 'p50'),
      'p99 ms': value(i, 'p99'),
      'rows per second': value(i, 'rowsPerSecond'),
    })),
    goals: [
      goal(
        `p99 of every page of instances and deliveries, slowest: ${worst.query.name}`,
        worst.p99,
        'below',
        GOAL_MS,
        'ms',
      ),
    ],
  }
}

/** With other work on the machine, the p99 shows the machine and not the page. */
const others = () => `${loadavg()[0]?.toFixed(1)} at work on ${availableParallelism()} cores`

const count = (rows: number) => rows.toLocaleString('en-US')
