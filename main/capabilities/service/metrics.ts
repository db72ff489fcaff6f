import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { AccountId } from '../../kernel/ids.ts'
import { gauge, type Family } from '../../kernel/metrics.ts'
import type { ServiceRecord } from './contract.ts'
import type { Tallies } from './tallies.ts'

interface MetricsDeps {
  readonly tallies: Tallies
  readonly facts: () => Pick<ServiceRecord, 'version' | 'started_at' | 'database_bytes' | 'warnings'>
  /** What the delivery worker is doing. */
  readonly worker: () => { readonly inFlight: number; readonly unrecorded: number; readonly lagMs: number }
  readonly storage: () => StorageGauges
  readonly now: () => number
}

/** The disk under the home folder. */
export interface StorageGauges {
  /** undefined before it was looked at. */
  readonly freeBytes: number | undefined
  /** Whether it takes anything new. */
  readonly isOpen: boolean
  /** When all of the database was looked through; null: not since the start. */
  readonly lookedAtMs: number | null
  /** What was found then. */
  readonly isDamaged: boolean
}

/** Beyond it the number says only that there are many. */
const COUNTED_AT_MOST = 100_000

export type Metrics = ReturnType<typeof createMetrics>

/** What a monitoring system asks for every few seconds: how many there are of what, what waits, and since when. */
export function createMetrics({ tallies, facts, worker, storage, now }: MetricsDeps) {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()

  async function accountFamilies(accountId: AccountId): Promise<Family[]> {
    const [instances, webhooks, deliveries, dueSince, messages, approvals] = await Promise.all([
      tallies.instances(accountId),
      tallies.webhooks(accountId),
      tallies.deliveries(accountId, COUNTED_AT_MOST),
      tallies.deliveriesDueSinceMs(accountId),
      tallies.messages(accountId),
      tallies.approvals(accountId),
    ])
    return [
      {
        name: 'switchboard_instances',
        help: 'Instances by state.',
        type: 'gauge',
        samples: [...instances].map(([status, value]) => ({ labels: { status }, value })),
      },
      gauge('switchboard_webhooks', 'Webhooks.', webhooks.total),
      gauge('switchboard_webhooks_deactivated', 'Webhooks that were given up.', webhooks.deactivated),
      {
        name: 'switchboard_deliveries_open',
        help: `Deliveries that are not answered yet (pending) or being retried or closed after a failure (failed), counted up to ${COUNTED_AT_MOST}.`,
        type: 'gauge',
        samples: [
          { labels: { status: 'pending' }, value: deliveries.pending },
          { labels: { status: 'failed' }, value: deliveries.failed },
        ],
      },
      gauge(
        'switchboard_delivery_lag_seconds',
        'How long the longest waiting due delivery has been due.',
        dueSince === null ? 0 : Math.max(0, now() - dueSince) / 1_000,
      ),
      gauge('switchboard_messages_queued', 'Messages that wait to be confirmed.', messages.queued),
      gauge('switchboard_approvals_pending', 'Calls of assistants that wait for a person.', approvals.pending),
    ]
  }

  function processFamilies(): Family[] {
    const { version, started_at, database_bytes, warnings } = facts()
    const { inFlight, unrecorded, lagMs } = worker()
    const { freeBytes, isOpen, lookedAtMs, isDamaged } = storage()
    const memory = process.memoryUsage.rss()
    return [
      {
        name: 'switchboard_build_info',
        help: 'The version that runs.',
        type: 'gauge',
        samples: [{ labels: { version, node: process.versions.node }, value: 1 }],
      },
      gauge('process_start_time_seconds', 'When it was started, since the epoch.', Date.parse(started_at) / 1_000),
      gauge('process_resident_memory_bytes', 'Memory it holds.', memory),
      gauge('switchboard_database_bytes', 'Size of the database.', database_bytes),
      ...(freeBytes === undefined
        ? []
        : [gauge('switchboard_disk_free_bytes', 'Room on the disk of the home folder.', freeBytes)]),
      gauge(
        'switchboard_storage_open',
        '1 while anything new is taken; 0 on a disk that is full or failed.',
        isOpen ? 1 : 0,
      ),
      ...(lookedAtMs === null
        ? []
        : [
            gauge(
              'switchboard_database_looked_through_timestamp_seconds',
              'When all of the database was last looked through, since the epoch.',
              lookedAtMs / 1_000,
            ),
          ]),
      gauge('switchboard_database_damaged', '1 once damage was found in the database.', isDamaged ? 1 : 0),
      gauge('switchboard_event_loop_delay_p99_seconds', 'Delay of the event loop since the start.', p99Of(delay)),
      gauge('switchboard_deliveries_in_flight', 'Deliveries under way.', inFlight),
      gauge('switchboard_deliveries_unrecorded', 'Deliveries that have ended and are not on disk yet.', unrecorded),
      gauge('switchboard_delivery_loop_lag_seconds', 'How long the last round of the event loop took.', lagMs / 1_000),
      gauge('switchboard_warnings', 'What a person should look at; Settings has the sentences.', warnings.length),
    ]
  }

  return {
    measure: async (accountId: AccountId): Promise<Family[]> => [
      ...processFamilies(),
      ...(await accountFamilies(accountId)),
    ],
    close: () => void delay.disable(),
  }
}

/** Without a single measurement it answers NaN. */
const p99Of = (delay: { percentile(percent: number): number; readonly count: number }) =>
  delay.count === 0 ? 0 : delay.percentile(99) / 1e9
