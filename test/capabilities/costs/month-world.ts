import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { fakeClock, settle } from '../../support/clock.ts'
import { until } from '../../support/service-process.ts'
import { worldOfTest, type Reply, type World } from '../../support/world.ts'
import { clientOf } from '../agency/agency-world.ts'

const SECOND = 1_000
/** Of real time: far more than any send takes. */
const LONGEST_REST_MS = 10_000

interface MonthNumber {
  readonly id: string
  readonly number: string
  readonly phoneNumberId: string
}

/** A portfolio with its business account, the account of ours that uses it, and its numbers. */
export interface MonthPortfolio {
  readonly portfolioId: string
  readonly wabaId: string
  readonly accountId: string
  readonly numbers: readonly MonthNumber[]
  readonly api: (method: string, path: string, body?: unknown) => Promise<Reply>
}

/** A message as the simulated Meta has it: what it charged, and when it arrived at the phone. */
export interface GraphMessageRow {
  readonly wamid: string
  readonly author: string
  readonly recipient: string
  readonly category: string
  readonly priceType: string
  readonly text: string
  readonly isTemplate: 0 | 1
  readonly receivedAtMs: number | null
}

/** A send that reached the simulated Meta, whatever it answered. */
export interface Attempt {
  readonly phoneNumberId: string
  readonly atMs: number
}

export type MonthWorld = Awaited<ReturnType<typeof monthWorld>>

/** An agency whose official numbers are at the simulated Meta, and a clock that the test moves. */
export async function monthWorld(startMs: number) {
  const made: { graph?: GraphSimulator } = {}
  const w = await worldOfTest({
    clock: fakeClock(startMs),
    settings: { graphBaseUrl: 'sandbox', network: 'live', slots: 100 },
    onGraph: (simulator) => (made.graph = simulator),
  })
  if (made.graph === undefined) throw new Error('the simulator does not run')
  const attempts = countAttempts(w)
  const sent = new Map<string, GraphMessageRow>()
  const agency: MonthPortfolio['api'] = (method, path, body) => w.api(method, path, body)

  async function portfolio(at: number, size: number, wish: { limit: string; isClient: boolean }) {
    const client = wish.isClient ? await clientOf(w, { name: `Client ${at}`, slots_allocated: size }) : undefined
    const api: MonthPortfolio['api'] = client?.api ?? agency
    const numbers: MonthNumber[] = []
    let shared: object = { messaging_limit: wish.limit }
    let known: any
    for (let n = 0; n < size; n++) {
      const number = `1202556${at}${String(100 + n)}`
      known = (await api('POST', '/v1/sandbox/graph/numbers', { number, ...shared })).body
      shared = { waba_id: known.waba_id, portfolio_id: known.portfolio_id }
      numbers.push({ id: await connect(w, api, number, known), number, phoneNumberId: known.phone_number_id })
    }
    const { portfolio_id: portfolioId, waba_id: wabaId } = known
    return { portfolioId, wabaId, accountId: client?.id ?? w.account.id, numbers, api } satisfies MonthPortfolio
  }

  /** Everything that can happen now has happened, also what is on its way to the simulated Meta and back. */
  async function rest(): Promise<void> {
    const endMs = performance.now() + LONGEST_REST_MS
    for (let calm = 0; calm < 2;) {
      await w.quiet()
      const [busy] = await w.rows<{ count: number }>(UNDER_WAY)
      calm = busy?.count === 0 ? calm + 1 : 0
      if (calm === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      if (performance.now() > endMs) throw new Error('sends do not end')
    }
  }

  /** Second by second. */
  async function pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left--) {
      await w.clock.advance(SECOND)
      await rest()
    }
  }

  return {
    w,
    graph: made.graph,
    attempts,
    portfolio,
    rest,
    pass,
    /** The computer sleeps until then. */
    async sleepUntil(atMs: number): Promise<void> {
      await rest()
      w.clock.suspend(Math.max(0, atMs - w.clock.now() - SECOND))
      await pass(2)
    },
    /** The simulated Meta forgets messages after days, so it is asked every day. @returns everything that it sent so far. */
    async sent(): Promise<readonly GraphMessageRow[]> {
      for (const row of await w.rows<GraphMessageRow>(SENT)) sent.set(row.wamid, row)
      return [...sent.values()]
    },
  }
}

async function connect(w: World, api: MonthPortfolio['api'], number: string, known: object): Promise<string> {
  const { id, onboarding_url: url } = (await api('POST', '/v1/instances', { engine: 'official', name: number })).body
  await w.wire('POST', new URL(url).pathname, new URLSearchParams({ ...known }).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  await until('connected', async () => {
    await w.clock.advance(1)
    await settle()
    return (await api('GET', `/v1/instances/${id}`)).body.status === 'connected'
  })
  return id
}

function countAttempts({ clock }: World): readonly Attempt[] {
  const attempts: Attempt[] = []
  const onRequest = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    const [, phoneNumberId] = /^\/v[\d.]+\/(\d+)\/messages$/.exec(request.url ?? '') ?? []
    if (request.method === 'POST' && phoneNumberId !== undefined) attempts.push({ phoneNumberId, atMs: clock.now() })
  }
  subscribe('http.server.request.start', onRequest)
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest))
  return attempts
}

const UNDER_WAY = `SELECT (SELECT COUNT(*) FROM campaign_recipients WHERE status = 'sending')
  + (SELECT COUNT(*) FROM official_callbacks WHERE problem IS NULL) AS count`

const SENT = `SELECT s.wamid AS wamid, m.author AS author, s.recipient AS recipient, s.category AS category,
  s.price_type AS priceType, COALESCE(json_extract(m.content, '$.text'), '') AS text,
  json_extract(m.content, '$.type') = 'template' AS isTemplate, m.received_at AS receivedAtMs
  FROM sandbox_graph_sent s JOIN sandbox_messages m ON m.id = s.wamid ORDER BY s.sent_at, s.rowid`

export const expectOk = ({ status, text, body }: Reply): any => {
  expect(status, text).toBeLessThan(300)
  return body
}
