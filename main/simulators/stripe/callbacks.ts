import { createHmac } from 'node:crypto'
import type Stripe from 'stripe'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { EndpointObject } from './kinds.ts'
import type { FaultSwitches } from './switches.ts'
import type { StripeStore } from './store.ts'

interface Deps {
  readonly clock: Clock
  readonly jobs: Pick<Jobs, 'define'>
  readonly store: StripeStore
  readonly switches: FaultSwitches
  readonly post: (url: string, headers: Record<string, string>, body: Buffer) => Promise<number>
  /** Replaces the placeholder for this service's URL in stored objects. */
  readonly shown: (text: string) => string
}

type Input = { readonly account: string; readonly endpoint: string; readonly event: string }

export interface StripeCallbacks {
  /** Calls every endpoint subscribed to the event, after the commit. */
  add(tx: Tx, account: string, endpoints: readonly EndpointObject[], event: Stripe.Event): Promise<void>
}

/** Like Stripe's: signed, at least once, in no particular order, retried for three days. */
export function createStripeCallbacks({ clock, jobs, store, switches, post, shown }: Deps): StripeCallbacks {
  let held: Input | null = null

  async function deliver({ account, endpoint: endpointId, event: eventId }: Input): Promise<void> {
    const unit = store.begin(account)
    const endpoint = unit.find('webhook_endpoint', endpointId)
    const event = unit.find('event', eventId)
    if (endpoint === undefined || event === undefined || endpoint.status !== 'enabled') return
    const body = Buffer.from(shown(JSON.stringify(event)))
    const seconds = String(Math.floor(clock.now() / 1_000))
    const signature = createHmac('sha256', endpoint.secret).update(`${seconds}.`).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${seconds},v1=${signature}` }
    const status = await post(endpoint.url, headers, body)
    if (status < 200 || status > 299) throw new Error(`the callback was answered ${String(status)}`)
  }

  const queue = jobs.define<Input, null>({
    name: 'sandbox.stripe_callback',
    perLane: 4,
    concurrency: 8,
    deadlineMs: 30_000,
    retryDelaysMs: [1_000, 5_000, 30_000, 300_000, 3_600_000, 21_600_000, 86_400_000, 86_400_000],
    async act({ input, attempt }) {
      const owner = ownerOf(store, input)
      if (attempt === 1 && switches.strikes(owner, 'lose_callbacks')) return null
      if (attempt === 1 && held === null && switches.strikes(owner, 'reorder_callbacks')) {
        held = input
        return null
      }
      const times = switches.strikes(owner, 'duplicate_callbacks') ? 2 : 1
      for (let i = 0; i < times; i++) await deliver(input)
      const late = held
      held = null
      if (late !== null) await deliver(late)
      return null
    },
  })

  return {
    async add(tx, account, endpoints, event) {
      for (const endpoint of endpoints) {
        const isWanted = endpoint.enabled_events.some((type) => type === '*' || type === event.type)
        if (!isWanted || endpoint.status !== 'enabled') continue
        // The simulator belongs to no account here.
        const accountId = account as AccountId
        const input = { account, endpoint: endpoint.id, event: event.id }
        await queue.add(tx, { accountId, subjectId: endpoint.id, key: `${event.id} ${endpoint.id}`, input })
      }
    },
  }
}

/** The customer of the event, whose faults apply. */
function ownerOf(store: StripeStore, { account, event }: Input): string | null {
  const object = store.begin(account).find('event', event)?.data.object as { customer?: unknown } | undefined
  return typeof object?.customer === 'string' ? object.customer : null
}
