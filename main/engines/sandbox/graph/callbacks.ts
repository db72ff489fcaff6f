import { createHmac } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import type { Outbound } from '../../../outbound/outbound.ts'
import { GraphFault } from './answers.ts'
import type { GraphChange } from './callback-bodies.ts'
import type { GraphFaults } from './faults.ts'
import type { GraphNumber } from './store.ts'

interface Call {
  readonly number: GraphNumber
  readonly change: GraphChange
  readonly atMs: number
}

export interface Callbacks {
  /**
   * Calls the subscriber of the number.
   * @param atMs when it happened. Default: now.
   * @throws Error unless the subscriber answers 200; the caller retries.
   */
  send(number: GraphNumber, change: GraphChange, atMs?: number): Promise<void>
  /** Verifies a callback URL as Meta does when one is entered. @throws GraphFault */
  verify(number: GraphNumber, address: string, verifyToken: string): Promise<void>
}

interface CallbacksDeps {
  readonly outbound: Pick<Outbound, 'request'>
  readonly faults: GraphFaults
  readonly clock: Pick<Clock, 'now'>
}

/** The callbacks of the simulated Meta: over HTTP, signed with the app's secret. */
export function createCallbacks({ outbound, faults, clock }: CallbacksDeps): Callbacks {
  const held = new Map<'reorder_callbacks' | 'batch_callbacks', Call[]>()

  async function post(calls: readonly Call[]): Promise<void> {
    const [first] = calls
    if (first === undefined || first.number.callbackUrl === null) return
    const { callbackUrl, appSecret, accountId, phoneNumberId } = first.number
    const body = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry: entriesOf(calls) }))
    const signature = createHmac('sha256', appSecret).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }
    const request = { url: callbackUrl, method: 'POST', headers, body, from: { accountId } } as const
    const times = faults.count(phoneNumberId, 'duplicate_callbacks') > 0 ? 2 : 1
    for (let i = 0; i < times; i++) {
      const answer = await outbound.request(request)
      if (answer.kind === 'failure') throw new Error(`a callback did not arrive (${answer.code})`)
      if (answer.status !== 200) throw new Error(`a callback was answered ${answer.status}`)
    }
  }

  /** Held calls are lost in a restart, as are the faults that hold them. @returns whether it is held. */
  async function hold(kind: 'reorder_callbacks' | 'batch_callbacks', call: Call): Promise<boolean> {
    const { phoneNumberId } = call.number
    const most = faults.count(phoneNumberId, kind)
    if (most === 0) return false
    const calls = [...(held.get(kind) ?? []), call]
    held.set(kind, calls)
    if (calls.length < most) return true
    held.delete(kind)
    for (const { number } of calls) faults.end(number.phoneNumberId, kind)
    if (kind === 'batch_callbacks') await post(calls)
    else for (const one of calls.toReversed()) await post([one])
    return true
  }

  return {
    async send(number, change, atMs = clock.now()) {
      if (number.callbackUrl === null || number.subscribed === 0) return
      const call = { number, change, atMs }
      if ((await hold('batch_callbacks', call)) || (await hold('reorder_callbacks', call))) return
      await post([call])
    },

    async verify({ accountId }, address, verifyToken) {
      const url = URL.parse(address)
      if (url === null) throw new GraphFault(400, 100, '(#100) Invalid callback URL')
      url.searchParams.set('hub.mode', 'subscribe')
      url.searchParams.set('hub.challenge', '1158201444')
      url.searchParams.set('hub.verify_token', verifyToken)
      const answer = await outbound.request({ url: url.href, method: 'GET', headers: {}, from: { accountId } })
      if (answer.kind === 'response' && answer.status === 200 && answer.body.toString() === '1158201444') return
      throw new GraphFault(
        400,
        2_200,
        '(#2200) Callback verification failed: the URL did not answer with the challenge',
      )
    },
  }
}

/** One entry for each business account, one change for each call. */
function entriesOf(calls: readonly Call[]) {
  const accounts = Map.groupBy(calls, ({ number }) => number.wabaId)
  return [...accounts].map(([id, mine]) => {
    const time = Math.floor(Math.max(...mine.map(({ atMs }) => atMs)) / 1_000)
    return { id, time, changes: mine.map(({ change }) => change) }
  })
}
